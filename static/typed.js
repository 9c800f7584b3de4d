// Keeps a draft of a long form in this browser, per user and page, until the server
// says on a later page that the form has arrived.
import { all, find, on } from "./dom.js";

const viewer = document.body.dataset.viewer;
const prefix = "dailies typed ", longest = 200_000, most = 30, life = 14 * 24 * 3600_000, wait = 300;
const pageOf = form => find("[name=draft]", form).value;
const nameOf = page => `${prefix}${viewer} ${page}`;
const token = form => find("[name=token]", form);

// The storage of drafts. Without it, nothing is kept.
const stored = () => Object.keys(localStorage).filter(name => name.startsWith(prefix)).map(name => {
  try { return { name, at: +JSON.parse(localStorage.getItem(name)).at || 0 }; } catch { return { name, at: 0 }; }
});
function prune(left) {
  const drafts = stored().sort((a, b) => b.at - a.at);
  drafts.forEach((draft, i) => { if (i >= left || draft.at < Date.now() - life) localStorage.removeItem(draft.name); });
}
function write(name, draft) {
  const text = JSON.stringify(draft);
  if (text.length > longest) return;
  try {
    if (localStorage.getItem(name) === null) prune(most - 1);
    localStorage.setItem(name, text);
  } catch {
    try { prune(3); localStorage.setItem(name, text); } catch { /* full or forbidden */ }
  }
}
function read(page) {
  try {
    const draft = JSON.parse(localStorage.getItem(nameOf(page)));
    return draft && draft.at > Date.now() - life && Array.isArray(draft.fields) ? draft : undefined;
  } catch { return undefined; }
}
function forget(page) {
  try { localStorage.removeItem(nameOf(page)); } catch { /* no storage */ }
}

// The fields that users fill in, as name, value and, for choices, checked.
const typedIn = field => field.name && !/^(hidden|submit|button|file|password)$/.test(field.type);
const choosable = field => /^(radio|checkbox)$/.test(field.type);
const fieldsOf = form => [...form.elements].filter(typedIn);
// Another script may keep a form as other fields than it shows (kept).
const snapshot = form => form.kept?.() ?? fieldsOf(form).map(field => choosable(field) ? [field.name, field.value, field.checked] : [field.name, field.value]);

// originOf returns the query that says what a form is made from.
function originOf(form) {
  const made = new URLSearchParams();
  for (const name of ["from", "use"]) {
    const field = find(`#origin [name=${name}]`, form);
    if (field) made.set(name, field.value);
  }
  return made.size ? "?" + made : "";
}

// asked returns the page's query without the video on the stage.
function asked() {
  const query = new URLSearchParams(location.search);
  query.delete("take");
  return query.size ? "?" + query : "";
}

function save(form, pressed = false) {
  clearTimeout(form.saving);
  form.saving = undefined;
  if (form.discarded) return;
  write(nameOf(pageOf(form)), {
    at: Date.now(), fields: snapshot(form), token: token(form)?.value ?? "", pressed,
    search: asked(), made: originOf(form),
  });
}

// apply fills in existing fields, and reports whether any value changed.
function apply(form, fields) {
  const there = new Map(), seen = {};
  for (const field of fieldsOf(form)) there.set(field.name, [...there.get(field.name) ?? [], field]);
  let changed = false;
  for (const [name, value, chosen] of fields) {
    const same = (there.get(name) ?? []).filter(field => choosable(field) === (chosen !== undefined));
    if (chosen !== undefined) {
      const field = same.find(field => field.value === value);
      if (!field) continue;
      changed ||= field.checked !== chosen;
      field.checked = chosen;
      continue;
    }
    const field = same[seen[name] = (seen[name] ?? -1) + 1];
    if (!field || field.typed) continue;
    changed ||= field.value !== value;
    field.value = value;
  }
  return changed;
}
const chosenModel = form => find("[name=model]:checked", form)?.value;

