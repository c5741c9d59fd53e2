// A trend that can be looked into: hover, zoom, and the same with the keyboard. Drawn by the server, moved here.
(() => {
  "use strict";
  const figure = document.querySelector("[data-trend]");
  const svg = figure.querySelector("svg.canvas");
  const tip = figure.querySelector("[data-tip]");
  const points = [...svg.querySelectorAll("circle.point")].map((element) => ({ element, at: Number(element.dataset.at) }));
  if (points.length < 2) return;
  const moved = [...svg.querySelectorAll("[data-at]:not(circle)")].map((element) => ({
    element, at: Number(element.dataset.at), to: Number(element.dataset.to),
  }));
  const last = points.length - 1;
  const LEAST = 4;
  const TICKS = 6;
  const APART = 9;
  let from = 0;
  let to = last;
  let chosen = -1;
  const place = (index) => (100 * (index - from)) / (to - from);

  function draw() {
    const inside = (index) => index >= from && index <= to;
    for (const { element, at } of points) {
      element.setAttribute("cx", `${place(at)}%`);
      element.setAttribute("visibility", inside(at) ? "visible" : "hidden");
    }
    let free = -1;
    for (const { element, at, to: end } of moved) {
      if (element.tagName === "text") {
        const room = inside(at) && place(at) >= free;
        if (room) free = place(at) + APART;
        element.setAttribute("x", `${place(at)}%`);
        element.setAttribute("visibility", room ? "visible" : "hidden");
        continue;
      }
      element.setAttribute("x1", `${place(at)}%`);
      element.setAttribute("x2", `${place(Number.isNaN(end) ? at : end)}%`);
      element.setAttribute("visibility", inside(at) && (Number.isNaN(end) || inside(end)) ? "visible" : "hidden");
    }
    ticks();
    figure.classList.toggle("zoomed", from > 0 || to < last);
    if (chosen >= 0) show(chosen);
  }

  function ticks() {
    for (const old of svg.querySelectorAll(".tick")) old.remove();
    const count = Math.min(TICKS, to - from + 1);
    for (let at = 0; at < count; at += 1) {
      const index = from + Math.round((at * (to - from)) / Math.max(1, count - 1));
      const text = document.createElementNS("http://www.w3.org/2000/svg", "text");
      const anchor = at === 0 ? "start" : at === count - 1 ? "end" : "middle";
      for (const [name, value] of Object.entries({ class: anchor === "middle" ? "tick inner" : "tick", x: `${place(index)}%`, y: "100%", dy: 20, "text-anchor": anchor })) text.setAttribute(name, value);
      text.textContent = points[index].element.dataset.when.slice(0, 10);
      svg.append(text);
    }
  }

  function show(index) {
    chosen = index;
    for (const { element, at } of points) element.classList.toggle("chosen", at === index);
    tip.hidden = index < from || index > to;
    if (tip.hidden) return;
    const { when, rate, told, commit } = points[index].element.dataset;
    const lines = [rate, when, told, commit ? `revision ${commit}` : ""].filter(Boolean).map((words, at) => {
      const line = document.createElement(at ? "span" : "b");
      line.textContent = words;
      return line;
    });
    tip.replaceChildren(...lines);
    tip.style.left = `${place(index)}%`;
    tip.classList.toggle("left", place(index) > 60);
  }

  function hide() {
    chosen = -1;
    tip.hidden = true;
    for (const { element } of points) element.classList.remove("chosen");
  }

  function zoom(low, high) {
    low = Math.max(0, Math.round(low));
    high = Math.min(last, Math.round(high));
    if (high - low < LEAST) {
      const middle = (low + high) / 2;
      low = Math.max(0, Math.min(last - LEAST, Math.round(middle - LEAST / 2)));
      high = Math.min(last, low + LEAST);
    }
    [from, to] = [low, high];
    draw();
  }

  function closer(factor) {
    const middle = chosen >= 0 ? chosen : (from + to) / 2;
    const half = (factor * (to - from)) / 2;
    const low = Math.max(0, Math.min(middle - half, last - 2 * half));
    zoom(low, low + 2 * half);
  }

  const acts = { in: () => closer(0.5), out: () => closer(2), all: () => zoom(0, last) };
  const share = (event) => {
    const box = svg.getBoundingClientRect();
    return Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
  };
  const near = (event) => Math.round(from + share(event) * (to - from));
  const open = (index) => location.assign(points[index].element.dataset.href);

  let held = null;
  const selection = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  selection.setAttribute("class", "selection");
  selection.setAttribute("y", "0");
  selection.setAttribute("height", "100%");
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    held = share(event);
    if (event.pointerType === "mouse") svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointermove", (event) => {
    show(near(event));
    if (held === null || event.pointerType !== "mouse") return;
    const [low, high] = [held, share(event)].sort((one, other) => one - other);
    selection.setAttribute("x", `${100 * low}%`);
    selection.setAttribute("width", `${100 * (high - low)}%`);
    svg.append(selection);
  });
  svg.addEventListener("pointerup", (event) => {
    if (held === null) return;
    const [low, high] = [held, share(event)].sort((one, other) => one - other);
    held = null;
    selection.remove();
    if (high - low < 0.02) return open(near(event));
    const width = to - from;
    zoom(from + low * width, from + high * width);
  });
  svg.addEventListener("pointercancel", () => { held = null; selection.remove(); });
  svg.addEventListener("pointerleave", () => { if (document.activeElement !== svg) hide(); });
  svg.addEventListener("blur", hide);

  const keys = {
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => go(last),
    Enter: () => chosen >= 0 && open(chosen), "+": acts.in, "=": acts.in, "-": acts.out, 0: acts.all, Escape: acts.all,
  };
  function step(by) {
    go(Math.max(0, Math.min(last, (chosen < 0 ? (by > 0 ? from - 1 : to + 1) : chosen) + by)));
  }
  function go(next) {
    if (next < from) zoom(next, next + to - from);
    if (next > to) zoom(next - (to - from), next);
    show(next);
  }
  svg.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });

  svg.setAttribute("tabindex", "0");
  svg.setAttribute("role", "application");
  svg.setAttribute("aria-roledescription", "chart");
  svg.dataset.keys = "";
  tip.setAttribute("role", "status");
  for (const element of figure.querySelectorAll("[data-zoom], [data-hint]")) element.hidden = false;
  figure.querySelector("[data-zoom]").addEventListener("click", (event) => acts[event.target.dataset.do]?.());
})();
