// Helpers for all scripts.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (type, act, capture) => document.addEventListener(type, act, capture);

// starred returns what screen readers announce after htmx has replaced a star's
// form: nothing if the button has the focus, because they then announce its state.
// form.id would be the form's field "id", not its attribute.
export function starred(form, kind) {
  const star = form.matches(kind) && find("[data-star]", document.getElementById(form.getAttribute("id")));
  return star && star !== document.activeElement ? (star.ariaPressed === "true" ? "Starred" : "Star removed") : "";
}
