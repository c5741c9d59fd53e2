// What single keys do, where nothing is being typed.
(() => {
  "use strict";
  const typing = (element) => element.closest("input:not([type=radio]), textarea, select, [contenteditable], [data-keys]");
  const follow = (selector) => document.querySelector(selector)?.click();
  const acts = {
    "/": () => document.querySelector("[data-search]")?.focus(),
    j: () => follow("main a[rel=next]"),
    k: () => follow("main a[rel=prev]"),
    g: () => location.assign("/"),
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target) || !(event.key in acts)) return;
    if (event.key === "/") event.preventDefault();
    acts[event.key]();
  });
})();
