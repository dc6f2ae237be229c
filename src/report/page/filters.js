// What is shown: one state for the charts and the table.

const state = {
  hidden: {},                 // axis id -> Set of values that are switched off
  text: "",                   // words that a case's row must all hold
  level: 0,                   // index into view.levels
  quantity: view.quantities[0].id,
  sort: { key: null, down: false },
  open: new Set(),            // cases whose row is open
};
for (const axis of view.axes) state.hidden[axis.id] = new Set();

const listeners = [];
const onChange = listener => listeners.push(listener);
const changed = () => listeners.forEach(listener => listener());

/** True when no switch hides the case; the text filter is the table's and dims the charts. */
function switchedOn(index) {
  return view.axes.every(axis => !state.hidden[axis.id].has(view.cases[index].axes[axis.id]));
}

function matches(index) {
  const text = view.cases[index].search;
  return state.text.toLowerCase().split(/\s+/).every(word => text.includes(word));
}

const visible = index => switchedOn(index) && matches(index);

function chip(parent, label, pressed, act) {
  const button = add(parent, "button", { type: "button", class: "chip", "aria-pressed": pressed });
  button.append(label);
  button.addEventListener("click", () => { act(); changed(); });
  return button;
}

/** Buttons of which exactly one is pressed. */
function choice(parent, options, current, act) {
  const draw = () => {
    parent.replaceChildren();
    for (const [value, label] of options)
      chip(parent, label, current() === value, () => act(value));
  };
  draw();
  onChange(draw);
}

function drawFilters() {
  const nav = byId("filters");
  for (const axis of view.axes) {
    if (axis.values.length < 2) continue;
    const group = add(nav, "div", { class: "chips", role: "group", "aria-label": axis.name });
    add(group, "span", {}, axis.name);
    for (const value of axis.values) {
      const hidden = state.hidden[axis.id];
      const button = chip(group, value, true, () => {
        if (!hidden.delete(value)) hidden.add(value);
        button.setAttribute("aria-pressed", !hidden.has(value));
      });
      const kernel = view.kernels.findIndex(k => k.name === value);
      if (axis.id !== "kernel" || kernel < 0) continue;
      button.setAttribute("style", colour(kernel));
      button.prepend(document.createElement("i"));
    }
  }
  const input = add(nav, "input", {
    id: "filter", type: "search", placeholder: "Filter cases", "aria-label": "Filter cases by text",
  });
  input.addEventListener("input", () => { state.text = input.value; changed(); });
}
