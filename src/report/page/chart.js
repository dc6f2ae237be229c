// A log-log chart: axes, marks that answer the pointer, and labels that do not overlap.

/** Kept where numbers stay finite; an axis of very many decades has ticks at some of them only. */
function logScale(low, high, from, to) {
  const clamped = value => Math.min(Math.max(value, 1e-290), 1e290);
  low = clamped(low);
  high = Math.max(clamped(high), 1.0001 * low);
  const span = Math.log10(high) - Math.log10(low);
  const scale = value => from + (to - from) * (Math.log10(clamped(value)) - Math.log10(low)) / span;
  scale.low = low;
  scale.high = high;
  scale.ticks = () => {
    const ticks = [], step = Math.max(1, Math.floor(span / 15));
    for (let e = Math.floor(Math.log10(low)); 10 ** e <= high * 1.0001; e += step)
      for (let digit = 1; digit < (step > 1 ? 2 : 10); ++digit) {
        const value = digit * 10 ** e;
        if (value >= low * 0.9999 && value <= high * 1.0001)
          ticks.push({ value, labelled: digit === 1 || (span < 2.2 && (digit === 2 || digit === 5)) });
      }
    return ticks;
  };
  return scale;
}

/** Ticks at powers of two, for N. */
function lengthTicks(low, high) {
  const ticks = [];
  for (let n = 2 ** Math.ceil(Math.log2(low)); n <= high; n *= 2) ticks.push({ value: n, labelled: true });
  return ticks;
}

/** An empty chart of the parent's width; what is drawn into it comes later. */
function openChart(parent, ratio, rightMargin, label) {
  const width = Math.max(280, parent.clientWidth || 800);
  const narrow = width < 560;
  const height = Math.round(Math.min(600, Math.max(340, width * ratio)));
  parent.replaceChildren();
  const svg = add(parent, "svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img", tabindex: "0", "aria-label": label,
  });
  const frame = { left: narrow ? 60 : 68, top: 14, right: width - Math.min(rightMargin, narrow ? 0.36 * width : rightMargin), bottom: height - 46 };
  return { svg, width, height, narrow, frame, taken: [], points: [] };
}

