// Notes on a video, on pages of the team and of guests: a note takes its time from the player
// and may have a drawing on the picture. Forms are sent without leaving the page. Everything
// but drawing works without it.
import { all, find, on, plain } from "./dom.js";

const root = () => find("dialog.cinema[open]") ?? document;
const talk = () => find("#talk", root());
const player = () => find("[data-player]", root());
const film = () => find(".film", player() ?? undefined);
const reel = () => player()?.bar?.reel;
const video = () => reel()?.screen ?? find(".film video", player() ?? undefined);
const words = () => find("#note-body", talk());
const clock = s => `${Math.floor(s / 60)}:${(Math.floor(s * 10) / 10 % 60).toFixed(1).padStart(4, "0")}`;
const length = () => reel()?.length || +video()?.dataset.length || 0;
// In a storyline, notes have the time of the scene that shows: place is where a moment of it
// is in the film, undefined if that was cut away.
const cut = () => (reel()?.current ? { start: reel().begins(reel().at), ...reel().current } : { start: 0, from: 0, to: Infinity });
const place = at => { const { start, from, to } = cut(); return at > from - 0.05 && at < to + 0.05 ? start + at - from : undefined; };
const now = () => { const { start, from } = cut(); return reel() ? reel().time - start + from : video()?.currentTime ?? 0; };
const composer = () => find("[data-composer]", talk());
const field = name => composer()?.elements[name];
const guests = () => composer()?.matches(".pinned"); // on the page of a link

function pause() {
  if (reel()?.running) reel().stop();
  else video()?.pause();
}
function seek(ms) {
  pause();
  film()?.removeAttribute("data-unseen");
  const at = ms / 1000 + 0.001; // the frame that begins then, however the browser rounds
  const { start, from, to } = cut();
  if (reel()) reel().seek(start + Math.min(Math.max(at, from), to - 0.01) - from);
  else if (video()) video().currentTime = at;
}

// fixed is the time of the note that is being written, once something was typed or drawn;
// until then the note follows the player.
let fixed;
function fix(at = now()) {
  fixed = at;
  tell();
}
// tell shows the time of the note.
function tell() {
  const here = find("[data-here]", talk()), time = clock(fixed ?? now());
  if (here) here.textContent = time;
  if (here && guests()) words().placeholder = film()?.hasAttribute("data-unseen") ? "Write a note" : `Write a note at ${time}`;
}

// opening shows all of a guest's form while it is used, and where it was. On a phone it is one
// line otherwise, and the page makes room for the film while somebody writes.
function opening() {
  if (!guests()) return;
  const form = composer(), writes = form.contains(document.activeElement) || form.matches(".answering") || !!tool;
  form.classList.toggle("open", writes || !!words().value || !!field("mark")?.value || !!form.elements.parent || !!find(".error", form));
  document.body.classList.toggle("writing", writes);
}
// answering turns a guest's form for a note into that for what should change, and back. What was
// typed and drawn stays.
function answering(is) {
  const form = composer(), asks = find(".answer-head b", form).textContent;
  form.classList.toggle("answering", is);
  form.action = is ? form.dataset.answerPath : talk().dataset.talk;
  form.elements.verdict.disabled = !is;
  form.ariaLabel = is ? asks : "Write a note";
  find("[for=note-body]", form).textContent = is ? asks : "Note";
  document.getElementById("answer").hidden = is;
  if (is) {
    pause();
    fix(fixed);
    words().focus();
  } else {
    if (!words().value && !field("mark").value) fixed = undefined;
    tell();
    (find("[data-answer-changes]") ?? words()).focus({ preventScroll: true });
  }
  opening();
}
// show the answer, or the form for it, as the page has it.
function renewAnswer(page) {
  const fresh = find("#answer", page);
  if (fresh) document.getElementById("answer")?.replaceWith(fresh);
  return fresh;
}
// decide sends the form for an answer, or gets a step of it.
async function decide(address, request) {
  const answer = await fetch(address, { headers: partial, ...request }).catch(() => undefined), redirect = answer?.headers.get("HX-Redirect");
  if (redirect) return location.assign(redirect);
  if (!answer || answer.status === 403 || answer.status === 404) return unsent(answer && await reason(answer));
  const page = (answer.ok || answer.status === 422 || answer.status === 429) && await parsed(answer);
  if (!page || !renewAnswer(page)) return request ? unsent(await reason(answer)) : location.assign(address);
  if (request && answer.ok) renew(page, false);
  (find("#answer [aria-invalid]") ?? find("#answer [autofocus]") ?? find("#answer .given") ?? find("#verdict button"))?.focus();
}

