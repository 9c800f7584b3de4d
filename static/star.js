// A star changes at once, before the server has answered, and back if it cannot be saved.
import { find, on, toast } from "./dom.js";

const starOf = e => e.target.matches?.("form[action='/tasks/star']") ? find("[data-star]", e.target) : undefined;
function set(star, is) {
  star.ariaPressed = is;
  star.value = !is; // what the next press asks for
}
function fail(star) {
  if (star.saved === undefined) return;
  set(star, star.saved);
  star.saved = undefined;
  toast("The star wasn’t saved. Try again.");
}

on("htmx:before:request", e => {
  const star = starOf(e);
  if (!star) return;
  star.told = star === document.activeElement; // screen readers then announce its state themselves
  star.saved ??= star.ariaPressed === "true";
  e.detail.ctx.request.keepalive = true; // it is saved even if the page is left at once
  set(star, star.value === "true");
});
on("htmx:after:request", e => {
  const star = starOf(e), status = e.detail.ctx?.response?.status;
  if (!star || !status) return;
  if (status >= 400) fail(star);
  else star.saved = undefined;
});
// A press during a request replaces that request.
on("htmx:error", e => {
  const star = starOf(e);
  if (star && e.detail.error?.name !== "AbortError") fail(star);
});