function drawGrid(chart, x, y, xTicks, xTitle, yTitle, xText, yText) {
  const { svg, frame } = chart;
  const line = (x1, y1, x2, y2, strong) =>
    add(svg, "line", { x1, y1, x2, y2, stroke: strong ? "var(--decade)" : "var(--grid)" });
  const every = Math.ceil(xTicks.filter(t => t.labelled).length * 44 / (frame.right - frame.left));
  let labels = 0;
  for (const t of xTicks) {
    line(x(t.value), frame.top, x(t.value), frame.bottom, t.labelled);
    if (t.labelled && labels++ % every === 0)
      add(svg, "text", { x: x(t.value), y: frame.bottom + 17, "text-anchor": "middle" }, xText(t.value));
  }
  for (const t of y.ticks()) {
    line(frame.left, y(t.value), frame.right, y(t.value), t.labelled);
    if (t.labelled)
      add(svg, "text", { x: frame.left - 7, y: y(t.value) + 4, "text-anchor": "end" }, yText(t.value));
  }
  add(svg, "text", { class: "title", x: (frame.left + frame.right) / 2, y: frame.bottom + 38, "text-anchor": "middle" }, xTitle);
  const middle = (frame.top + frame.bottom) / 2;
  add(svg, "text", { class: "title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, yTitle);
}

function drawFrame(chart) {
  const { svg, frame } = chart;
  add(svg, "rect", { x: frame.left, y: frame.top, width: frame.right - frame.left,
    height: frame.bottom - frame.top, fill: "none", stroke: "var(--decade)" });
}

/** Circle, triangle, square, diamond, and round again. */
function mark(parent, x, y, r, shape, attributes) {
  const polygon = points => add(parent, "polygon", { points, ...attributes });
  switch (shape % 4) {
    case 0: return add(parent, "circle", { cx: x, cy: y, r, ...attributes });
    case 1: return polygon(`${x},${y - 1.25 * r} ${x + 1.15 * r},${y + 0.8 * r} ${x - 1.15 * r},${y + 0.8 * r}`);
    case 2: return add(parent, "rect", { x: x - 0.9 * r, y: y - 0.9 * r, width: 1.8 * r, height: 1.8 * r, ...attributes });
    default: return polygon(`${x},${y - 1.3 * r} ${x + 1.3 * r},${y} ${x},${y + 1.3 * r} ${x - 1.3 * r},${y}`);
  }
}

/** One series: a line through its points and a mark at each. `at` gives pixels or null. */
function drawSeries(chart, series, at, hollow) {
  const group = add(chart.svg, "g", { style: colour(series.kernel) });
  const shown = series.cases.filter(switchedOn).map(index => ({ index, at: at(index) })).filter(p => p.at);
  if (shown.length > 1)
    add(group, "polyline", { class: "series", points: shown.map(p => p.at.join()).join(" ") });
  const r = chart.narrow || report.cases.length > 60 ? 4 : 5.5;
  for (const { index, at: [x, y] } of shown) {
    const classes = "mark" + (hollow(index) ? " hollow" : "") + (matches(index) ? "" : " dim");
    mark(group, x, y, r, series.shape, { class: classes, "data-case": index });
    chart.points.push({ index, x, y, r, series });
    chart.taken.push({ left: x - r, right: x + r, top: y - r, bottom: y + r });
  }
  return shown;
}

const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** Text beside a point where nothing else is; left out when there is no such place. */
function placeLabel(chart, point, text, style) {
  const width = 0.58 * 11.5 * text.length, height = 12, gap = point.r + 5;
  const { frame } = chart;
  for (const [dx, dy] of [[1, 0], [-1, 0], [0, -1], [0, 1], [0.8, 0.9], [-0.8, 0.9], [0.8, -0.9], [-0.8, -0.9]]) {
    const cx = point.x + dx * (gap + width / 2), cy = point.y + dy * (gap + height / 2);
    const box = { left: cx - width / 2, right: cx + width / 2, top: cy - height / 2, bottom: cy + height / 2 };
    const inside = box.left > frame.left && box.right < frame.right && box.top > frame.top && box.bottom < frame.bottom;
    if (!inside || chart.taken.some(other => overlap(other, box))) continue;
    chart.taken.push(box);
    add(chart.svg, "text", { class: "label backed", style, x: cx, y: cy + 4, "text-anchor": "middle" }, text);
    return;
  }
}

/** N at the ends of every series, and what sets the series apart. */
function labelEnds(chart) {
  const of = new Map();
  for (const point of chart.points) of.set(point.series, [...(of.get(point.series) || []), point]);
  const length = index => "N=" + view.cases[index].length;
  for (const [series, points] of of) {
    const last = points[points.length - 1];
    placeLabel(chart, last, length(last.index) + (series.label ? " " + series.label : ""), colour(series.kernel));
  }
  for (const [series, points] of of)
    if (points.length > 1) placeLabel(chart, points[0], length(points[0].index), colour(series.kernel));
}

/** The nearest point answers the pointer, a tap and the arrow keys. */
function answerPointer(chart) {
  const { svg, points } = chart;
  let halo = null, current = -1;
  const show = (point, clientX, clientY) => {
    current = points.indexOf(point);
    if (halo) halo.remove();
    halo = add(svg, "circle", { class: "halo", cx: point.x, cy: point.y, r: point.r + 4, style: colour(point.series.kernel) });
    showTip(point.index, clientX, clientY);
    light(point.index);
  };
  const hide = () => {
    if (halo) halo.remove();
    halo = null;
    hideTip();
    light(-1);
  };
  const nearest = event => {
    const box = svg.getBoundingClientRect(), scale = chart.width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    let best = null, least = 40;
    for (const point of points) {
      const distance = Math.hypot(point.x - x, point.y - y);
      if (distance < least) [best, least] = [point, distance];
    }
    return best;
  };
  const follow = event => {
    const point = nearest(event);
    if (point) show(point, event.clientX, event.clientY); else hide();
  };
  svg.addEventListener("pointermove", follow);
  svg.addEventListener("pointerdown", follow);
  svg.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hide(); });
  svg.addEventListener("blur", hide);
  svg.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") hide();
    if (!step || points.length === 0) return;
    event.preventDefault();
    const point = points[(current + step + points.length) % points.length];
    const box = svg.getBoundingClientRect(), scale = box.width / chart.width;
    show(point, box.left + point.x * scale, box.top + point.y * scale);
  });
}
