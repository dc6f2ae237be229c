// Quantities against N, on log-log axes where a power of N is a straight line.

/** Points of a quantity: [N, value] by case; null where it is not known or q_len != kv_len. */
function growthPoints(quantity, key) {
  return index => {
    const c = view.cases[index], value = c[quantity] && c[quantity][key];
    return c.n && value > 0 ? [c.n, value] : null;
  };
}

/** Faint lines of slope one and two, to hold the series against. */
function drawSlopes(chart, x, y) {
  const { frame, svg } = chart;
  for (const [power, text] of [[1, "\u221d N"], [2, "\u221d N\u00b2"]]) {
    const origin = y.low * 1.15;
    const value = n => origin * (n / x.low) ** power;
    const end = Math.min(x.high, x.low * (y.high / origin) ** (1 / power));
    add(svg, "line", { x1: x(x.low), y1: y(value(x.low)), x2: x(end), y2: y(value(end)), stroke: "var(--muted)", "stroke-width": 1, "stroke-dasharray": "1 5", "stroke-linecap": "round" });
    const at = x.low * (end / x.low) ** 0.9;
    const box = { left: x(at) - 18, right: x(at) + 18, top: y(value(at)) - 8, bottom: y(value(at)) + 8 };
    if (box.right > frame.right) continue;
    chart.taken.push(box);
    add(svg, "text", { class: "backed", x: x(at), y: y(value(at)) + 4, "text-anchor": "middle" }, text);
  }
}

function drawGrowth(parent, quantityId, ratio) {
  const quantity = view.quantities.find(q => q.id === quantityId);
  const shown = growthPoints(quantityId, "value"), model = growthPoints(quantityId, "model");
  const all = view.series.flatMap(s => s.cases).flatMap(i => [shown(i), model(i)]).filter(Boolean);
  const names = Math.max(...view.series.map(s => seriesName(s).length));
  const chart = openChart(parent, ratio, 14 + (parent.clientWidth < 400 ? 5.3 : 6.2) * Math.max(names, 4), quantity.name + " against N");
  const { frame, svg } = chart;
  if (all.length === 0) {
    add(svg, "text", { class: "title", x: chart.width / 2, y: chart.height / 2, "text-anchor": "middle" }, "Not known here");
    return;
  }
  const ns = all.map(p => p[0]), values = all.map(p => p[1]);
  const roof = quantity.roof && mainOf(view.compute);
  if (roof) values.push(roof.value);
  const x = logScale(Math.min(...ns) / 1.35, Math.max(...ns) * 1.35, frame.left, frame.right);
  const y = logScale(Math.min(...values) / 1.9, Math.max(...values) * 1.7, frame.bottom, frame.top);
  drawGrid(chart, x, y, lengthTicks(x.low, x.high), "N", quantity.title, shortLength, value => tick(value, ""));
  if (quantity.slopes) drawSlopes(chart, x, y);
  if (roof) {
    add(svg, "line", { x1: frame.left, x2: frame.right, y1: y(roof.value), y2: y(roof.value), ...roofStyle(true) });
    add(svg, "text", { class: "roof-label backed", x: frame.left + 8, y: y(roof.value) - 6 }, chart.narrow ? "compute roof" : roof.label);
  }
  drawFrame(chart);
  const pixels = point => point && [x(point[0]), y(point[1])];
  for (const series of view.series) {
    const line = series.cases.filter(switchedOn).map(model).filter(Boolean).map(pixels);
    if (line.length > 1) {
      const group = add(svg, "g", { style: colour(series.kernel) });
      add(group, "polyline", { class: "model", points: line.map(p => p.join()).join(" ") });
    }
  }
  for (const series of view.series)
    drawSeries(chart, series, index => pixels(shown(index)), index => view.cases[index][quantityId].source === "modelled");
  nameSeries(chart);
  answerPointer(chart);
}

/** What a series is called beside its last point: kernel, mask where it varies, the rest. */
function seriesName(series) {
  const shape = view.shapes.length > 1 ? view.shapes[series.shape] + " " : "";
  return (view.kernels[series.kernel].name + " " + shape + series.label).trim();
}

/** Names in the right margin at the height of the last point, 13 pixels apart at least. */
function nameSeries(chart) {
  const last = new Map();
  for (const point of chart.points) last.set(point.series, point);
  const ends = [...last].map(([series, point]) => ({ series, y: point.y })).sort((a, b) => a.y - b.y);
  for (let pass = 0; pass < 20; ++pass)
    for (let i = 1; i < ends.length; ++i) {
      const lack = 13 - (ends[i].y - ends[i - 1].y);
      if (lack > 0) { ends[i].y += lack / 2; ends[i - 1].y -= lack / 2; }
    }
  for (const { series, y } of ends)
    add(chart.svg, "text", { class: "label", style: colour(series.kernel), x: chart.frame.right + 6, y: y + 4 }, seriesName(series));
}
