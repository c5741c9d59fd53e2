// A run under way: counts, the newest results, and the whole page once it is over.
(() => {
  "use strict";
  const box = document.querySelector("[data-live]");
  const id = box.dataset.live;
  const seen = `viva-ended-${id}`;
  const signs = { pass: ["✓", "passed"], fail: ["✗", "failed"], error: ["!", "error"], skip: ["–", "skipped"] };
  const part = (name) => box.querySelector(`[data-live-${name}]`);
  const number = (count) => count.toLocaleString("en");
  const LATEST = 8;

  function progress(now) {
    part("bar").max = now.trials || 1;
    part("bar").value = now.done;
    part("count").textContent = `${number(now.done)}${now.trials ? ` of ${number(now.trials)}` : ""} done`;
    part("told").textContent = "";
    document.querySelector("[data-filters]").dispatchEvent(new CustomEvent("more", { detail: now.done }));
    let at = 0;
    for (const status of Object.keys(signs)) {
      document.querySelector(`[data-tile=${status}]`).textContent = number(now[status]);
      const tile = document.querySelector(`[data-tile=${status}]`).closest(".tile");
      tile.className = `tile ${now[status] ? status : "none"}`;
    }
    const bar = document.querySelector("svg.bar.main");
    bar.replaceChildren(...["pass", "fail", "error", "skip"].filter((status) => now[status]).map((status) => {
      const width = (200 * now[status]) / now.done;
      const rect = document.createElementNS("http://www.w3.org/2000/svg", "rect");
      for (const [name, value] of Object.entries({ x: at, y: 0, width, height: 8, class: status })) rect.setAttribute(name, value);
      at += width;
      return rect;
    }));
    bar.setAttribute("aria-label", Object.keys(signs).map((status) => `${now[status]} ${signs[status][1]}`).join(", "));
  }

  function result(one) {
    const [sign, word] = signs[one.status];
    const line = document.createElement("li");
    const mark = document.createElement("span");
    const glyph = document.createElement("span");
    const link = document.createElement("a");
    const where = document.createElement("span");
    mark.className = `mark ${one.status}`;
    glyph.textContent = sign;
    glyph.ariaHidden = "true";
    mark.append(glyph, word);
    const key = new URLSearchParams({ in: one.suite, case: one.case, repeat: one.repeat });
    link.href = `/runs/${encodeURIComponent(id)}/case?${key}`;
    link.textContent = one.case;
    where.className = "where";
    where.textContent = one.suite;
    line.append(mark, link, where);
    part("latest").prepend(line);
    while (part("latest").children.length > LATEST) part("latest").lastChild.remove();
  }

  function finished(now) {
    progress(now);
    part("word").textContent = now.fault ? "Not carried to its end" : "Done";
    if (now.fault) part("told").textContent = now.fault;
    // Loaded anew once: a run that the store still holds for unfinished would come back here for ever.
    if (now.fault || sessionStorage.getItem(seen)) return;
    sessionStorage.setItem(seen, "1");
    setTimeout(() => location.reload(), 300);
  }

  function watch() {
    const source = new EventSource(`/api/runs/${encodeURIComponent(id)}/events`);
    source.addEventListener("progress", (event) => progress(JSON.parse(event.data)));
    source.addEventListener("result", (event) => result(JSON.parse(event.data)));
    source.addEventListener("finished", (event) => {
      source.close();
      finished(JSON.parse(event.data));
    });
    source.onerror = () => {
      part("told").textContent = "The server does not answer. It may be starting again; this page keeps trying.";
      if (source.readyState === EventSource.CLOSED) setTimeout(watch, 3000);
    };
  }

  watch();
})();
