// Filters at work while they are chosen: the same page is asked for, and what it found is put in place.
(() => {
  "use strict";
  const form = document.querySelector("[data-filters]");
  if (!form) return;
  const parts = ["[data-results]", "[data-clear]", "#filters legend"];
  let newest = 0;
  let waiting = 0;

  function address() {
    const given = [...new FormData(form)].filter(([, value]) => value);
    const query = new URLSearchParams(given).toString();
    return location.pathname + (query ? `?${query}` : "");
  }

  async function show(where) {
    const mine = ++newest;
    try {
      const response = await fetch(where);
      const found = new DOMParser().parseFromString(await response.text(), "text/html");
      if (mine !== newest || !found.querySelector("[data-results]")) return;
      for (const part of parts) document.querySelector(part).replaceWith(document.adoptNode(found.querySelector(part)));
      form.querySelector("output").textContent = found.querySelector("#filters output").textContent;
      history.replaceState(null, "", where);
    } catch {
      location.assign(where);
    }
  }

  form.classList.add("at-once");
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => show(address()), 150);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(address());
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
