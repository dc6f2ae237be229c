// What does not move: notices, findings, the lesson, ceilings, the machine.

function drawNotices() {
  const notice = text => add(byId("notices"), "p", { class: "notice" }, text);
  if (!report.complete) notice("Incomplete: the sweep ended before its last case.");
  if (report.counters.closed_gate)
    notice(`No counters, bytes are those of the model: ${report.counters.closed_gate}; ${report.counters.remedy}`);
  const shown = 3, lines = view.warnings.map(({ text, cases }) => `${cases}: ${text}`);
  lines.slice(0, shown).forEach(notice);
  if (lines.length <= shown) return;
  const more = add(byId("notices"), "details", { class: "notice" });
  add(more, "summary", {}, `${lines.length - shown} more warnings`);
  for (const line of lines.slice(shown)) add(more, "p", {}, line);
}

/** A finding in the colour of the kernel that it begins with. */
function drawFinding(list, finding) {
  const kernel = view.kernels.findIndex(k => finding.text.startsWith(k.name + ":"));
  addRaised(list, "li", kernel < 0 ? {} : { style: colour(kernel) }, finding.text);
}

function drawFindings() {
  const list = byId("findings").querySelector("ul");
  for (const finding of report.findings) drawFinding(list, finding);
  if (report.findings.length === 0) add(list, "li", {}, "This report holds no findings.");
}

/** Each step of the lesson beside its chart; returns what redraws the charts. */
function drawLesson() {
  const section = byId("lesson"), charts = [];
  section.hidden = view.lesson.length === 0;
  view.lesson.forEach((step, i) => {
    const card = add(section, "div", { class: "card step" });
    const words = add(card, "div");
    add(words, "div", { class: "count" }, `${i + 1} of ${view.lesson.length}`);
    add(words, "h3", {}, step.title);
    addRaised(words, "p", {}, step.claim);
    addRaised(words, "p", { class: "verdict" }, step.verdict);
    const list = add(words, "ul");
    for (const index of step.findings) drawFinding(list, report.findings[index]);
    const chart = add(card, "div", { class: "chart" });
    charts.push(() => step.chart === "roofline" ? drawRoofline(chart, 0, 0.72, ["naive"])
                                                : drawGrowth(chart, step.chart, 0.66));
  });
  return () => charts.forEach(draw => draw());
}

function drawCeilings() {
  const list = add(byId("ceilings"), "dl", { class: "facts" });
  for (const c of report.ceilings) {
    const notes = [c.source, c.mode, c.source !== "measured" ? null : `spread ${(100 * c.spread).toFixed(1)} %`,
                   c.clock_mhz === null ? null : `${c.clock_mhz} MHz`];
    fact(list, c.id, `${spoken(c.value, c.unit)} (${notes.filter(Boolean).join(", ")})`);
  }
  if (report.ceilings.length === 0) add(byId("ceilings"), "p", {}, "None was measured.");
}

function drawMachine() {
  const list = add(byId("machine"), "dl", { class: "facts wide" });
  const d = report.device, tool = report.tool;
  const shown = (value, unit) => value === null || value === undefined ? null : spoken(value, unit);
  fact(list, "device", d.name);
  fact(list, "chip", [d.chip, d.compute_capability && "compute " + d.compute_capability].filter(Boolean).join(", "));
  fact(list, d.kind === "cuda" ? "SMs" : "cores", d.sm_count);
  fact(list, d.kind === "cuda" ? "L2" : "L3", shown(d.l2_bytes ?? d.l3_bytes, "byte"));
  fact(list, "memory", shown(d.memory_bytes, "byte"));
  fact(list, "driver", d.driver);
  fact(list, "power limit", d.power_limit_w === null ? null : d.power_limit_w + " W");
  fact(list, "ECC", d.ecc === null ? null : d.ecc ? "on" : "off");
  for (const [name, value] of Object.entries(report.host)) fact(list, "host " + name, value);
  fact(list, "attnroof", `${tool.version} (${tool.git_sha || "no commit"}${tool.git_dirty ? ", modified" : ""})`);
  fact(list, "compilers", [tool.compiler, tool.cuda && "CUDA " + tool.cuda].filter(Boolean).join(", "));
  fact(list, "started", report.started_at);
  fact(list, "took", si(report.duration_s, "s"));
  fact(list, "command", report.command.join(" "));
}