// unsent says why an answer was not taken. What was typed on the page stays.
function unsent(text = "You’re offline.") {
  find("#answer [data-failed]")?.remove();
  document.getElementById("answer").append(failure(`${text} Your answer wasn’t sent.`));
}
// catchUp shows what the guest has done in another tab: what they have decided, and that they have
// given a name.
function catchUp(page) {
  const fresh = find("#answer", page), shown = document.getElementById("answer"), active = document.activeElement, named = composer()?.elements.name;
  if (fresh && fresh.dataset.given !== shown.dataset.given && !composer().matches(".answering") && !(shown.contains(active) && active.matches("input, textarea"))) {
    const had = shown.contains(active);
    renewAnswer(page);
    if (had) find("#verdict")?.focus({ preventScroll: true });
  }
  if (!named || named === active || find("[data-composer] [name=name]", page)) return;
  for (const e of all("[name=guest], [for=note-name], #note-name, #note-name-error, .gmail", composer())) e.remove();
}

// What is typed is kept until it is sent, also when the link ends meanwhile. Other words for a
// note, and a reply, do not take the place of a new note that somebody has begun.
const key = () => ["dailies note", talk().dataset.task, ...["edit", "parent"].flatMap(name => (field(name) ? [name, field(name).value] : []))].join(" ");
function keep() {
  try {
    if (words().value) sessionStorage.setItem(key(), words().value);
    else sessionStorage.removeItem(key());
  } catch { /* no storage */ }
}
function restore() {
  try {
    if (words() && !words().value) words().value = sessionStorage.getItem(key()) ?? "";
  } catch { /* no storage */ }
}

// ---- Drawings, in thousandths of the picture ----
const svg = (name, set) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(set)) e.setAttribute(k, v);
  return e;
};
function canvas() {
  const over = find(".marks", film());
  if (over) return over;
  film().append(svg("svg", { class: "marks", viewBox: "0 0 1000 1000", preserveAspectRatio: "none", "aria-hidden": "true" }));
  return find(".marks", film());
}
function shape({ kind, points }) {
  const [[a, b], [x, y]] = [points[0], points.at(-1)].map(p => p.map(n => n * 1000));
  if (kind === "rect") return svg("rect", { x: Math.min(a, x), y: Math.min(b, y), width: Math.abs(x - a), height: Math.abs(y - b), rx: 6 });
  const path = points.map(p => p.map(n => Math.round(n * 1000)).join(" ")).join("L");
  if (kind !== "arrow") return svg("path", { d: `M${path}` });
  const { width, height } = film().getBoundingClientRect(), turn = Math.atan2((y - b) * height, (x - a) * width);
  const head = by => `${x - 18 * Math.cos(turn + by) * 1000 / width} ${y - 18 * Math.sin(turn + by) * 1000 / height}`;
  return svg("path", { d: `M${path}M${head(0.5)}L${x} ${y}L${head(-0.5)}` });
}
const markOf = remark => { try { return JSON.parse(remark.dataset.mark); } catch { return undefined; } };
const own = () => { try { return JSON.parse(field("mark")?.value || "null"); } catch { return undefined; } };

