// Enhancements of all pages. Everything works without them.
import { all, copied, find, on, plain } from "./dom.js";

// busy disables the button after a press. A second press would be harmless: the
// form has a one-time token.
function busy(sent) {
  const button = find("button[data-busy]", sent);
  sent.sent = true;
  if (button) {
    button.idle ??= [...button.childNodes];
    button.replaceChildren(button.dataset.busy);
    button.setAttribute("aria-disabled", "true");
  }
  setTimeout(() => idle(sent), 15000);
}
function idle(sent) {
  const button = find("button[data-busy]", sent);
  sent.sent = false;
  if (button?.idle) button.replaceChildren(...button.idle);
  button?.removeAttribute("aria-disabled");
}

async function copy(button) {
  const done = await copied(document.getElementById(button.dataset.copy)), words = find(".w", button) ?? button;
  words.textContent = done ? "Copied" : "Copy it yourself";
}

// Single-key shortcuts. Pages' own scripts listen to the event "shortcut" too. It is
// not sent while the user types, a dialog other than the viewer is open, or
// shortcuts are off. views/keys.go lists them.
let single = true;
try { single = localStorage.getItem("dailies keys") !== "off"; } catch { /* on by default */ }
const tellKeys = () => document.documentElement.toggleAttribute("data-keys-off", !single);
function press(e) {
  const typing = e.target.closest?.("input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable]");
  if (!single || typing || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || open(".cinema")) return;
  if (!e.target.dispatchEvent(new CustomEvent("shortcut", { detail: e.key, bubbles: true, cancelable: true }))) e.preventDefault();
}
// open reports whether a dialog is open, other than one that matches but.
const open = but => Array.from(dialogs).some(dialog => dialog.open && !(but && dialog.matches(but)));
function turn(on) {
  single = on;
  tellKeys();
  try { localStorage.setItem("dailies keys", on ? "on" : "off"); } catch { /* only for this page */ }
}
// The list of the keys is fetched when it is first opened. On the page with the list
// there is nothing to open.
const listed = () => find("[data-keys]")?.pathname !== location.pathname && find("[data-keys]");
async function showKeys(link) {
  if (!find("#keys")) {
    try {
      const answer = await fetch(link.href, { headers: { "HX-Request-Type": "partial" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      document.body.insertAdjacentHTML("beforeend", await answer.text());
    } catch { return location.assign(link.href); }
    for (const box of all("[data-single-keys]")) box.checked = single;
    sync();
  }
  if (!find("#keys").open) find("#keys").showModal();
}
// The palette is fetched when it is first opened.
async function go() {
  const link = find("[data-go]"), { open: show } = await import(link.dataset.go);
  find("#account")?.hidePopover();
  show(link);
}
function search() {
  if (open()) return;
  const field = find("#q");
  if (!field) location.href = "/gallery#q";
  field?.focus();
  field?.select();
}
// compose leads to the prompt of the form that makes videos.
function compose() {
  if (find("form[data-make] #prompt")) find("#prompt").focus();
  else if (find('.nav a[href="/"]')) location.href = "/#prompt";
}

// A toast closes by itself, unless hovered or focused. One with Undo stays longer.
const toast = () => find("[data-toast]");
function closeToast() {
  const had = toast().contains(document.activeElement);
  toast().remove();
  if (had) (find("dialog[open]") ?? find("#main")).focus();
}
function settleToast() {
  const shown = toast(), said = shown && find("[role=status]", shown);
  if (!shown || shown.settled) return;
  shown.settled = true;
  // Screen readers announce text that changes, not text in a new element.
  const text = said.textContent;
  said.textContent = "";
  setTimeout(() => { said.textContent = text; }, 100);
  const life = () => (find("form, a, [data-undo]", shown) ? 30_000 : 8_000); // the button may be added later
  const leave = () => shown.matches(":hover, :focus-within") ? setTimeout(leave, 2000) : shown === toast() && closeToast();
  setTimeout(() => setTimeout(leave, life()));
}

// Converts times from UTC to the browser's time zone, in the format of the
// server (views/time.go). Relative ones such as "5 min ago" stay.
const months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const date = /^\d{1,2} [A-Z][a-z]+( \d{4})?$/, clock = /^\d\d:\d\d:\d\d UTC$/, moment = /^\d{1,2} [A-Z][a-z]+ \d{4}, \d\d:\d\d UTC$/;
function local(text, at) {
  const two = n => String(n).padStart(2, "0"), day = `${at.getDate()} ${months[at.getMonth()]}`;
  const minute = `${two(at.getHours())}:${two(at.getMinutes())}`;
  if (moment.test(text)) return `${day} ${at.getFullYear()}, ${minute}`;
  if (clock.test(text)) return `${minute}:${two(at.getSeconds())}`;
  const dated = text.match(date);
  return dated ? day + (dated[1] ? " " + at.getFullYear() : "") : text;
}
function localTimes() {
  for (const time of all("time[datetime]")) {
    const at = new Date(time.dateTime), text = time.textContent.trim();
    if (isNaN(at)) continue;
    if (local(text, at) !== text) time.textContent = local(text, at);
    if (time.title && local(time.title, at) !== time.title) time.title = local(time.title, at);
  }
}

// sync prepares a new page or fragment.
const mac = /Mac|iPhone|iPad/.test(navigator.platform);
function sync() {
  localTimes();
  if (mac) for (const key of all("kbd")) key.textContent = key.textContent.replace(/^Ctrl/, "⌘");
  const pill = find("#running"), running = find("#latest")?.dataset.running;
  if (!pill || running === undefined) return;
  pill.hidden = running === "0";
  find("[data-running-count]", pill).textContent = running;
}

// Drafts are kept by a script of its own (typed.js). A page needs it at once if a draft
// exists or has arrived, and otherwise as soon as the user does anything in a form.
function keepDrafts() {
  const { typed, sent } = document.body.dataset;
  if (!typed) return;
  const load = () => import(typed), form = find("form[data-keep]");
  on("input", e => { e.target.typed ||= e.isTrusted; }); // what is typed meanwhile stays
  let drafts = false;
  try { drafts = Object.keys(localStorage).some(name => name.startsWith("dailies typed ")); } catch { /* no storage */ }
  if (sent || form && drafts) load();
  else if (form) for (const type of ["pointerover", "focusin", "keydown", "input"]) on(type, load, { once: true });
}

on("input", e => e.target.matches("[data-single-keys]") && turn(e.target.checked));
// A live collection, which is fast even on a page with a thousand videos.
const dialogs = document.getElementsByTagName("dialog");
on("keydown", press);
on("keydown", e => {
  if (e.key.toLowerCase() !== "k" || !(mac ? e.metaKey : e.ctrlKey) || e.shiftKey || e.altKey || !find("[data-go]") || open("#palette, .cinema")) return;
  e.preventDefault();
  go();
});
on("shortcut", e => {
  const act = { "/": search, c: compose, g: () => { location.href = "/gallery"; }, "?": listed() && (() => showKeys(listed())) }[e.detail];
  if (!act) return;
  e.preventDefault();
  act();
});
on("click", e => {
  if (listed() && e.target.closest("[data-keys]")) {
    e.preventDefault();
    find("#account").hidePopover(); // focuses its button, so that closing the keys does too
    showKeys(listed());
  }
  if (plain(e) && e.target.closest("[data-go], [data-goes]")) {
    e.preventDefault();
    go();
  }
  if (e.target.closest("[data-close-toast]")) closeToast();
  if (e.target.closest("[data-copy]")) copy(e.target.closest("[data-copy]"));
  const share = plain(e) && e.target.closest("a[data-share-link]");
  if (!share) return;
  e.preventDefault();
  import(share.dataset.shareLink).then(({ open }) => open(share)).catch(() => location.assign(share.href));
});
// Hover or focus preloads a video's beginning, so that a click plays it at once.
const prepare = e => { const film = e.target.closest?.("video[preload=none]"); if (film) film.preload = "metadata"; };
on("pointerover", prepare);
on("focusin", prepare);
on("submit", e => {
  if (!e.target.matches("[data-once]") || e.submitter?.formMethod === "get") return; // a GET changes nothing
  if (e.target.sent) return e.preventDefault();
  busy(e.target);
});
// What is closed for good disappears at once; the page that the server leads to is not needed.
on("submit", e => {
  if (!e.target.matches("[data-closes]")) return;
  e.preventDefault();
  fetch(e.target.action, { method: "POST", body: new URLSearchParams(new FormData(e.target)), redirect: "manual", keepalive: true });
  e.target.closest("aside").remove();
  find("#main").focus({ preventScroll: true });
});
on("htmx:after:swap", sync);
on("fresh", () => { sync(); settleToast(); });
addEventListener("pageshow", () => all("[data-once]").forEach(idle));

for (const box of all("[data-single-keys]")) box.checked = single;
tellKeys();
settleToast();
if (location.hash === "#q") find("#q")?.focus();
sync();
keepDrafts();
find("#summary")?.focus();
// Focuses an invalid field, or a text that is shown only once. The fragment of the
// URL would take the focus while the page loads, so it is set again after that.
function attend() {
  if (document.activeElement === document.body) find("main :is([aria-invalid=true], [data-shown-once] input)")?.focus();
}
attend();
if (location.hash) addEventListener("load", attend);
// After a form was sent, Tab continues in the content.
if (toast() && document.activeElement === document.body) find("#main")?.focus({ preventScroll: true });

// Clocks, and the rings beside them, keep running between two answers of the server.
const seconds = text => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);
const stopwatch = s => [...s < 3600 ? [] : [Math.floor(s / 3600)], Math.floor(s / 60) % 60, s % 60].map((part, i) => i ? String(part).padStart(2, "0") : part).join(":");
setInterval(() => {
  for (const clock of all("[data-tick]")) {
    if (clock.textContent !== clock.said) clock.since = Date.now() - 1000 * (seconds(clock.textContent) + 1);
    const now = Math.floor((Date.now() - clock.since) / 1000);
    clock.textContent = clock.said = stopwatch(now);
    const ring = find("[data-usual]", clock.closest(".dial, a"));
    if (ring) ring.setAttribute("stroke-dasharray", `${Math.min(95, Math.max(1, Math.floor(100 * (now - ring.dataset.waited) / ring.dataset.usual)))} 100`);
  }
}, 1000);
