
(() => {
  "use strict";
  const form = document.getElementById("filters");
  const nothing = document.getElementById("none");
  const articles = [...document.querySelectorAll("article.case")];
  if (!form || !articles.length) return;

  const letters = { p: "pass", f: "fail", s: "skip", e: "error" };
  const cases = articles.map((element) => {
    const checks = new Map();
    for (const [, number, letter] of element.dataset.k.matchAll(/(\d+)([pfse])/g)) checks.set(number, letters[letter]);
    return { element, status: element.dataset.s, suite: element.dataset.u, category: element.dataset.c || "none", checks, words: null };
  });
  const groups = [...document.querySelectorAll(".group")].map((element) => ({
    element, count: element.querySelector("h3 .count"), told: element.querySelector("h3 .count").textContent,
    cases: cases.filter((each) => element.contains(each.element)),
  }));
  const boxes = [...form.querySelectorAll("[name=status]")];
  const choices = [...form.querySelectorAll("select")];
  const search = form.elements.q;
  const tally = form.querySelector("output");
  const legend = form.querySelector("[data-legend]");

  // A text is taken from the page the first time someone searches, then kept.
  const wordsOf = (each) => (each.words ??= each.element.textContent.toLowerCase());
  const asked = () => ({
    statuses: new Set(boxes.filter((box) => box.checked).map((box) => box.value)),
    by: Object.fromEntries(choices.map((choice) => [choice.name, choice.value])),
    words: search.value.toLowerCase().split(/\s+/).filter(Boolean),
  });

  function show() {
    const { statuses, by, words } = asked();
    const counts = {};
    let shown = 0;
    for (const each of cases) {
      // With a check chosen, the status asked for is that of the check.
      const status = by.check ? each.checks.get(by.check) : each.status;
      const like = status && (!by.suite || each.suite === by.suite) && (!by.category || each.category === by.category)
        && words.every((word) => wordsOf(each).includes(word));
      if (like) counts[status] = (counts[status] || 0) + 1;
      each.shown = Boolean(like && (!statuses.size || statuses.has(status)));
      if (each.element.hidden === each.shown) each.element.hidden = !each.shown;
      if (each.shown) shown += 1;
    }
    for (const group of groups) {
      const count = group.cases.reduce((sum, each) => sum + each.shown, 0);
      group.element.hidden = !count;
      group.count.textContent = count === group.cases.length ? group.told : `${number(count)} of ${group.told}`;
    }
    for (const box of boxes) form.querySelector(`[data-count=${box.value}]`).textContent = number(counts[box.value] || 0);
    const check = choices.find((choice) => choice.name === "check");
    legend.textContent = by.check ? `Status of ${check.selectedOptions[0].text}` : "Status";
    const of = shown === cases.length ? "" : ` of ${number(cases.length)}`;
    tally.textContent = `${number(shown)}${of} ${form.dataset.noun}`;
    nothing.hidden = shown > 0;
  }

  const number = (count) => count.toLocaleString("en");

  // The address keeps the filters by name, so that a link shows what its sender saw.
  function write() {
    const kept = new URLSearchParams();
    const statuses = boxes.filter((box) => box.checked).map((box) => box.value);
    if (statuses.length) kept.set("status", statuses.join(","));
    for (const choice of choices) if (choice.value) kept.set(choice.name, choice.selectedOptions[0].text);
    if (search.value.trim()) kept.set("q", search.value.trim());
    const text = kept.toString().replaceAll("%2C", ",");
    history.replaceState(null, "", text ? `#${text}` : location.pathname + location.search);
  }

  function read() {
    const address = location.hash.slice(1);
    if (/^case-\d+/.test(address)) return visit(address);
    if (address && !/^(status|suite|category|check|q)=/.test(address)) return false;
    const kept = new URLSearchParams(address);
    const statuses = (kept.get("status") || "").split(",");
    for (const box of boxes) box.checked = statuses.includes(box.value);
    for (const choice of choices) {
      const named = [...choice.options].find((option) => option.value && option.text === kept.get(choice.name));
      choice.value = named ? named.value : "";
    }
    search.value = kept.get("q") || "";
    show();
    return Boolean(address);
  }

  function visit(id) {
    const place = document.getElementById(id);
    const article = place && place.closest("article");
    if (!article) return false;
    if (article.hidden) reset();
    article.querySelector("details").open = true;
    article.scrollIntoView({ block: "start" });
    return false;
  }

  function reset() {
    form.reset();
    show();
  }

  const actions = {
    open: () => unfold(true),
    close: () => unfold(false),
    reset: () => { reset(); write(); },
  };
  const unfold = (open) => {
    for (const each of cases) if (each.shown) each.element.querySelector("details").open = open;
  };

  // Counts lead to what they count.
  for (const element of document.querySelectorAll("[data-filter]")) {
    const link = document.createElement("a");
    link.href = `#${element.dataset.filter}`;
    link.append(...element.childNodes);
    element.append(link);
  }
  const toCases = () => document.getElementById("cases").scrollIntoView({ block: "start" });

  form.hidden = false;
  let waiting = 0;
  form.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => { show(); write(); });
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", (event) => actions[event.target.dataset.do]?.());
  addEventListener("hashchange", () => { if (read()) toCases(); });

  // Where a browser cannot unfold what failed for paper by style alone.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    const failed = ":is(.case.fail, .case.error)";
    unfolded = [...document.querySelectorAll(`${failed} > details:not([open]), ${failed} .listed:not([open])`)];
    for (const each of unfolded) each.open = true;
  });
  addEventListener("afterprint", () => { for (const each of unfolded) each.open = false; });

  show();
  read();
})();
