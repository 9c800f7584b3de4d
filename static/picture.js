// The form's pictures: a look at each address before it is paid for, uploads by
// choosing, dropping or pasting, and earlier pictures. Without it there are
// buttons that send the form.
import { all, find, on } from "./dom.js";

const box = () => find("#pictures");
const field = picture => find("input[type=url]", picture);
const most = 20 << 20;

function tell(picture, text, mood = "") {
  const note = find("[data-note]", picture);
  if (note.textContent !== text) note.textContent = text;
  note.toggleAttribute("data-bad", mood === "bad");
  note.toggleAttribute("data-good", mood === "good");
}
const ask = picture => find("[data-note]", picture).dataset.ask;

// What the browser shows. What was uploaded lies on this site, whatever the
// service calls it.
function show(picture, text) {
  const image = find("[data-preview]", picture);
  let source = "";
  try {
    const url = new URL(text);
    if (/^https?:$/.test(url.protocol)) source = /^\/p\/[A-Z2-7]{26}$/.test(url.pathname) ? url.pathname + "/small" : url.href;
  } catch { /* no address yet */ }
  if (image.getAttribute("src") === source) return;
  image.hidden = !source;
  if (source) image.src = source;
  else image.removeAttribute("src");
}

// What the server finds at the address.
async function look(picture) {
  const input = field(picture), typed = input.value.trim();
  const told = find(".error", picture) && input.value === input.defaultValue;
  show(picture, typed);
  if (picture.seen === typed) return;
  picture.asking?.abort();
  picture.seen = typed;
  if (!typed || told) return tell(picture, told ? "" : ask(picture));
  const asking = picture.asking = new AbortController();
  tell(picture, "Looking at it…");
  try {
    const answer = await fetch("/create/picture?" + new URLSearchParams({ url: typed }), {
      headers: { "HX-Request-Type": "partial" }, signal: asking.signal,
    });
    if (!answer.ok) throw new Error(answer.statusText);
    said(picture, await answer.text());
  } catch {
    if (asking.signal.aborted) return;
    picture.seen = undefined;
    tell(picture, ask(picture));
  }
}

// What the server said: a sentence, and the address as the service gets it.
function said(picture, html) {
  const note = find("[data-note]", new DOMParser().parseFromString(html, "text/html"));
  if (!note) throw new Error("no note");
  const { address } = note.dataset, input = field(picture);
  if (address && address !== input.value) fill(picture, address);
  tell(picture, note.textContent, "bad" in note.dataset ? "bad" : "good" in note.dataset ? "good" : "");
  if ("slow" in note.dataset && !all("input[name=slow_told]").some(i => i.value === address)) {
    const known = document.createElement("input");
    Object.assign(known, { type: "hidden", name: "slow_told", value: address });
    box().append(known);
  }
}

