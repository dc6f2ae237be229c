"use strict";
// The data of the page, numbers for people, and elements made without markup: text is always text.

const report = JSON.parse(document.getElementById("report-data").textContent);
const view = JSON.parse(document.getElementById("view-data").textContent);

const byId = id => document.getElementById(id);

function add(parent, tag, attributes, text) {
  const inSvg = tag === "svg" || parent.namespaceURI === "http://www.w3.org/2000/svg";
  const element = inSvg ? document.createElementNS("http://www.w3.org/2000/svg", tag)
                        : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  parent.appendChild(element);
  return element;
}

/** Text in which N^1.99 and K^T have their exponents raised. */
function addRaised(parent, tag, attributes, text) {
  const element = add(parent, tag, attributes);
  text.split(/\^(\d+(?:\.\d+)?|T)/).forEach((part, i) => {
    if (i % 2) add(element, "sup", {}, part); else element.append(part);
  });
  return element;
}

/** A term and its description in a definition list; nothing for a value that is not there. */
function fact(list, term, value) {
  if (value === null || value === undefined || value === "") return;
  add(list, "dt", {}, term);
  add(list, "dd", {}, value);
}

/** Three significant digits without an exponent: 0.0252, 4.28, 83.1, 12345. */
function significant(value) {
  if (!Number.isFinite(value)) return "?";
  if (value === 0) return "0";
  if (Math.abs(value) >= 1000) return value.toFixed(0);
  const rounded = Number(value.toPrecision(3));
  const digits = 2 - Math.floor(Math.log10(Math.abs(rounded) * 1.000001));
  return rounded.toFixed(Math.min(Math.max(digits, 0), 12));
}

/** 5.87e14, "FLOP/s" -> "587 TFLOP/s". */
function si(value, unit) {
  const prefixes = ["n", "\u00b5", "m", "", "k", "M", "G", "T", "P", "E"];
  if (value === null || !Number.isFinite(value)) return "? " + unit;
  if (value === 0) return "0 " + unit;
  const thousands = Math.floor(Math.log10(Math.abs(value) / 0.9995) / 3);
  const index = Math.min(Math.max(thousands + 3, 0), prefixes.length - 1);
  return significant(value / 10 ** (3 * (index - 3))) + " " + prefixes[index] + unit;
}

function spoken(value, unit) {
  return si(value, unit === "byte/s" ? "B/s" : unit === "byte" ? "B" : unit);
}

/** For ticks: no digits that say nothing. */
function tick(value, unit) {
  return si(value, unit).replace(/(\.\d*?)0+ /, "$1 ").replace(/\. /, " ").trim();
}

const percent = fraction => (100 * fraction).toFixed(0) + " %";

function shortLength(n) {
  if (n >= 1 << 20 && n % (1 << 20) === 0) return n / (1 << 20) + "M";
  if (n >= 1 << 10 && n % (1 << 10) === 0) return n / (1 << 10) + "k";
  return String(n);
}

/** The colour of a kernel, as a variable of the style sheet. */
const colour = kernel => "--c: var(--" + view.kernels[kernel].colour + ")";
