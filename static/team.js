// Values of the team's pages that are changed where they stand. A form is sent when a
// value is chosen, or a button pressed; then its row, with its new values, and a message
// with Undo are taken from the page that answers. Without script, that page is shown.
import { all, find, on } from "./dom.js";

let row; // the row whose form is open or that was changed last, which Undo changes back

// refused sends the form as a browser does, to show the page that says what is wrong.
function refused(form, button) {
  if (button?.name) {
    const pressed = Object.assign(document.createElement("input"), { type: "hidden", name: button.name, value: button.value });
    form.append(pressed);
  }
  HTMLFormElement.prototype.submit.call(form);
}

async function save(form, button) {
  if (form.busy) return;
  form.busy = true;
  row = form.closest("[data-live][id]") ?? (row && document.getElementById(row.id));
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, button)) });
    if (!answer.ok) return refused(form, button);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = row && page.getElementById(row.id);
    if (row && !fresh && !find("[data-live]", page)) return location.assign(answer.url);
    show(fresh, page, form);
  } catch {
    refused(form, button);
  } finally {
    form.busy = false;
  }
}

// show replaces the row and what depends on it.
function show(fresh, page, form) {
  const focused = row?.contains(document.activeElement) || form.closest("[data-toast], [popover]");
  const name = document.activeElement?.name;
  const others = ["rooms", "requests", "spent", "facts"].filter(id => id !== row?.id && !row?.contains(document.getElementById(id)));
  for (const id of others) swap(document.getElementById(id), page.getElementById(id));
  if (row && fresh) swap(row, fresh);
  else row?.remove();
  for (const old of all(".toasts")) old.remove();
  const said = find(".toasts", page);
  if (said) find("#main").before(said);
  document.dispatchEvent(new Event("fresh"));
  if (!focused) return;
  const again = document.getElementById(row?.id) ?? find("#main");
  (form.closest("[popover]") && find(".editline", again) || name && find(`[name="${name}"]:not([type=hidden])`, again) || find("select, a, button", again) || find("#main")).focus({ preventScroll: true });
}
function swap(old, fresh) {
  if (old && fresh) old.replaceWith(document.importNode(fresh, true));
}

// With the keys, choosing passes other values: what is chosen is saved when the user goes
// on, or presses Enter.
let passing;
on("keydown", e => {
  if (!e.target.matches?.("[data-saves] select")) return;
  if (e.key === "Enter" && e.target.passed) save(e.target.form);
  passing = e.key === "Enter" || e.key === " " ? undefined : e.timeStamp;
});
on("change", e => {
  if (!e.target.matches("[data-saves] select")) return;
  e.target.passed = e.timeStamp - passing < 100;
  if (!e.target.passed) save(e.target.form);
});
on("focusout", e => e.target.passed && e.target.isConnected && !e.target.form.busy && save(e.target.form));
on("submit", e => {
  if (!e.target.matches("[data-saves]")) return;
  e.preventDefault();
  e.target.closest("[popover]")?.hidePopover();
  save(e.target, e.submitter);
});
// The forms of a row open beside its value; they are shared by all rows.
function open(pop, link) {
  pop.showPopover({ source: link });
  find("input:not([type=hidden]), a, button", pop).focus();
}
function limit(link) {
  const pop = find("#limit-pop"), form = find("form", pop), { name, limit, allowance } = link.dataset;
  form.action = link.pathname + "/limit";
  find("[data-of]", form).textContent = name;
  form.elements.credits.value = limit;
  for (const button of all(".text", form)) button.hidden = button.value === (allowance || "default");
  row = link.closest("[data-live]");
  open(pop, link);
}
function more(link) {
  const pop = find("#more-pop");
  for (const part of all("[data-path]", pop)) part.setAttribute(part.tagName === "A" ? "href" : "action", link.pathname + part.dataset.path);
  find("[name=what]", pop).value = link.dataset.more;
  open(pop, link);
}
on("click", e => {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  const link = e.target.closest("[data-limit], [data-more], [data-show]");
  if (!link || !find("#limit-pop")) return;
  e.preventDefault();
  if (link.dataset.show) {
    document.getElementById(link.dataset.show).showModal();
    find(`#${link.dataset.show} :is(input, textarea):not([type=hidden], [hidden])`)?.focus();
  }
  else if (link.dataset.more) more(link);
  else limit(link);
});
