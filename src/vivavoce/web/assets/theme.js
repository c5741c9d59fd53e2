// Light, dark, or as the system has it. Loaded before anything is drawn, so that no page flashes.
(() => {
  "use strict";
  const KEY = "viva-theme";
  const words = { auto: "System", light: "Light", dark: "Dark" };
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
    .filter((rule) => rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme: dark"))
    .map((rule) => ({ rule, own: rule.media.mediaText }));

  function kept() {
    try {
      const found = localStorage.getItem(KEY);
      return found in words ? found : "auto";
    } catch { return "auto"; }
  }

  let chosen = kept();

  function show() {
    for (const { rule, own } of rules) rule.media.mediaText = { auto: own, light: "not all", dark: "screen" }[chosen];
    document.documentElement.style.colorScheme = chosen === "auto" ? "" : chosen;
  }

  show();
  addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-toggle]");
    const word = button.querySelector("[data-theme-word]");
    const tell = () => {
      word.textContent = words[chosen];
      button.setAttribute("aria-label", `Theme: ${words[chosen]}`);
    };
    button.hidden = false;
    tell();
    button.addEventListener("click", () => {
      const order = Object.keys(words);
      chosen = order[(order.indexOf(chosen) + 1) % order.length];
      try { localStorage.setItem(KEY, chosen); } catch { /* then it holds for this page */ }
      show();
      tell();
    });
  });
})();
