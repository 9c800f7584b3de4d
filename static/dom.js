// The helpers of all scripts.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (type, act, capture) => document.addEventListener(type, act, capture);

// starred is what is to be said of a star that was swapped. Where its button has
// the focus, the button says it itself. The id of a form with a field "id" is
// only its attribute.
export function starred(form, kind) {
  const star = form.matches(kind) && find("[data-star]", document.getElementById(form.getAttribute("id")));
  return star && star !== document.activeElement ? (star.ariaPressed === "true" ? "Starred" : "Star removed") : "";
}
