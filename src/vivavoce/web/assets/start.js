// Buttons that start a run: the page's token shows the server that no other site asks for it.
(() => {
  "use strict";
  const told = document.querySelector("[data-told]");
  const token = document.querySelector("meta[name=viva-token]").content;

  function tell(message) {
    told.textContent = message;
    told.hidden = false;
  }

  async function start(suite) {
    let response;
    try {
      response = await fetch("/api/runs", {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Viva-Token": token },
        body: JSON.stringify(suite ? { suite } : {}),
      });
    } catch {
      return tell("The server does not answer. It may be starting again; try in a moment.");
    }
    const answer = await response.json().catch(() => ({}));
    if (response.ok) return location.assign(`/runs/${encodeURIComponent(answer.id)}`);
    return tell(`Not started: ${answer.error?.message || `the server answered ${response.status}`}`);
  }

  for (const button of document.querySelectorAll("[data-start]")) {
    button.addEventListener("click", async () => {
      button.disabled = true;
      await start(button.dataset.suite);
      button.disabled = false;
    });
  }
})();
