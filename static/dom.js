// The helpers of all scripts.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (type, act, capture) => document.addEventListener(type, act, capture);

// starred returns the words for screen readers after htmx has replaced a star's
// form. Where the button has the focus they are empty: a reader tells its new state
// by itself. form.id would be the form's field called "id", not its attribute.
export function starred(form, kind) {
  const star = form.matches(kind) && find("[data-star]", document.getElementById(form.getAttribute("id")));
  return star && star !== document.activeElement ? (star.ariaPressed === "true" ? "Starred" : "Star removed") : "";
}
