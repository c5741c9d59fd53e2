// Filters at work while they are chosen, and a list that grows while its run is under way: the same page is asked for, and
// what it found is put in place.
(() => {
  "use strict";
  const form = document.querySelector("[data-filters]");
  if (!form) return;
  const parts = ["[data-results]", "[data-clear]", "#filters legend"];
  const PAUSE = 2000; // between looks at a list that grows
  let newest = 0;
  let waiting = 0;
  let known = Number(document.querySelector("[data-live]")?.dataset.done);
  let looking = 0;
  let choosing = 0;

  function address() {
    const given = [...new FormData(form)].filter(([, value]) => value);
    const query = new URLSearchParams(given).toString();
    return location.pathname + (query ? `?${query}` : "");
  }

  async function show(where) {
    const mine = ++newest;
    const response = await fetch(where);
    const found = new DOMParser().parseFromString(await response.text(), "text/html");
    if (mine !== newest || !found.querySelector("[data-results]")) return;
    const focused = document.activeElement?.closest("[data-results] a")?.getAttribute("href");
    for (const part of parts) document.querySelector(part).replaceWith(document.adoptNode(found.querySelector(part)));
    if (focused) document.querySelector(`[data-results] a[href="${CSS.escape(focused)}"]`)?.focus();
    const [count, counted] = [form.querySelector("output"), found.querySelector("#filters output").textContent];
    if (count.textContent !== counted) count.textContent = counted;
    history.replaceState(null, "", where);
  }

  async function choose() {
    const where = address();
    choosing += 1;
    await show(where).catch(() => location.assign(where));
    choosing -= 1;
  }

  // What is chosen goes before; a look that is not made, or fails, is made with the next news.
  form.addEventListener("more", ({ detail: done }) => {
    if (done === known || looking) return;
    looking = setTimeout(async () => {
      if (!choosing) await show(location.pathname + location.search).then(() => (known = done), () => {});
      looking = 0;
    }, PAUSE);
  });

  form.classList.add("at-once");
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(choose, 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose();
  });

  // Counts lead to what they count.
  for (const element of document.querySelectorAll("[data-filter]")) {
    if (element.dataset.filter.includes("category=%28none%29")) continue; // no filter asks for those without
    const link = document.createElement("a");
    link.href = `?${element.dataset.filter}#cases`;
    link.append(...element.childNodes);
    element.append(link);
  }
})();
