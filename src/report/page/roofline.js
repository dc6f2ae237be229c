// The roofline: ceilings, the region under them, and the cases.

/** Range of the axes: the points, the ridges and a little room. Fixed while switches move. */
function rooflineRange(level, indices) {
  const xs = [], ys = [];
  for (const index of indices) {
    const p = view.cases[index].levels[view.levels.indexOf(level)];
    if (p) { xs.push(p.intensity); ys.push(p.flops_per_s); }
  }
  const top = Math.max(0, ...view.compute.map(roof => roof.value));
  for (const roof of level.roofs) if (roof.main && top) xs.push(top / roof.value);
  if (xs.length === 0) xs.push(1, 1000);
  if (ys.length === 0) ys.push(top ? top / 1000 : 1e9);
  if (top) ys.push(top);
  const xr = [Math.min(...xs) / 2.2, Math.max(...xs) * 2.2];
  const yr = [Math.min(...ys) / 2.2, Math.max(...ys) * 1.7];
  return { x: xr, y: yr };
}

const mainOf = roofs => roofs.find(roof => roof.main);

/** What no kernel can reach is grey. */
function drawAbove(chart, x, y, memory, compute) {
  if (!memory || !compute) return;
  const { frame, svg } = chart;
  const start = Math.max(x.low, y.low / memory.value), ridge = compute.value / memory.value;
  if (ridge <= start || ridge >= x.high) return;
  const points = [[frame.left, frame.top], [frame.left, y(y.low)], [x(start), y(start * memory.value)],
    [x(ridge), y(compute.value)], [frame.right, y(compute.value)], [frame.right, frame.top]];
  add(svg, "polygon", { points: points.map(p => p.join()).join(" "), fill: "var(--above)" });
}

const roofStyle = main => main ? { stroke: "var(--ink)", "stroke-width": 2.2 }
                               : { stroke: "var(--muted)", "stroke-width": 1.2, "stroke-dasharray": "5 4" };

function drawMemoryRoof(chart, x, y, roof, top) {
  const start = Math.max(x.low, y.low / roof.value), end = Math.min(x.high, top / roof.value);
  if (start >= end) return;
  const x1 = x(start), y1 = y(start * roof.value), x2 = x(end), y2 = y(end * roof.value);
  add(chart.svg, "line", { x1, y1, x2, y2, "stroke-linecap": "round", ...roofStyle(roof.main) });
  for (let t = 0; t <= 1; t += 0.02) {
    const cx = x1 + t * (x2 - x1), cy = y1 + t * (y2 - y1);
    chart.taken.push({ left: cx - 2, right: cx + 2, top: cy - 2, bottom: cy + 2 });
  }
  const length = Math.hypot(x2 - x1, y2 - y1), width = 0.6 * 12 * roof.label.length;
  if (width + 20 > length) return;
  const angle = Math.atan2(y2 - y1, x2 - x1), along = Math.min(20, length - width - 8);
  const fx = x1 + along * Math.cos(angle) + 7 * Math.sin(angle), fy = y1 + along * Math.sin(angle) - 7 * Math.cos(angle);
  add(chart.svg, "text", { class: "roof-label", x: fx, y: fy, transform: `rotate(${angle * 57.29578} ${fx} ${fy})` }, roof.label);
  for (let step = 0; step < width; step += 6) {
    const cx = fx + step * Math.cos(angle) + 5 * Math.sin(angle), cy = fy + step * Math.sin(angle) - 5 * Math.cos(angle);
    chart.taken.push({ left: cx - 7, right: cx + 7, top: cy - 7, bottom: cy + 7 });
  }
}

/** Labels stand in the right margin; on a narrow page above the line, the main roof alone. */
function drawComputeRoof(chart, x, y, roof, memory, labels) {
  const { frame, svg } = chart;
  if (roof.value < y.low || roof.value > y.high) return;
  const start = memory ? Math.max(x.low, roof.value / memory.value) : x.low;
  const py = y(roof.value), left = x(Math.min(start, x.high));
  add(svg, "line", { x1: left, y1: py, x2: frame.right, y2: py, ...roofStyle(roof.main) });
  chart.taken.push({ left, right: frame.right, top: py - 2, bottom: py + 2 });
  if (chart.narrow) {
    if (!roof.main) return;
    add(svg, "text", { class: "roof-label backed", x: frame.right - 4, y: py - 6, "text-anchor": "end" }, roof.label);
    chart.taken.push({ left: frame.right - 7 * roof.label.length, right: frame.right, top: py - 18, bottom: py });
    return;
  }
  labels.y = Math.max(labels.y + 15, py + 4);
  add(svg, "line", { x1: frame.right, y1: py, x2: frame.right + 6, y2: labels.y - 4, stroke: "var(--muted)" });
  add(svg, "text", { class: roof.main ? "roof-label" : "", x: frame.right + 9, y: labels.y }, roof.label);
}