function restore(form) {
  const page = pageOf(form), draft = read(page);
  if (!draft || "answer" in document.body.dataset) return;
  if (asked() && ![draft.search, draft.made].includes(asked())) return; // the draft is for another query
  if (draft.made && !asked()) return location.replace(location.pathname + draft.made); // load the draft's origin
  const model = chosenModel(form), before = optionsOf(form);
  const changed = apply(form, draft.fields);
  if (chosenModel(form) !== model) {
    form.later = draft.fields.filter(([name]) => name !== "model"); // for the options of that model
    renew(find("[name=model]:checked", form));
  } else if (optionsOf(form) !== before) {
    renew(find("#options input:checked", form));
  }
  if (!changed) return;
  // The first press may have arrived although its response was lost.
  if (draft.pressed && draft.token && token(form)) token(form).value = draft.token;
  for (const field of fieldsOf(form)) if (!choosable(field)) field.dispatchEvent(new Event("input", { bubbles: true }));
  tell(form, draft.pressed);
  form.restored?.();
}
// The chosen options; renew lets the server update them and the price.
const optionsOf = form => all("#options input:checked", form).map(radio => radio.name + "=" + radio.value).join();
const renew = choice => choice?.dispatchEvent(new Event("change", { bubbles: true }));
on("htmx:after:swap", e => {
  const form = e.target.id === "options" && e.target.closest("form");
  if (!form?.later) return;
  const before = optionsOf(form), { later } = form;
  form.later = undefined;
  apply(form, later);
  if (optionsOf(form) !== before) renew(find("#options input:checked", form));
});

function tell(form, pressed) {
  const place = find("[data-typed-note]", form);
  if (!place || place.childElementCount) return;
  const note = document.createElement("div"), words = document.createElement("p"), fresh = document.createElement("button");
  note.className = "typed";
  words.textContent = pressed ? "Picked up where you left off. Pressing again makes nothing twice." : "Picked up where you left off";
  Object.assign(fresh, { className: "text", textContent: "Start fresh" });
  fresh.setAttribute("form", "start-afresh");
  note.append(words, fresh);
  place.append(note);
  form.closest("details")?.setAttribute("open", "");
}

// reached checks that the server responds, before a form is sent.
async function reached() {
  try {
    const answer = await fetch("/healthz", { method: "HEAD", cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(8000) });
    return answer.status < 500; // a proxy responds with 502 to 504 if the server is down
  } catch { return false; }
}
function trouble(form, is) {
  let said = find("[data-unreached]", form);
  if (!said) {
    if (!is) return;
    said = document.createElement("p");
    said.className = "say bad unreached";
    said.setAttribute("role", "alert");
    said.dataset.unreached = "";
    const go = all(".go, .foot", form).at(-1);
    if (go) go.prepend(said);
    else form.append(said);
  }
  said.textContent = is ? "We can’t reach Dailies. Nothing was sent, and your text is kept. Press again in a moment." : "";
}
async function send(form, submitter) {
  form.asking = true;
  save(form);
  trouble(form, false);
  const there = await reached();
  form.asking = false;
  if (!there) return trouble(form, true);
  form.there = true;
  save(form, true);
  form.requestSubmit(submitter);
  form.there = false;
}

const kept = form => form?.matches?.("[data-keep]");
on("input", e => {
  const form = e.target.form;
  if (!kept(form) || !e.isTrusted && form.restoring) return;
  if (e.isTrusted) find("[data-typed-note]", form)?.replaceChildren();
  clearTimeout(form.saving);
  form.saving = setTimeout(save, wait, form);
});
on("change", e => kept(e.target.form) && !e.target.form.later && save(e.target.form));
document.addEventListener("submit", e => {
  const form = e.target;
  if (form.id === "start-afresh") {
    const page = find("[name=page]", form).value;
    for (const other of all("form[data-keep]")) if (pageOf(other) === page) {
      clearTimeout(other.saving);
      other.discarded = true;
    }
    return forget(page);
  }
  if (!kept(form) || form.there || form.sent) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  if (!form.asking) send(form, e.submitter);
}, true);
addEventListener("pagehide", () => all("form[data-keep]").forEach(form => form.saving && save(form)));

// A page after a form says which one has arrived (data-sent).
const [page, ended] = (document.body.dataset.sent ?? "").split(" ");
if (page) {
  const draft = read(page);
  if (draft && (!ended || draft.token === ended)) forget(page);
}
function start() {
  for (const form of all("form[data-keep]")) {
    form.restoring = true;
    restore(form);
    form.restoring = false;
  }
}
// After htmx has started, because it fetches the options of another model.
if (performance.getEntriesByType("navigation")[0]?.domContentLoadedEventStart) setTimeout(start);
else on("DOMContentLoaded", () => setTimeout(start));