// show draws the mark of the note that is being written, and those of the notes at this moment
// or under the pointer.
function show() {
  if (!talk() || !film()) return;
  const at = now(), half = (video().frame ?? 1 / 24) / 2 + 0.001, drawn = [], mine = own();
  if (mine) drawn.push([mine, true]);
  for (const note of all(".remark[data-at]", talk())) {
    const from = note.dataset.at / 1000, until = (note.dataset.until ?? note.dataset.at) / 1000;
    const on = at > from - half && at < until + half, over = note.matches(":hover, :focus-within");
    note.toggleAttribute("aria-current", on);
    if (on) note.setAttribute("aria-current", "true");
    if (note.dataset.mark && (on || over)) drawn.push([markOf(note), true]);
  }
  for (const point of all(".points button", player())) {
    const is = Math.abs(point.dataset.seek / 1000 - at) < half;
    if (is) point.setAttribute("aria-current", "true");
    else point.removeAttribute("aria-current");
  }
  if (!drawn.length && !find(".marks", film())) return;
  canvas().replaceChildren(...drawn.filter(([mark]) => mark).map(([mark]) => {
    const e = shape(mark);
    e.setAttribute("class", "hot");
    return e;
  }));
}

// points puts the notes onto the timeline: of several whose points would cover each other, one.
const apart = 24; // pixels: the width of a point's button
function points() {
  const line = find(".deck .line", player() ?? undefined);
  if (!line || !talk() || !length()) return;
  const places = [], width = line.clientWidth - 14; // the ends of the slider
  for (const note of all(".remark[data-at]", talk()).sort((a, b) => a.dataset.at - b.dataset.at)) {
    const at = Math.min(place(note.dataset.at / 1000) / length(), 1);
    if (isNaN(at)) continue;
    const near = places.find(p => Math.abs(p.at - at) * width < apart);
    if (near) near.notes.push(note);
    else places.push({ at, notes: [note] });
  }
  find(".points", line)?.remove();
  line.classList.toggle("noted", places.length > 0);
  if (!places.length) return;
  const list = document.createElement("ol");
  list.className = "points";
  list.ariaLabel = "Notes on the time line";
  for (const { at, notes } of places) {
    const item = document.createElement("li"), button = document.createElement("button"), names = notes.map(n => n.dataset.name), [note] = notes;
    const name = names.length > 1 ? `${names.length} notes: ${names.join(", ")}` : names[0];
    item.className = note.dataset.kind;
    item.style.insetInlineStart = `${at * 100}%`;
    for (const spans of notes.filter(n => n.dataset.until)) {
      const span = document.createElement("i");
      span.style.insetInlineStart = `${(place(spans.dataset.at / 1000) / length() - at) * 100}%`;
      span.style.width = `${(spans.dataset.until - spans.dataset.at) / 10 / length()}%`;
      item.append(span);
      item.style.width = "100%";
    }
    Object.assign(button, { type: "button", title: name, ariaLabel: name });
    button.dataset.seek = note.dataset.at;
    item.append(button);
    list.append(item);
  }
  line.prepend(list);
}

// ---- Sending, and the answers ----
const said = text => { const e = find("[data-talk-said]", talk()); if (e) e.textContent = text; };

// renew takes the list and the form from the answer.
function renew(page, form) {
  const fresh = find("#talk", page);
  if (!fresh) return false;
  const picked = new Map(all(".pick-note", talk()).map(box => [box.value, box.checked]));
  const list = find("#talk-list", talk()), open = find(".older[open]", list), old = composer(), next = find("[data-composer]", fresh);
  list.replaceWith(find("#talk-list", fresh));
  for (const box of all(".pick-note", talk())) box.checked = picked.get(box.value) ?? box.checked;
  if (open) find(".older", talk())?.setAttribute("open", "");
  if (form && old && next) {
    for (const name of ["name", "email"]) if (next.elements[name] && !next.elements[name].value) next.elements[name].value = old.elements[name]?.value ?? "";
    old.replaceWith(next);
    renewAnswer(page);
  }
  const me = find("#me", page);
  if (me && !find("#me")) find(".house > div")?.append(me); // a guest has given a name
  count();
  opening();
  points();
  tell();
  show();
  return true;
}
// count shows the number of open notes on the tab.
function count() {
  const tab = document.getElementById("tab-notes"), n = all(".remark[data-asks]", talk()).length;
  if (tab) tab.textContent = n ? `Notes ${n}` : "Notes";
}
function fail(text) {
  const form = composer();
  if (!form) return said(text);
  find("[data-failed]", form)?.remove();
  form.append(failure(text));
}
function failure(textContent) {
  const p = Object.assign(document.createElement("p"), { className: "error", role: "alert", textContent });
  p.dataset.failed = "";
  return p;
}
// reason says why the link did not take what was sent.
async function reason(answer) {
  const text = answer.headers.get("Content-Type")?.startsWith("text/plain") && (await answer.text()).trim();
  if (answer.status === 403 && find("[data-when=locked]")?.hidden === false) return "The password of this link has changed.";
  return text || (answer.status === 404 ? "This link has ended." : "That didn’t work.");
}
const partial = { "HX-Request-Type": "partial" };
const parsed = async answer => new DOMParser().parseFromString(await answer.text(), "text/html");