function drawRidge(chart, x, y, memory, compute) {
  if (!memory || !compute) return;
  const { frame, svg } = chart, ridge = compute.value / memory.value;
  if (ridge <= x.low || ridge >= x.high) return;
  const px = x(ridge), base = frame.bottom - 8;
  add(svg, "line", { x1: px, y1: y(compute.value), x2: px, y2: frame.bottom, stroke: "var(--muted)", "stroke-dasharray": "2 4" });
  const write = (at, anchor, long, short) => {
    const room = anchor === "end" ? px - frame.left : frame.right - px;
    const text = 6.6 * long.length + 12 < room ? long : short;
    if (6.6 * text.length + 12 > room) return;
    add(svg, "text", { x: at, y: base, "text-anchor": anchor }, text);
    const width = 6.6 * text.length;
    chart.taken.push(anchor === "end" ? { left: at - width, right: at, top: base - 12, bottom: base + 4 }
                                      : { left: at, right: at + width, top: base - 12, bottom: base + 4 });
  };
  write(px - 8, "end", "memory-bound", "memory");
  write(px + 8, "start", `compute-bound from ${significant(ridge)} FLOP/byte`, "compute");
}

/** Draws the cases of `kernels` (all when not given) under the roofs of a level. */
function drawRoofline(parent, levelIndex, ratio, kernels) {
  const level = view.levels[levelIndex];
  const wanted = view.series.filter(s => !kernels || kernels.includes(view.kernels[s.kernel].name));
  const range = rooflineRange(level, wanted.flatMap(s => s.cases));
  const margin = Math.max(90, ...view.compute.map(roof => 7.3 * roof.label.length + 22));
  const narrow = parent.clientWidth < 560;
  const chart = openChart(parent, ratio, narrow ? 10 : Math.min(margin, 210), "Roofline of " + view.title);
  const { frame } = chart;
  const x = logScale(...range.x, frame.left, frame.right), y = logScale(...range.y, frame.bottom, frame.top);
  const memory = mainOf(level.roofs), compute = mainOf(view.compute);
  drawAbove(chart, x, y, memory, compute);
  drawGrid(chart, x, y, x.ticks(), `${narrow ? "" : "Arithmetic intensity, "}FLOP per byte of ${level.name}`, "Useful FLOP/s",
           value => String(Number(value.toPrecision(6))), value => tick(value, ""));
  drawRidge(chart, x, y, memory, compute);
  const labels = { y: 0 };
  for (const roof of view.compute) drawComputeRoof(chart, x, y, roof, memory, labels);
  for (const roof of level.roofs) drawMemoryRoof(chart, x, y, roof, compute ? compute.value : y.high);
  drawFrame(chart);
  for (const series of wanted)
    drawSeries(chart, series, index => {
      const p = view.cases[index].levels[levelIndex];
      return p ? [x(p.intensity), y(p.flops_per_s)] : null;
    }, index => view.cases[index].levels[levelIndex].source !== "counted");
  labelEnds(chart);
  if (chart.points.length === 0)
    add(chart.svg, "text", { class: "title", x: (frame.left + frame.right) / 2, y: (frame.top + frame.bottom) / 2, "text-anchor": "middle" },
        view.series.length ? "No case passes the filters" : "No case gave a point");
  answerPointer(chart);
}

function drawLegend() {
  const legend = byId("legend");
  const entry = (shape, classes, text, style) => {
    const item = add(legend, "span", style ? { style } : {});
    const svg = add(item, "svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
    mark(svg, 7, 7, 5, shape, { class: "mark " + classes, ...(style ? { fill: "var(--c)", style: "fill: var(--c)" } : {}) });
    item.append(text);
  };
  view.kernels.forEach((kernel, i) => entry(0, "", kernel.name + (kernel.variant ? ` (${kernel.variant})` : ""), colour(i)));
  if (view.shapes.length > 1) view.shapes.forEach((shape, i) => entry(i, "", shape + " mask"));
  if (view.modelled && view.counted) entry(0, "", "counted bytes");
  if (view.modelled) entry(0, "hollow", "modelled bytes");
}
