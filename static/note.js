// Notes on a video, on pages of the team and of guests: a note takes its time from the player
// and may have a drawing on the picture. Forms are sent without leaving the page. Everything
// but drawing works without it.
import { all, find, on } from "./dom.js";

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
  const here = find("[data-here]", talk());
  if (here) here.textContent = clock(fixed ?? now());
}

// What is typed is kept until it is sent, also when the link ends meanwhile.
const key = () => `dailies note ${talk().dataset.task}`;
function keep() {
  try {
    if (words().value) sessionStorage.setItem(key(), words().value);
    else sessionStorage.removeItem(key());
  } catch { /* no storage */ }
}
function restore() {
  try {
    if (words() && !words().value && !field("parent")) words().value = sessionStorage.getItem(key()) ?? "";
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

// points puts the notes onto the timeline: of several that would cover each other, one.
function points() {
  const line = find(".deck .line", player() ?? undefined);
  if (!line || !talk() || !length()) return;
  const notes = all(".remark[data-at]", talk()), places = [];
  for (const note of notes) {
    const at = place(note.dataset.at / 1000) / length();
    if (isNaN(at)) continue;
    const near = places.find(p => Math.abs(p.at - at) < 0.02 && !note.dataset.until);
    if (near) near.names.push(note.dataset.name);
    else places.push({ at, note, names: [note.dataset.name] });
  }
  find(".points", line)?.remove();
  line.classList.toggle("noted", places.length > 0);
  if (!places.length) return;
  const list = document.createElement("ol");
  list.className = "points";
  list.ariaLabel = "Notes on the time line";
  for (const { at, note, names } of places) {
    const item = document.createElement("li"), button = document.createElement("button"), name = names.length > 1 ? `${names.length} notes: ${names.join(", ")}` : names[0];
    item.className = note.dataset.kind;
    item.style.insetInlineStart = `${Math.min(at, 1) * 100}%`;
    if (note.dataset.until) {
      const span = document.createElement("i");
      span.style.width = `${(note.dataset.until - note.dataset.at) / 10 / length()}%`;
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
  if (form && old && next) old.replaceWith(next);
  const me = find("#me", fresh);
  if (me && !find("#me", talk())) { // a guest has given a name
    talk().append(me);
    find("#verdict-name")?.closest(".field").remove();
  }
  count();
  points();
  tell();
  show();
  return true;
}
// count shows the number of open notes on the tab.
function count() {
  const tab = document.getElementById("tab-notes"), n = all(".remark:not(.done)", talk()).length;
  if (tab) tab.textContent = n ? `Notes ${n}` : "Notes";
}
function fail(text) {
  const form = composer();
  if (!form) return said(text);
  find("[data-failed]", form)?.remove();
  const p = document.createElement("p");
  Object.assign(p, { className: "error", role: "alert", textContent: text });
  p.dataset.failed = "";
  form.append(p);
}
const partial = { "HX-Request-Type": "partial" };
const parsed = async answer => new DOMParser().parseFromString(await answer.text(), "text/html");

async function send(form, button) {
  const composing = form === composer(), body = new URLSearchParams(new FormData(form, button)), sent = words()?.value;
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
  if (answer.ok || answer.status === 422) {
    if (composing && answer.ok) {
      if (words().value === sent) words().value = "";
      if (field("mark")) field("mark").value = "";
      find("[data-failed]", form)?.remove();
      keep();
      fixed = undefined;
      put();
    }
    if (renew(await parsed(answer), composing && !(plain && answer.ok) || !answer.ok)) {
      if (composing) words()?.focus({ preventScroll: true });
      else if (!talk().contains(document.activeElement)) (find(".remark a", talk()) ?? words())?.focus({ preventScroll: true });
      return answer.ok && said(composing ? "Sent." : "Done.");
    }
    return location.reload();
  }
  if (answer.status === 404 && talk().dataset.poll) return ended();
  const text = answer.headers.get("Content-Type")?.startsWith("text/plain") && await answer.text();
  fail(text || "That didn’t work. Your text is kept here.");
}
function ended() {
  fail("This link has ended. Your text is kept here.");
  find(".btn.primary", composer())?.setAttribute("disabled", "");
}
async function open(link) {
  const before = words()?.value, answer = await fetch(link.href, { headers: partial }).catch(() => undefined), page = answer?.ok && await parsed(answer);
  const typed = words()?.value; // meanwhile
  if (!page || !renew(page, true)) return location.assign(link.href);
  fixed = undefined;
  if (typed !== before && words() && !words().value) words().value = typed;
  restore();
  words()?.focus();
}
// look fetches new notes on an open page, and notices that its link has ended.
async function look() {
  const box = talk();
  if (!box?.dataset.poll || document.hidden || box.contains(document.activeElement) && document.activeElement !== words()) return;
  const answer = await fetch(box.dataset.poll, { headers: partial }).catch(() => undefined);
  if (answer?.status === 404 || answer?.status === 403) return ended();
  if (answer?.ok && box === talk()) renew(await parsed(answer), false);
}

// ---- Drawing ----
let tool, start;
function pick(button) {
  const taken = button && button.ariaPressed !== "true" ? button : undefined;
  for (const other of all("[data-tool]", talk())) other.setAttribute("aria-pressed", other === taken);
  tool = taken?.dataset.tool;
  film().classList.toggle("drawing", !!tool);
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
on("click", e => {
  const at = e.target.closest("[data-seek]"), link = e.target.closest("[data-talk-link]"), draws = e.target.closest("[data-tool]");
  if (at) {
    e.preventDefault();
    seek(+at.dataset.seek);
    at.closest(".points") && all(".remark", talk()).find(r => r.dataset.at === at.dataset.seek)?.scrollIntoView({ block: "nearest" });
  } else if (link && talk()?.contains(link)) {
    e.preventDefault();
    open(link);
  } else if (draws) {
    if (field("mark").value && draws.ariaPressed !== "true") field("mark").value = "";
    pick(draws);
    show();
  } else if (e.target.closest("[data-here]")) {
    fix();
  }
});
on("submit", e => {
  if (!e.target.matches("[data-talk-form]") || e.defaultPrevented) return;
  e.preventDefault();
  send(e.target, e.submitter);
});
on("input", e => {
  if (e.target.id !== "note-body") return;
  if (e.target.dataset.at && /[@＠]/.test(e.target.value)) import("./at.js"); // on the team's pages
  keep();
  if (!e.target.value && !field("mark")?.value) {
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
  if (!talk() || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.target.matches("input:not([type=range]), textarea, select") || document.documentElement.hasAttribute("data-keys-off")) return;
  const times = all(".points button", player()).map(b => b.dataset.seek / 1000).sort((a, b) => a - b), at = now();
  const to = { n: times.find(t => t > at + 0.02), p: times.findLast(t => t < at - 0.02) }[e.key];
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
}
// Another video of a collection has its own notes and its own answer.
let clip;
on("clip", async e => {
  clip = e.detail;
  const answer = talk() && await fetch(clip).catch(() => undefined), page = answer?.ok && await parsed(answer);
  if (!page || clip !== e.detail) return; // or another one shows meanwhile
  for (const id of ["talk", "verdict", "takes"]) {
    const fresh = find("#" + id, page);
    if (fresh) document.getElementById(id)?.replaceWith(fresh);
  }
  settle();
});
on("fresh", settle);
on("htmx:after:swap", settle);
settle();
setInterval(look, 10_000);
