// The table of cases: sorts, filters, and opens a row to all that is known of a case.

const columns = [
  ...view.axes.filter(a => a.values.length > 1 && a.id !== "kernel")
    .map(a => ({ key: a.id, head: a.name, value: i => view.cases[i].axes[a.id], numeric: a.numeric })),
  { key: "n", head: "N", numeric: true, value: i => view.cases[i].pairs, text: i => view.cases[i].length },
  { key: "kernel", head: "kernel", value: i => view.cases[i].axes.kernel },
  { key: "time", head: "time", numeric: true, value: i => report.cases[i].time?.median_s,
    text: i => si(report.cases[i].time.median_s, "s") + (report.cases[i].warnings.length ? " !" : "") },
  { key: "speed", head: "FLOP/s", numeric: true, minor: true, value: i => at(i)?.flops_per_s, text: i => si(at(i).flops_per_s, "") },
  { key: "bytes", head: () => view.levels[state.level].name + " bytes", numeric: true, minor: true, value: i => at(i)?.bytes,
    text: i => spoken(at(i).bytes, "byte") + (at(i).source === "modelled" ? "*" : "") },
  { key: "intensity", head: "FLOP/byte", numeric: true, minor: true, value: i => at(i)?.intensity, text: i => significant(at(i).intensity) },
  { key: "fraction", head: "of roof", numeric: true, value: i => at(i)?.fraction, text: i => percent(at(i).fraction), bar: true },
  { key: "ceiling", head: "roof", minor: true, value: i => at(i)?.roof },
  { key: "bound", head: "bound", value: i => at(i)?.bound },
];

/** The case's point at the level that is shown. */
function at(index) {
  return view.cases[index].levels[state.level];
}

function drawHead() {
  const row = byId("cases").querySelector("thead");
  row.replaceChildren();
  const line = add(row, "tr");
  for (const column of columns) {
    const classes = (column.numeric ? "number " : "") + (column.minor ? "minor" : "");
    const head = add(line, "th", { scope: "col", class: classes });
    if (state.sort.key === column.key) head.setAttribute("aria-sort", state.sort.down ? "descending" : "ascending");
    const button = add(head, "button", { type: "button", "data-sort": column.key },
                       typeof column.head === "function" ? column.head() : column.head);
    button.addEventListener("click", () => {
      state.sort = { key: column.key, down: state.sort.key === column.key && !state.sort.down };
      changed();
      byId("cases").querySelector(`[data-sort="${column.key}"]`).focus();
    });
  }
}

/** Indices in the order asked for; what has no value comes last either way. */
function sorted(indices) {
  const column = columns.find(c => c.key === state.sort.key);
  if (!column) return indices;
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
  return [...indices].sort((i, j) => {
    const a = column.value(i), b = column.value(j), none = v => v === undefined || v === null;
    if (none(a) || none(b)) return none(a) - none(b);
    return state.sort.down ? compare(b, a) : compare(a, b);
  });
}

function drawRow(body, index) {
  const c = report.cases[index];
  const row = add(body, "tr", { class: "row", tabindex: "0", style: colour(view.cases[index].kernel), "data-case": index,
                                "aria-expanded": state.open.has(index) });
  for (const column of columns) {
    const value = column.value(index);
    const known = value !== undefined && value !== null;
    if (column.key === "time" && c.status !== "ok") {
      const left = columns.length - columns.indexOf(column);
      add(row, "td", { class: "reason" + (c.status === "wrong" || c.status === "failed" ? " bad" : ""), colspan: left }, `${c.status}: ${c.reason}`);
      break;
    }
    const cell = add(row, "td", { class: (column.numeric ? "number " : "") + (column.minor ? "minor" : "") },
                     known ? (column.text ? column.text(index) : value) : "");
    if (column.bar && known)
      add(add(cell, "span", { class: "bar minor", "aria-hidden": "true" }), "i", { style: `width: ${Math.min(100, 100 * value)}%` });
  }
  const toggle = () => { if (!state.open.delete(index)) state.open.add(index); changed(); };
  row.addEventListener("click", toggle);
  row.addEventListener("keydown", event => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle();
    byId("cases").querySelector(`.row[data-case="${index}"]`).focus();
  });
  if (state.open.has(index)) drawDetail(body, index);
}

function counterText(counter) {
  if (counter.value === null) return "not known: " + counter.reason;
  return `${spoken(counter.value, counter.unit)} (${counter.source}, ${counter.metric})`;
}

function drawDetail(body, index) {
  const c = report.cases[index];
  const cell = add(add(body, "tr", { class: "detail" }), "td", { colspan: columns.length });
  const list = add(cell, "dl", { class: "facts wide" });
  fact(list, "case", c.id);
  fact(list, "kernel", c.kernel.name + (c.kernel.variant ? " (" + c.kernel.variant + ")" : ""));
  fact(list, "reason", c.reason);
  const t = c.time;
  if (t) {
    fact(list, "median", `${si(t.median_s, "s")} (95 %: ${si(t.ci95_s[0], "s")} to ${si(t.ci95_s[1], "s")}, ${t.samples_s.length} samples)`);
    fact(list, "clock", t.sm_clock_mhz === null ? null : t.sm_clock_mhz + " MHz" + (t.throttled ? ", throttled" : ""));
  }
  fact(list, "useful FLOPs", si(c.model.useful_flops, "FLOP") + " (modelled)");
  fact(list, "model bytes", spoken(c.model.hbm_bytes, "byte") + " (modelled)");
  fact(list, "footprint", spoken(c.model.footprint_bytes, "byte") + " (modelled)");
  if (c.executed.flops !== null)
    fact(list, "executed", `${si(c.executed.flops, "FLOP")} (counted), ${percent(c.executed.useful_per_executed)} useful`);
  for (const [name, counter] of Object.entries(c.counters)) fact(list, name, counterText(counter));
  for (const step of c.steps || [])
    for (const name of ["hbm_read_bytes", "hbm_write_bytes"])
      if (step.counters[name]) fact(list, step.name + " " + name, counterText(step.counters[name]));
  if (c.check)
    fact(list, "check", `largest error ${c.check.max_abs_error.toPrecision(2)}, ${percent(c.check.worst_ratio)} of its bound, ${c.check.rows} rows against fp64`);
  for (const warning of c.warnings) fact(list, "warning", warning);
}

function drawTable() {
  drawHead();
  const body = byId("cases").querySelector("tbody");
  body.replaceChildren();
  const indices = sorted(view.cases.map((_, i) => i).filter(visible));
  for (const index of indices) drawRow(body, index);
  byId("shown").textContent = indices.length === view.cases.length ? view.tally : `${indices.length} of ${view.cases.length} cases`;
}

/** The row of the case that the pointer is on in a chart; -1 for none. */
function light(index) {
  for (const row of byId("cases").querySelectorAll(".row"))
    row.classList.toggle("lit", Number(row.dataset.case) === index);
}