async function send(form, button) {
  const composing = form === composer(), body = new URLSearchParams(new FormData(form, button)), sent = words()?.value, answered = form.matches(".answering");
  // The form stays as it is where the next note can be typed while this one is on its way.
  const plain = composing && !form.elements.parent && !form.elements.name && form.getAttribute("action") === talk().dataset.talk;
  if (composing && form.elements.at) body.set("at", Math.round((fixed ?? now()) * 1000));
  let answer;
  try {
    answer = await fetch(form.action, { method: "POST", headers: partial, body });
  } catch {
    return fail("You’re offline. Your text is kept here.");
  }
  const redirect = answer.headers.get("HX-Redirect");
  if (redirect) return location.assign(redirect);
  // What was refused comes with the form, which says why.
  if (answer.status < 500 && answer.headers.get("Content-Type")?.startsWith("text/html")) {
    if (composing && answer.ok) {
      if (words().value === sent) words().value = "";
      if (field("mark")) field("mark").value = "";
      find("[data-failed]", form)?.remove();
      keep();
      fixed = undefined;
      put();
    }
    const page = await parsed(answer), typed = composing && words()?.value;
    if (renew(page, composing && !(plain && answer.ok))) {
      if (typed && answer.ok && words() && !words().value) { // meanwhile
        words().value = typed;
        keep();
        fix();
      }
      if (composing && answer.ok) restore();
      if (composing && !answer.ok) keep();
      if (composing) settled(answered && answer.ok);
      else if (!talk().contains(document.activeElement)) (find(".remark a", talk()) ?? words())?.focus({ preventScroll: true });
      return (answer.ok || !composing) && said(composing ? "Sent." : "Done.");
    }
    if (answer.ok) return location.reload();
  }
  if (answer.status === 404 && talk().dataset.poll) return ended();
  fail(`${await reason(answer)} Your text is kept here.`);
}
// settled puts the focus where somebody goes on after their note, or answer, was sent or refused.
function settled(answered) {
  const wrong = find("[aria-invalid]", composer());
  if (answered) find("#verdict")?.focus({ preventScroll: true });
  else if (wrong || !guests() || !matchMedia("(max-width: 40rem), (pointer: coarse)").matches) (wrong ?? words())?.focus({ preventScroll: true });
  else document.activeElement.blur(); // on a phone, the form and its keyboard cover the notes
  opening();
}
let over = false;
function ended() {
  over = true;
  fail("This link has ended. Your text is kept here.");
  find(".btn.primary", composer())?.setAttribute("disabled", "");
}
async function open(address) {
  const before = words()?.value, answer = await fetch(address, { headers: partial }).catch(() => undefined), page = answer?.ok && await parsed(answer);
  const typed = words()?.value; // meanwhile
  if (!page || !renew(page, true)) return location.assign(address);
  fixed = undefined;
  if (typed !== before && words() && !words().value) words().value = typed;
  restore();
  words()?.focus();
}
// look fetches new notes on an open page, and notices that its link has ended.
async function look() {
  const box = talk();
  if (over || !box?.dataset.poll || document.hidden || box.contains(document.activeElement) && document.activeElement !== words()) return;
  const answer = await fetch(box.dataset.poll, { headers: partial }).catch(() => undefined);
  if (answer?.status === 404) return ended();
  if (answer?.status === 403 && !find("[data-failed]", composer())) return fail(`${await reason(answer)} Your text is kept here.`);
  if (!answer?.ok || box !== talk()) return;
  const page = await parsed(answer);
  renew(page, false);
  catchUp(page);
}