// fill puts an address into the field that needs no look.
function fill(picture, address) {
  const input = field(picture);
  input.value = picture.seen = address;
  picture.removeAttribute("data-bad");
  input.removeAttribute("aria-invalid");
  input.setAttribute("aria-describedby", find("[data-note]", picture).id);
  find(".error", picture)?.remove();
  picture.closest("[data-spare]")?.removeAttribute("data-spare");
  show(picture, address);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

// A place for one more picture: the one with the focus if it is empty, the
// first empty one, or the last.
function place() {
  const here = document.activeElement?.closest("[data-picture]");
  if (here && !field(here).value) return here;
  const places = all("[data-picture]", box());
  return places.find(p => !field(p).value && !p.sending) ?? places.at(-1);
}

async function upload(picture, file) {
  fill(picture, ""); // another file is wanted: what was there must not be paid for
  picture.asking?.abort();
  picture.sending?.abort();
  if (!("uploads" in box().dataset)) return tell(picture, "Pictures cannot be uploaded here yet; please paste the address of one.", "bad");
  if (file.size > most) return tell(picture, "This picture has more than 20 MB; please use a smaller copy of it.", "bad");
  const body = new FormData();
  body.append("file." + picture.dataset.picture, file, file.name || "pasted");
  const sending = picture.sending = new AbortController();
  tell(picture, "Uploading…");
  try {
    const answer = await fetch(box().dataset.uploadPath, { method: "POST", body, headers: { "HX-Request-Type": "partial" }, signal: sending.signal });
    if (!answer.ok && answer.status !== 422) throw new Error(answer.statusText);
    const html = await answer.text();
    if (!sending.signal.aborted) said(picture, html);
  } catch {
    if (!sending.signal.aborted) tell(picture, "The upload did not work. Please try again.", "bad");
  }
  if (picture.sending === sending) picture.sending = undefined;
}

// take takes pictures, or else an address, from a drop or the clipboard.
function take(from, first) {
  const files = [...from.files].filter(f => f.type.startsWith("image/") || !f.type);
  const address = from.getData("text/uri-list").split(/\r?\n/).find(line => line && !line.startsWith("#"));
  const target = () => { const p = first ?? place(); first = undefined; return p; };
  if (files.length) for (const file of files) upload(target(), file);
  else if (address) { const picture = target(); fill(picture, address); picture.seen = undefined; look(picture); }
  return files.length || address;
}

// Pictures that are added and removed one by one.
function offer() {
  const add = find("[data-add]");
  if (add) add.hidden = !find("#pictures [data-spare]");
  for (const remove of all("[data-remove]")) {
    remove.hidden = all("#pictures .picture:not([data-spare])").length < 2 && !field(remove.closest("[data-picture]")).value;
  }
}
function addPicture() {
  const spare = find("#pictures [data-spare]");
  spare?.removeAttribute("data-spare");
  offer();
  if (spare) field(spare).focus();
}
function removePicture(button) {
  const open = all("#pictures .picture:not([data-spare])"), inputs = open.map(field);
  for (let i = open.indexOf(button.closest(".picture")); i < inputs.length; i++) {
    inputs[i].value = inputs[i + 1]?.value ?? "";
    look(find("[data-picture]", open[i]));
  }
  if (open.length > 1) open.at(-1).setAttribute("data-spare", "");
  offer();
  const last = inputs[Math.max(0, open.length - 2)];
  last.focus();
  last.dispatchEvent(new Event("input", { bubbles: true }));
}

on("input", e => {
  const picture = e.target.closest("[data-picture]");
  if (!picture || e.target !== field(picture)) return;
  if (e.isTrusted) picture.sending?.abort(); // somebody types another address
  clearTimeout(picture.timer);
  picture.timer = setTimeout(() => look(picture), 450);
  offer();
});
on("change", e => {
  if (!e.target.matches("[data-file]") || !e.target.files.length) return;
  upload(e.target.closest("[data-picture]"), e.target.files[0]);
  e.target.value = "";
});
on("click", e => {
  const pick = e.target.closest("[data-pick]");
  if (pick) {
    const picture = place();
    fill(picture, pick.dataset.pick);
    picture.seen = undefined;
    look(picture);
  }
  if (e.target.closest("[data-add]")) addPicture();
  if (e.target.closest("[data-remove]")) removePicture(e.target.closest("[data-remove]"));
});
on("paste", e => {
  const from = e.clipboardData, here = e.target.closest?.("[data-picture]");
  if (!from?.files.length || (from.getData("text/plain") && e.target.matches("input, textarea"))) return;
  if (take(from, here)) e.preventDefault();
});

// A drop anywhere on the page is a picture; it never replaces the page.
const drops = e => [...e.dataTransfer.types].some(t => t === "Files" || (t === "text/uri-list" && !e.target.matches?.("textarea")));
function over(e) {
  const here = e && drops(e) ? e.target.closest?.(".drop") : null;
  for (const drop of all(".drop")) drop.toggleAttribute("data-over", drop === here);
}
on("dragover", e => {
  if (drops(e)) e.preventDefault();
  over(e);
});
on("dragleave", e => e.relatedTarget || over());
on("drop", e => {
  over();
  if (!drops(e)) return;
  e.preventDefault();
  take(e.dataTransfer, e.target.closest?.("[data-picture]"));
});

on("error", e => { if (e.target.matches?.("[data-preview], [data-thumb]")) e.target.hidden = true; }, true);
on("load", e => { if (e.target.matches?.("[data-preview]")) e.target.hidden = false; }, true);
function settle() {
  for (const picture of all("[data-picture]")) look(picture);
  offer();
}
on("htmx:after:swap", e => {
  if (e.target.id !== "model") return;
  for (const picture of all("#options [data-picture]")) picture.seen = undefined;
  settle();
});
settle();
