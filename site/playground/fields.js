// SPDX-License-Identifier: MIT
// Fields for numbers and options that can be changed while it plays.

/**
 * A number and a slider for it.
 * @param {string} label
 * @param {{least: number, most: number, step: number, value: number}} range of the slider; the number may be another
 * @param {(value: number) => void} onChange is called when it has been chosen
 */
export function slider(label, {least, most, step, value}, onChange) {
  const row = document.createElement("div");
  row.className = "slider";
  const text = document.createElement("label");
  const number = Object.assign(document.createElement("input"), {type: "number", min: least, max: most, step: "any"});
  const range = Object.assign(document.createElement("input"), {type: "range", min: least, max: most, step});
  number.value = range.value = String(value);
  text.append(label);
  number.setAttribute("aria-label", label);
  range.setAttribute("aria-label", `${label}, slider`);
  range.addEventListener("input", () => { number.value = range.value; });
  range.addEventListener("change", () => onChange(Number(range.value)));
  number.addEventListener("change", () => {
    range.value = number.value;
    onChange(Number(number.value));
  });
  row.append(text, number, range);
  return row;
}

/**
 * A field for an option of a game.
 * @param {string} name
 * @param {Record<string, any>} option as carom.games tells of it
 * @param {any} value
 * @param {(value: any) => void} onChange
 */
export function optionField(name, option, value, onChange) {
  const row = document.createElement("div");
  row.className = "slider";
  const label = document.createElement("label");
  label.textContent = name;
  label.title = option.meaning;
  const choices = option.type === "choice" ? option.choices : option.type === "flag" ? [false, true] : null;
  const field = document.createElement(choices === null ? "input" : "select");
  if (choices === null) {
    Object.assign(field, {type: "number", min: option.low, max: option.high, step: option.type === "count" ? 1 : "any"});
  } else {
    choices.forEach((choice) => field.add(new Option(String(choice), String(choice))));
  }
  field.value = String(value);
  field.dataset.option = name;
  field.addEventListener("change", () => onChange(
    option.type === "choice" ? field.value : option.type === "flag" ? field.value === "true" : Number(field.value)));
  label.append(" ");
  row.append(label, field);
  field.setAttribute("aria-label", `${name}: ${option.meaning}`);
  return row;
}