// ---- Drawing ----
let tool, start;
function pick(button) {
  const taken = button && button.ariaPressed !== "true" ? button : undefined;
  for (const other of all("[data-tool]", talk())) other.setAttribute("aria-pressed", other === taken);
  tool = taken?.dataset.tool;
  film().classList.toggle("drawing", !!tool);
  opening();
  if (!tool) return;
  pause();
  film().removeAttribute("data-unseen");
  fix(fixed);
  canvas();
}
const put = () => pick();
const round = n => Math.round(Math.min(1, Math.max(0, n)) * 10000) / 10000;
function placeOf(e) {
  const { left, top, width, height } = film().getBoundingClientRect();
  return [round((e.clientX - left) / width), round((e.clientY - top) / height)];
}
on("pointerdown", e => {
  if (!tool || !e.target.closest(".film.drawing")) return;
  e.preventDefault();
  start = [placeOf(e)];
  e.target.setPointerCapture?.(e.pointerId);
}, true);
on("pointermove", e => {
  if (!start) return;
  if (tool === "line") {
    if (start.length === 200) start = start.filter((_, i) => i % 2 === 0);
    start.push(placeOf(e));
  } else {
    start[1] = placeOf(e);
  }
  field("mark").value = JSON.stringify({ kind: tool, points: start });
  show();
}, true);
on("pointerup", () => {
  if (!start) return;
  const few = start.length < 2;
  start = undefined;
  if (few) return;
  put();
  words().focus({ preventScroll: true });
}, true);
on("click", e => { if (tool && e.target.closest(".film.drawing")) e.stopPropagation(); }, true);

// ---- On paper: each note with its frame ----
const once = (e, type) => new Promise((done, fail) => { e.addEventListener(type, done, { once: true }); e.addEventListener("error", fail, { once: true }); });
async function stills() {
  const v = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src: video().currentSrc });
  await once(v, "loadeddata");
  for (const note of all(".remark[data-at]", talk())) {
    const still = find(".still", note) ?? document.createElement("canvas"), at = Math.min(note.dataset.at / 1000 + 0.001, v.duration);
    if (Math.abs(v.currentTime - at) > 0.0005) {
      v.currentTime = at;
      await once(v, "seeked");
    }
    Object.assign(still, { className: "still on-paper", width: 480, height: Math.round(480 * v.videoHeight / v.videoWidth) });
    still.getContext("2d").drawImage(v, 0, 0, still.width, still.height);
    note.append(still);
  }
}

