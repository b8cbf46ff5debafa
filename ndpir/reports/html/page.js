/* The timeline of a report: a canvas that draws, for each track, only what differs by at least a pixel, so that
   a frame costs the same for forty events and for forty thousand. Data: the element #data, as columns. */
"use strict";
(() => {
  const page = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  // ---------------------------------------------------------------- light and dark
  const modes = ["auto", "light", "dark"];
  const switcher = byId("mode");
  let redraw = () => {};
  function setMode(mode) {
    page.dataset.mode = mode;
    switcher.textContent = `Colours: ${mode}`;
    try { localStorage.setItem("ndpir-mode", mode); } catch { /* storage is off; the choice lasts for this page */ }
    redraw();
  }
  switcher.addEventListener("click", () => setMode(modes[(modes.indexOf(page.dataset.mode) + 1) % modes.length]));
  try { setMode(modes.includes(localStorage.getItem("ndpir-mode")) ? localStorage.getItem("ndpir-mode") : "auto"); }
  catch { setMode("auto"); }
  switcher.hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => redraw());

  // ---------------------------------------------------------------- data
  const canvas = byId("slices");
  if (!canvas) return;
  const data = JSON.parse(byId("data").textContent);
  const { names, places, bounds, tracks, rows, reasons } = data;
  const total = rows.start.length;
  const start = Float64Array.from(rows.start);
  const end = Float64Array.from(rows.end);
  const whole = Math.max(data.makespan_ns, 1e-9);
  const onChain = new Uint8Array(total);
  for (const row of data.chain) onChain[row] = 1;

  // Rows of each track in lanes, so that rows of one lane do not overlap; ascending by start.
  const LANES = 6;
  const laneOf = tracks.map(() => []);
  const sorted = Array.from({ length: total }, (_, row) => row).sort((a, b) => start[a] - start[b] || end[a] - end[b]);
  for (const row of sorted) {
    const lanes = laneOf[rows.track[row]];
    let lane = lanes.find((each) => end[each[each.length - 1]] <= start[row] + whole * 1e-12);
    if (!lane) {
      if (lanes.length < LANES) lanes.push(lane = []);
      else lane = lanes[LANES - 1];
    }
    lane.push(row);
  }

  // ---------------------------------------------------------------- numbers as text, as ndp-opt writes them
  const digits = (value) => {
    if (value === Math.round(value) && Math.abs(value) < 1e9) return String(value);
    const short = Number(value.toPrecision(5));
    return Math.abs(short) >= 1e-4 && Math.abs(short) < 1e15 ? String(short) : value.toExponential(4);
  };
  const inUnit = (value, units) => {
    for (const [unit, scale] of units) if (Math.abs(value) >= scale) return `${digits(value / scale)} ${unit}`;
    const [unit, scale] = units[units.length - 1];
    return `${digits(value / scale)} ${unit}`;
  };
  const time = (ns) => inUnit(ns, [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]]);
  const size = (bytes) => inUnit(bytes, [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3], ["B", 1]]);
  const energy = (nj) => inUnit(nj, [["J", 1e9], ["mJ", 1e6], ["uJ", 1e3], ["nJ", 1], ["pJ", 1e-3]]);

  // ---------------------------------------------------------------- drawing
  const LEFT = 128, AXIS = 24, LANE = 22, PAD = 10;
  let tops = [], height = 0;
  {
    let y = AXIS;
    for (const lanes of laneOf) { tops.push(y); y += Math.max(lanes.length, 1) * LANE + PAD; }
    height = y;
  }
  const context = canvas.getContext("2d", { alpha: false });
  const view = { from: 0, to: whole };
  let width = 0, ratio = 1, colours = {}, patterns = [], chosen = -1, track = 0, wanted = null, asked = 0;

  function readColours() {
    const style = getComputedStyle(page);
    const read = (name) => style.getPropertyValue(name).trim();
    colours = {
      ground: read("--ground"), ink: read("--ink"), soft: read("--soft"), faint: read("--faint"), accent: read("--accent"),
      band: read("--band"),
    };
    patterns = bounds.map((_, index) => pattern(read(`--kind-${index % 8}`), index));
  }

  // The hatching of a bound: the same eight as in the legend's CSS, so that it can be told without its colour.
  function pattern(colour, index) {
    const tile = document.createElement("canvas"), side = 8;
    tile.width = tile.height = side * ratio;
    const ink = tile.getContext("2d");
    ink.scale(ratio, ratio);
    ink.fillStyle = colour;
    ink.fillRect(0, 0, side, side);
    ink.strokeStyle = ink.fillStyle = colours.ground;
    ink.globalAlpha = 0.55;
    ink.lineWidth = 1.2;
    const lines = [
      [], [[0, 8, 8, 0], [-2, 2, 2, -2], [6, 10, 10, 6]], [[0, 4, 8, 4]], [[4, 0, 4, 8]],
      [[0, 0, 8, 8], [-2, 6, 2, 10], [6, -2, 10, 2]], [[0, 4, 8, 4], [4, 0, 4, 8]], "dots",
      [[0, 8, 8, 0], [0, 0, 8, 8]],
    ][index % 8];
    if (lines === "dots") { ink.beginPath(); ink.arc(4, 4, 1.4, 0, 7); ink.fill(); }
    else for (const [x, y, u, v] of lines) { ink.beginPath(); ink.moveTo(x, y); ink.lineTo(u, v); ink.stroke(); }
    const made = context.createPattern(tile, "repeat");
    made.setTransform(new DOMMatrix().scale(1 / ratio));
    return made;
  }

  function resize() {
    ratio = Math.min(devicePixelRatio || 1, 3);
    width = Math.max(canvas.parentElement.clientWidth, 320);
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    readColours();
    draw();
    drawOverview();
  }

  const toX = (ns) => LEFT + (ns - view.from) / (view.to - view.from) * (width - LEFT);
  const toTime = (x) => view.from + (x - LEFT) / (width - LEFT) * (view.to - view.from);

  // The first position in a lane whose row ends after `ns`.
  function firstAfter(lane, ns, low = 0) {
    let high = lane.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (end[lane[middle]] > ns) high = middle; else low = middle + 1;
    }
    return low;
  }

  function ticks(from, to, count) {
    const rough = (to - from) / count, unit = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((each) => each * unit).find((each) => each >= rough);
    const found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
    return found;
  }

  // A frame collects rectangles first and fills all of one kind at once: one call for each kind is several times as
  // fast as one for each bar.
  let bars = [], faint = [], marks = [], idles = [], texts = [];

  function draw() {
    asked = 0;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, width, height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    context.fillStyle = colours.soft;
    context.strokeStyle = colours.faint;
    context.textAlign = "center";
    context.beginPath();
    for (const at of ticks(view.from, view.to, Math.max((width - LEFT) / 130, 2))) {
      const x = Math.round(toX(at)) + 0.5;
      context.moveTo(x, AXIS - 6); context.lineTo(x, height);
      context.fillText(time(at), Math.min(x, width - 30), AXIS / 2);
    }
    context.stroke();
    context.textAlign = "left";
    bars = bounds.map(() => []); faint = bounds.map(() => []);
    marks = []; idles = []; texts = [];
    const perPixel = (view.to - view.from) / (width - LEFT);
    tracks.forEach((each, index) => {
      const lanes = laneOf[index], top = tops[index];
      if (index === track && document.activeElement === canvas) {
        context.fillStyle = colours.band;
        context.fillRect(0, top - PAD / 2, width, Math.max(lanes.length, 1) * LANE + PAD);
      }
      lanes.forEach((lane, number) => drawLane(lane, top + number * LANE, perPixel));
      context.fillStyle = colours.ink;
      context.fillText(each.label, 4, top + LANE / 2, LEFT - 12);
    });
    context.strokeStyle = colours.soft;
    context.setLineDash([2, 3]);
    context.beginPath();
    for (const [from, to, y] of idles) { context.moveTo(from, y); context.lineTo(to, y); }
    context.stroke();
    context.setLineDash([]);
    bars.forEach((each, bound) => fill(each, patterns[bound], LANE - 4));
    context.globalAlpha = 0.15;
    faint.forEach((each, bound) => fill(each, patterns[bound], LANE - 4));
    context.globalAlpha = 1;
    fill(marks, colours.accent, 3);
    for (const [text, x, y, ink] of texts) {
      context.fillStyle = colours.ground;
      context.fillRect(x - 2, y + 2, measured(text) + 4, LANE - 8);
      context.fillStyle = ink;
      context.fillText(text, x, y + (LANE - 4) / 2 + 0.5);
    }
    if (chosen >= 0 && end[chosen] >= view.from && start[chosen] <= view.to) {
      const index = rows.track[chosen], number = laneOf[index].findIndex((lane) => lane.includes(chosen));
      const x = Math.max(toX(start[chosen]), LEFT), right = Math.max(toX(end[chosen]), x + 2);
      context.strokeStyle = colours.ink; context.lineWidth = 2;
      context.strokeRect(x, tops[index] + number * LANE - 1, Math.min(right, width + 4) - x, LANE - 2);
      context.lineWidth = 1;
    }
  }

  // Fill rectangles, as left, top and width, one after another in an array.
  function fill(flat, style, tall) {
    if (!flat.length) return;
    context.fillStyle = style;
    context.beginPath();
    for (let at = 0; at < flat.length; at += 3) context.rect(flat[at], flat[at + 1], flat[at + 2], tall);
    context.fill();
  }

  function drawLane(lane, top, perPixel) {
    let place = firstAfter(lane, view.from), before = place ? end[lane[place - 1]] : 0;
    while (place < lane.length) {
      const row = lane[place];
      if (start[row] > view.to) break;
      const x = Math.max(toX(start[row]), LEFT), right = Math.min(toX(end[row]), width);
      const into = wanted === null || wanted.has(rows.name[row]) ? bars : faint;
      if (x - toX(before) > 12 && rows.reason[row]) idle(row, Math.max(toX(before), LEFT), x, top);
      if (right - x < 1) {  // all rows that end within this pixel are drawn as one
        const next = firstAfter(lane, start[row] + perPixel, place + 1), at = Math.floor(x);
        let chain = onChain[row];
        for (let each = place; !chain && each < Math.min(next, place + 8); each++) chain = onChain[lane[each]];
        into[rows.bound[row]].push(at, top, 1);
        if (chain) marks.push(at, top - 3, 1);
        before = end[lane[next - 1]];
        place = next;
        continue;
      }
      const wide = Math.max(right - x - (right - x > 3 ? 1 : 0), 1);
      into[rows.bound[row]].push(x, top, wide);
      if (onChain[row]) marks.push(x, top - 3, wide);
      if (right - x > 34) label(names[rows.name[row]], x + 5, right - x - 10, top, colours.ink);
      before = end[row];
      place++;
    }
  }

  function idle(row, from, to, top) {
    idles.push([from + 1, to - 1, top + (LANE - 4) / 2]);
    const text = to - from > 60 ? clipped(shortReason(row), to - from - 14) : "";
    if (text) texts.push([text, (from + to - measured(text)) / 2, top, colours.soft]);
  }

  const widths = new Map();
  const measured = (text) => {
    let found = widths.get(text);
    if (found === undefined) widths.set(text, found = context.measureText(text).width);
    return found;
  };
  function clipped(text, room) {
    if (measured(text) <= room) return text;
    const count = Math.floor(text.length * room / measured(text)) - 2;
    return count < 3 ? "" : `${text.slice(0, count)}…`;
  }
  function label(text, x, room, top, ink) {
    const shown = clipped(text, room);
    if (shown) texts.push([shown, x, top, ink]);
  }

  // ---------------------------------------------------------------- overview: the whole run, and the part in view
  const overview = byId("overview"), lens = byId("lens");
  function drawOverview() {
    const ink = overview.getContext("2d"), wide = Math.max(overview.clientWidth, 1), tall = overview.clientHeight;
    overview.width = wide * ratio; overview.height = tall * ratio;
    ink.setTransform(ratio, 0, 0, ratio, 0, 0);
    const each = tall / tracks.length;
    const style = getComputedStyle(page);
    laneOf.forEach((lanes, index) => {
      for (const lane of lanes) {
        let place = 0;
        while (place < lane.length) {
          const row = lane[place], x = start[row] / whole * wide, right = end[row] / whole * wide;
          ink.fillStyle = style.getPropertyValue(`--kind-${rows.bound[row] % 8}`);
          ink.fillRect(x, index * each + 1, Math.max(right - x, 0.7), each - 2);
          place = right - x < 0.7 ? Math.max(firstAfter(lane, start[row] + 0.7 / wide * whole), place + 1) : place + 1;
        }
      }
    });
    moveLens();
  }
  function moveLens() {
    const wide = `${Math.max((view.to - view.from) / whole * 100, 0.3)}%`;
    if (lens.style.width !== wide) lens.style.width = wide;
    lens.style.transform = `translateX(${view.from / whole * overview.clientWidth}px)`;
  }

  // ---------------------------------------------------------------- moving
  function show(from, to) {
    const least = Math.max(whole * 1e-7, 1e-3);
    const span = Math.min(Math.max(to - from, least), whole);
    const at = Math.min(Math.max(from, 0), whole - span);
    view.from = at; view.to = at + span;
    moveLens();
    later();
  }
  function later() { if (!asked) asked = requestAnimationFrame(draw); }
  redraw = () => { readColours(); later(); drawOverview(); };
  const span = () => view.to - view.from;
  const pan = (part) => show(view.from + span() * part, view.to + span() * part);
  function zoom(factor, at = (view.from + view.to) / 2) {
    show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  }

  canvas.addEventListener("wheel", (event) => {
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) { event.preventDefault(); pan(event.deltaX / width); return; }
    if (!event.ctrlKey && document.activeElement !== canvas) return;  // the page scrolls, until the timeline is chosen
    event.preventDefault();
    zoom(1.0015 ** event.deltaY, toTime(Math.max(event.offsetX, LEFT)));
  }, { passive: false });

  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.offsetX, from: view.from, to: view.to, moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held) {
      const by = (held.x - event.offsetX) / (width - LEFT) * (held.to - held.from);
      if (Math.abs(held.x - event.offsetX) > 3) held.moved = true;
      if (held.moved) show(held.from + by, held.to + by);
      return;
    }
    const row = rowAt(event.offsetX, event.offsetY);
    canvas.style.cursor = row < 0 ? "grab" : "pointer";
    canvas.title = row < 0 ? "" : `${names[rows.name[row]]}: ${time(end[row] - start[row])}; ${reason(row)}`;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (held && !held.moved) {
      const row = rowAt(event.offsetX, event.offsetY);
      if (row >= 0) { track = rows.track[row]; choose(row); } else later();
    }
    held = null;
  });
  canvas.addEventListener("pointercancel", () => { held = null; });
  canvas.addEventListener("dblclick", () => { if (chosen >= 0) focusRow(chosen); });

  function rowAt(x, y) {
    if (x < LEFT) return -1;
    const at = toTime(x), near = span() / (width - LEFT) * 2;
    for (let index = 0; index < tracks.length; index++) {
      const number = Math.floor((y - tops[index]) / LANE);
      const lane = laneOf[index][number];
      if (y < tops[index] || !lane) continue;
      const place = firstAfter(lane, at - near);
      // A gap belongs to the row after it, which waits there.
      return place < lane.length && (start[lane[place]] <= at + near || rows.reason[lane[place]]) ? lane[place] : -1;
    }
    return -1;
  }

  // ---------------------------------------------------------------- details of a row
  const details = byId("details");
  const nameOf = (row) => `${names[rows.name[row]]} on ${tracks[rows.track[row]].label}`;
  function reason(row) {
    const kind = reasons[rows.reason[row]], cause = rows.cause[row];
    switch (kind) {
      case "data": return `waits for the data of ${nameOf(cause)}`;
      case "device": return `waits until ${tracks[rows.track[row]].label} is free, after ${names[rows.name[cause]]}`;
      case "exclusion": return `waits for ${nameOf(cause)}, which must not run at the same time`;
      case "queue": return "waits for an earlier task of its queue to start";
      case "memory": return "waits for bytes in memory";
      case "start": return "starts at once";
      default: return "";
    }
  }
  function shortReason(row) {
    const kind = reasons[rows.reason[row]], cause = rows.cause[row];
    if (kind === "data" || kind === "exclusion") return `waits for ${names[rows.name[cause]]}`;
    return kind === "memory" ? "waits for memory" : kind === "queue" ? "waits for its queue" : "";
  }
  function choose(row) {
    chosen = row;
    const lasted = end[row] - start[row];
    const cells = [
      ["Task", names[rows.name[row]]], ["On", tracks[rows.track[row]].label],
      ["Time", `${time(start[row])} to ${time(end[row])}: ${time(lasted)}`],
      ["Limited by", bounds[rows.bound[row]] || "–"],
      ["Starts", reason(row) + (rows.idle[row] ? ` (${tracks[rows.track[row]].label} is idle for ${time(rows.idle[row])})` : "")],
      ["Bytes", size(rows.bytes[row])], ["Energy", energy(rows.energy[row])],
      ["Sets the makespan", onChain[row] ? "yes, it is on the chain that ends last" : "no"],
      ["Source", places[rows.place[row]] || "–"],
    ];
    if (rows.times[row] > 1) cells.push(["Iterations", `${rows.times[row]}; times are those of the first one`]);
    details.replaceChildren(...cells.flatMap(([term, text]) => {
      const dt = document.createElement("dt"), dd = document.createElement("dd");
      dt.textContent = term; dd.textContent = text;
      return [dt, dd];
    }));
    const cause = rows.cause[row];
    byId("cause").disabled = cause < 0;
    later();
  }
  function focusRow(row) {
    const lasted = Math.max(end[row] - start[row], whole * 1e-6);
    track = rows.track[row];
    show(start[row] - lasted * 2, end[row] + lasted * 2);
    choose(row);
  }
  function reveal(row) {
    track = rows.track[row];
    if (end[row] < view.from || start[row] > view.to) {
      const half = span() / 2, at = (start[row] + end[row]) / 2;
      show(at - half, at + half);
    }
    choose(row);
  }
  function followCause() { if (chosen >= 0 && rows.cause[chosen] >= 0) reveal(rows.cause[chosen]); }
  byId("cause").addEventListener("click", followCause);

  const inOrder = tracks.map((_, index) => sorted.filter((row) => rows.track[row] === index));
  function step(by) {
    const mine = inOrder[track];
    if (!mine.length) return;
    let place = chosen >= 0 && rows.track[chosen] === track ? mine.indexOf(chosen) + by : -1;
    if (place < 0 && by > 0) place = mine.findIndex((row) => end[row] > view.from);
    reveal(mine[Math.min(Math.max(place, 0), mine.length - 1)]);
  }

  const keys = {
    ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15),
    ArrowUp: () => { track = Math.max(track - 1, 0); step(0); },
    ArrowDown: () => { track = Math.min(track + 1, tracks.length - 1); step(0); },
    "+": () => zoom(1 / 1.5), "=": () => zoom(1 / 1.5), "-": () => zoom(1.5), "0": () => show(0, whole),
    Home: () => show(0, span()), End: () => show(whole - span(), whole),
    n: () => step(1), p: () => step(-1), c: followCause, Enter: () => { if (chosen >= 0) focusRow(chosen); },
    Escape: () => { chosen = -1; details.replaceChildren(); byId("cause").disabled = true; later(); },
  };
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
  canvas.addEventListener("focus", later);
  canvas.addEventListener("blur", later);
  for (const [id, act] of [["in", "+"], ["out", "-"], ["all", "0"], ["earlier", "ArrowLeft"], ["later", "ArrowRight"]])
    byId(id).addEventListener("click", keys[act]);

  const find = byId("find"), count = byId("found");
  find.addEventListener("input", () => {
    const word = find.value.trim().toLowerCase();
    wanted = word ? new Set(names.flatMap((name, index) => name.toLowerCase().includes(word) ? [index] : [])) : null;
    const number = wanted ? rows.name.reduce((sum, name) => sum + wanted.has(name), 0) : 0;
    count.textContent = wanted ? `${number} found` : "";
    later();
  });
  find.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !wanted || !wanted.size) return;
    const after = sorted.indexOf(chosen), hits = sorted.filter((row) => wanted.has(rows.name[row]));
    focusRow(hits.find((row) => sorted.indexOf(row) > after) ?? hits[0]);
  });

  let sliding = false;
  const slide = (event) => {
    const at = event.offsetX / overview.clientWidth * whole;
    show(at - span() / 2, at + span() / 2);
  };
  overview.addEventListener("pointerdown", (event) => {
    sliding = true; overview.setPointerCapture(event.pointerId); slide(event);
  });
  overview.addEventListener("pointermove", (event) => { if (sliding) slide(event); });
  overview.addEventListener("pointerup", () => { sliding = false; });

  // A node of the graph shows its first task in the timeline.
  for (const node of document.querySelectorAll("[data-row]")) {
    const open = () => {
      canvas.scrollIntoView({ block: "center", behavior: still.matches ? "auto" : "smooth" });
      canvas.focus({ preventScroll: true });
      focusRow(Number(node.dataset.row));
    };
    node.addEventListener("click", open);
    node.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
  }

  // Print in light colours, and the whole run.
  let before = null;
  addEventListener("beforeprint", () => {
    before = [page.dataset.mode, view.from, view.to];
    page.dataset.mode = "light";
    view.from = 0; view.to = whole;
    resize();
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    [page.dataset.mode, view.from, view.to] = before;
    resize();
  });

  new ResizeObserver(resize).observe(canvas.parentElement);
  byId("controls").hidden = false;
  resize();
  window.report = { view, show, draw, whole, choose, rows: total, chosen: () => chosen, track: () => track };
})();
