// The rows of a batch: when one is left out or taken in again, the server checks the
// rows and computes the total, without a press of a button.
import { all, find, on } from "./dom.js";

const opened = form => all("details", form).map(details => details.open && find("input", details)?.name);

let asking;
async function recheck(tick) {
  asking?.abort();
  const mine = asking = new AbortController(), form = tick.form, sent = new URLSearchParams(new FormData(form));
  form.ariaBusy = "true";
  const asked = sent.toString();
  sent.set("do", "check");
  const answer = await fetch(form.action, { method: "POST", body: sent, signal: mine.signal });
  const fresh = find("form[data-rows]", new DOMParser().parseFromString(await answer.text(), "text/html"));
  if (!fresh) throw new Error("no rows"); // such as the sign-in page
  if (mine.signal.aborted) return;
  // Something was typed meanwhile, so the rows are checked as they are now.
  if (new URLSearchParams(new FormData(form)).toString() !== asked) return recheck(tick);
  replace(form, fresh, tick);
}

// replace shows the new rows with the same ones open, the focus where it was, and the
// page not scrolled.
function replace(form, fresh, tick) {
  const open = new Set(opened(form)), focused = form.contains(document.activeElement) ? document.activeElement : undefined;
  const same = field => field?.name && find(`[type="${field.type}"][name="${CSS.escape(field.name)}"]`, fresh);
  const was = tick.getBoundingClientRect().top, next = same(tick);
  form.replaceWith(fresh);
  for (const details of all("details", fresh)) details.open = open.has(find("input", details)?.name);
  scrollBy({ top: next.getBoundingClientRect().top - was, behavior: "instant" });
  (same(focused) ?? (focused && next))?.focus({ preventScroll: true });
  find("[data-batch-said]").textContent = find(".total b", fresh).textContent;
}

on("change", e => {
  const form = e.target.form;
  if (!e.target.matches("form[data-rows] [data-skip]")) return;
  recheck(e.target).catch(error => {
    if (error.name !== "AbortError") form.requestSubmit(find("button[value=check]", form));
  });
});