// ---- What people do ----
on("click", e => {
  const button = e.target.closest("[data-print-notes]");
  if (!button || button.disabled) return;
  button.disabled = true;
  stills().catch(() => { /* then the thumbnail is printed alone */ }).finally(() => {
    button.disabled = false;
    print();
  });
});
// The second click of a double-click meets what the first has put there: it answers nothing.
on("click", e => {
  if (e.detail > 1 && e.target.closest("#answer :is(a, button), [data-composer] :is(.btn.primary, [data-answer-cancel])")) {
    e.preventDefault();
    e.stopImmediatePropagation();
  }
}, true);
on("click", e => {
  const at = e.target.closest("[data-seek]"), link = e.target.closest("[data-talk-link]"), draws = e.target.closest("[data-tool]"), step = plain(e) && e.target.closest("[data-answer-step]");
  const changes = e.target.closest("[data-answer-changes]"), back = plain(e) && e.target.closest("[data-answer-cancel]");
  if (changes || back) {
    e.preventDefault();
    if (changes && !field("verdict")) open(`${talk().dataset.talk}?task=${talk().dataset.task}&answer=changes`); // instead of a reply
    else if (back && !document.getElementById("answer").firstElementChild) open(back.dataset.answerCancel); // the page began with it
    else answering(!!changes);
  } else if (step) {
    e.preventDefault();
    decide(step.dataset.answerStep || step.href);
  } else if (at) {
    e.preventDefault();
    seek(+at.dataset.seek);
    at.closest(".points") && all(".remark", talk()).find(r => r.dataset.at === at.dataset.seek)?.scrollIntoView({ block: "nearest" });
  } else if (link && talk()?.contains(link)) {
    e.preventDefault();
    open(link.href);
  } else if (draws) {
    if (field("mark").value && draws.ariaPressed !== "true") field("mark").value = "";
    pick(draws);
    show();
  } else if (e.target.closest("[data-here]")) {
    fix();
  }
});
on("submit", e => {
  if (e.defaultPrevented) return;
  // Without script, buttons of the answer send what is typed as a note along; here it stays.
  const { submitter: button } = e, form = button?.closest("[data-answer]") ?? e.target, own = form === e.target;
  const fields = new URLSearchParams(own ? new FormData(form, button) : new FormData(form));
  if (!own) fields.set("verdict", button.value);
  const kind = form.matches("[data-talk-form]") ? "note" : form.matches("[data-answer]") && "answer", same = form.sending === `${fields}`;
  if (kind) e.preventDefault();
  if (!kind || same) return; // a second press while the first is on its way
  if (kind === "note") {
    form.sending = `${fields}`;
    send(form, button).finally(() => { form.sending = undefined; });
  } else {
    form.sending = `${fields}`;
    decide(form.action, { method: "POST", body: fields }).finally(() => { form.sending = undefined; });
  }
});
for (const type of ["focusin", "focusout"]) on(type, () => setTimeout(opening));
// keys is how much of the page the keyboard of a phone covers, where the page does not shrink.
const view = window.visualViewport;
view?.addEventListener("resize", () => {
  const covered = view.scale > 1.01 ? 0 : Math.round(innerHeight - view.height);
  document.documentElement.style.setProperty("--keys", `${covered > 80 ? covered : 0}px`);
});
addEventListener("resize", points);
on("input", e => {
  if (e.target.id !== "note-body") return;
  if (e.target.dataset.at && /[@＠]/.test(e.target.value)) import("./at.js"); // on the team's pages
  keep();
  opening();
  if (!e.target.value && !field("mark")?.value && !composer().matches(".answering")) {
    fixed = undefined;
    tell();
  } else if (fixed === undefined) {
    pause();
    fix();
  }
});
on("keydown", e => {
  if (e.target.id === "note-body" && e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    return composer().requestSubmit();
  }
  if (e.key === "Escape" && tool) {
    e.stopPropagation();
    return put();
  }
  if (e.key === "Escape" && guests() && composer().contains(e.target)) return composer().matches(".answering") ? find("[data-answer-cancel]", composer()).click() : e.target.blur();
  if (!talk() || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=range]), textarea, select") || document.documentElement.hasAttribute("data-keys-off")) return;
  const times = all(".remark[data-at]", talk()).map(n => n.dataset.at / 1000).filter(t => place(t) !== undefined).sort((a, b) => a - b), at = now();
  // The threshold is below the length of a frame: notes on consecutive frames are two places.
  const to = { n: times.find(t => t > at + 0.005), p: times.findLast(t => t < at - 0.005) }[e.key];
  if (to !== undefined) seek(to * 1000);
  else if (e.key === "c" && talk().dataset.poll) words()?.focus();
  else return;
  e.preventDefault();
}, true);
for (const type of ["timeupdate", "seeked", "loadedmetadata"]) {
  on(type, e => {
    if (e.target !== video()) return;
    if (type === "loadedmetadata") points();
    if (fixed === undefined) tell();
    show();
  }, true);
}
for (const type of ["pointerover", "focusin"]) on(type, e => e.target.closest?.("#talk") && show());

let last;
function settle() {
  if (!talk() || talk() === last) return;
  last = talk();
  fixed = tool = undefined;
  restore();
  points();
  tell();
  show();
  opening();
}
// Another video of a collection has its own notes and its own answer.
let clip;
on("clip", async e => {
  clip = e.detail;
  const answer = talk() && await fetch(clip).catch(() => undefined), page = answer?.ok && await parsed(answer);
  if (!page || clip !== e.detail) return; // or another one shows meanwhile
  for (const id of ["talk", "answer", "takes"]) {
    const fresh = find("#" + id, page);
    if (fresh) document.getElementById(id)?.replaceWith(fresh);
  }
  settle();
});
on("fresh", settle);
on("htmx:after:swap", settle);
settle();
setInterval(look, 10_000);
document.addEventListener("visibilitychange", look);
