// Puts the page together and redraws the charts when a switch, the theme or the width changes.

function drawTheme() {
  const button = byId("theme"), root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  const apply = () => {
    const theme = chosen || (dark.matches ? "dark" : "light");
    root.dataset.theme = theme;
    button.textContent = theme === "dark" ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    chosen = root.dataset.theme === "dark" ? "light" : "dark";
    apply();
  });
  dark.addEventListener("change", apply);
  apply();
}

drawTheme();
byId("subtitle").textContent = view.subtitle;
drawNotices();
drawFilters();
drawFindings();
drawLegend();
drawCeilings();
drawMachine();
const drawSteps = drawLesson();
if (view.levels.length > 1)
  choice(byId("levels"), view.levels.map((level, i) => [i, level.name]), () => state.level, i => { state.level = i; });
choice(byId("quantities"), view.quantities.map(q => [q.id, q.name]), () => state.quantity, id => { state.quantity = id; });

function drawCharts() {
  hideTip();
  drawRoofline(byId("roofline-chart"), state.level, 0.58);
  drawGrowth(byId("growth-chart"), state.quantity, 0.72);
  byId("growth-note").textContent = view.quantities.find(q => q.id === state.quantity).note;
  drawSteps();
}
onChange(drawCharts);
onChange(drawTable);
changed();

let drawnWidth = document.body.clientWidth;
new ResizeObserver(() => {
  if (document.body.clientWidth === drawnWidth) return;
  drawnWidth = document.body.clientWidth;
  drawCharts();
}).observe(document.body);
