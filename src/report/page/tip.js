// What the pointer rests on: one case, every number with its source.

/** Terms and values of a case at the level of memory that is shown. */
function caseFacts(index) {
  const c = report.cases[index], level = view.levels[state.level], p = view.cases[index].levels[state.level];
  const facts = [["time", c.time ? si(c.time.median_s, "s") + " (measured)" : null]];
  if (!p) return facts;
  facts.push([c.time ? "speed" : "attainable", si(p.flops_per_s, "FLOP/s")]);
  facts.push([level.name + " bytes", `${spoken(p.bytes, "byte")} (${p.source}${p.kind ? ", " + p.kind : ""})`]);
  facts.push(["intensity", significant(p.intensity) + " FLOP/byte"]);
  if (p.fraction !== null) facts.push(["of the roof", `${percent(p.fraction)} of ${p.roof}`]);
  if (p.bound) facts.push(["bound by", p.bound]);
  return facts;
}

function showTip(index, clientX, clientY) {
  const tip = byId("tip");
  tip.replaceChildren();
  tip.setAttribute("style", colour(view.cases[index].kernel));
  tip.dataset.case = index;
  add(tip, "b", {}, report.cases[index].id);
  const list = add(tip, "dl");
  for (const [term, value] of caseFacts(index)) fact(list, term, value);
  for (const warning of report.cases[index].warnings) fact(list, "!", warning);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = clientX + 18 + width > innerWidth ? clientX - 18 - width : clientX + 18;
  tip.style.left = Math.max(8, Math.min(left, innerWidth - width - 8)) + "px";
  tip.style.top = Math.max(8, Math.min(clientY - height / 2, innerHeight - height - 8)) + "px";
}

function hideTip() {
  byId("tip").hidden = true;
  delete byId("tip").dataset.case;
}
