// The picture tiles of the form: a check of each address, uploads, and recent pictures.
// Without it, buttons send the form.
import { all, find, on } from "./dom.js";

const box = () => find("#pictures");
const tiles = () => all("[data-picture]");
const field = tile => find("input[type=url]:not([data-other-name])", tile);
const most = 20 << 20;

function tell(tile, text, mood = "") {
  const note = find("[data-note]", tile);
  if (note.textContent !== text) note.textContent = text;
  note.toggleAttribute("data-busy", mood === "busy");
  tile.toggleAttribute("data-bad", mood === "bad" || !!find(".error", tile));
  tile.refused = mood === "bad" && !field(tile).value;
}

// show shows the preview, which is always loaded from this site, whatever host the
// address for the service has.
function show(tile, text, source = preview(text)) {
  const image = find("[data-preview]", tile);
  if (image.getAttribute("src") === source) return;
  image.hidden = !source;
  if (source) image.src = source;
  else image.removeAttribute("src");
}
function preview(text) {
  try {
    const url = new URL(text);
    if (!/^https?:$/.test(url.protocol)) return "";
    return /^\/p\/[A-Z2-7]{26}$/.test(url.pathname) ? url.pathname + "/small" : "/pictures/linked?" + new URLSearchParams({ address: text });
  } catch { return ""; } // not a URL yet
}

// describe shows name and facts of the picture. Without a name, the tile is empty.
function describe(tile, name = "", facts = "", ratio = "") {
  find("[data-name]", tile).textContent = name;
  find("[data-facts]", tile).textContent = facts;
  if (ratio) tile.dataset.ratio = ratio;
  else delete tile.dataset.ratio;
  tile.toggleAttribute("data-filled", !!name);
  fit();
}

// look lets the server check the address.
async function look(tile) {
  const input = field(tile), typed = input.value.trim();
  const told = find(".error", tile) && input.value === input.defaultValue;
  if (find("[data-preview]", tile).getAttribute("src") !== preview(typed)) show(tile, "");
  if (tile.seen === typed) return;
  tile.asking?.abort();
  tile.seen = typed;
  tile.removeAttribute("data-unseen");
  if (!typed || told) {
    describe(tile);
    return tell(tile, "");
  }
  const asking = tile.asking = new AbortController();
  tell(tile, "Looking at it…", "busy");
  try {
    const answer = await fetch("/create/picture?" + new URLSearchParams({ url: typed }), {
      headers: { "HX-Request-Type": "partial" }, signal: asking.signal,
    });
    if (!answer.ok) throw new Error(answer.statusText);
    const html = await answer.text();
    if (input.value.trim() === typed) said(tile, html); // otherwise the rest of it is being typed
  } catch {
    if (asking.signal.aborted) return;
    tile.seen = undefined;
    tell(tile, "");
  }
}

// said handles the server's response: the address for the service, and the finding.
function said(tile, html) {
  const note = find("[data-note]", new DOMParser().parseFromString(html, "text/html"));
  if (!note) throw new Error("no note");
  const { address, name, facts, ratio, thumb } = note.dataset, bad = "bad" in note.dataset;
  if (address && address !== field(tile).value) fill(tile, address);
  const end = address?.split(/[?#]/)[0].split("/").pop() || "Picture";
  if (bad) describe(tile);
  else describe(tile, name || end, facts, ratio), show(tile, address, thumb);
  tile.toggleAttribute("data-unseen", "unknown" in note.dataset || "slow" in note.dataset);
  fit();
  tell(tile, note.textContent, bad ? "bad" : "");
  if (note.dataset.wait) { // it was not looked at yet
    tile.seen = undefined;
    clearTimeout(tile.timer);
    tile.timer = setTimeout(() => look(tile), note.dataset.wait * 1000);
  }
  if ("slow" in note.dataset && !all("input[name=slow_told]").some(i => i.value === address)) {
    const known = document.createElement("input");
    Object.assign(known, { type: "hidden", name: "slow_told", value: address });
    box().append(known);
  }
}

// fill sets the field to an address that needs no check.
function fill(tile, address) {
  const input = field(tile);
  input.value = tile.seen = address;
  if (!address) describe(tile);
  show(tile, address);
  input.dispatchEvent(new Event("input", { bubbles: true }));
}

// place returns the tile for one more picture: the focused one if it is empty, the
// first empty one, or the last.
function place() {
  const here = document.activeElement?.closest("[data-picture]");
  if (here && !field(here).value) return here;
  const places = all("[data-picture]", box());
  return places.find(p => !field(p).value && !p.sending) ?? places.at(-1);
}

async function upload(tile, file) {
  fill(tile, ""); // the previous picture must not be used any more
  tile.asking?.abort();
  tile.sending?.abort();
  if (!("uploads" in box().dataset)) return tell(tile, "Uploads aren’t set up yet. Paste a link instead.", "bad");
  if (file.size > most) return tell(tile, "Over 20 MB. Use a smaller copy.", "bad");
  const body = new FormData();
  body.append("file." + tile.dataset.picture, file, file.name || "pasted");
  const sending = tile.sending = new AbortController();
  tell(tile, "Uploading…", "busy");
  try {
    const answer = await fetch(box().dataset.uploadPath, { method: "POST", body, headers: { "HX-Request-Type": "partial" }, signal: sending.signal });
    if (!answer.ok && answer.status !== 422) throw new Error(answer.statusText);
    const html = await answer.text();
    if (!sending.signal.aborted) said(tile, html);
  } catch {
    if (!sending.signal.aborted) tell(tile, "The upload failed. Try again.", "bad");
  }
  if (tile.sending === sending) tile.sending = undefined;
}

function use(tile, address) {
  fill(tile, address);
  tile.seen = undefined;
  look(tile);
}

// remove empties a tile. Among numbered pictures, the later ones move up.
function remove(tile) {
  const all = "oneByOne" in box().dataset && box().contains(tile) ? tiles().filter(t => box().contains(t)) : [tile];
  const values = all.map(t => field(t).value), at = all.indexOf(tile);
  values.splice(at, 1);
  for (let i = at; i < all.length; i++) {
    all[i].sending?.abort();
    if (values[i]) use(all[i], values[i]);
    else fill(all[i], "");
    tell(all[i], "");
  }
  field(all.find(t => !field(t).value)).focus();
}

// The video's aspect ratio is the chosen one, or the offered one nearest to the start
// frame's, or just that. Pictures with another one will be cropped.
const shapes = ["21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16", "9:21"];
const ratio = shape => { const [w, h] = shape.split(":"); return w / h; };
const far = (a, b) => Math.abs(Math.log(a / b));
const nearest = (of, among) => among.toSorted((a, b) => far(of, ratio(a)) - far(of, ratio(b)))[0];
function fit() {
  const offered = all("[name=aspect_ratio]").map(radio => radio.value).filter(value => value.includes(":"));
  const fixed = box()?.dataset.oneByOne === undefined, start = tiles()[0]?.dataset.ratio;
  const radio = find("[name=aspect_ratio]:checked"), like = radio?.value === "picture";
  const chosen = like ? start ? nearest(+start, offered) : radio.dataset.usual : radio?.value;
  for (const tile of tiles()) {
    const line = find("[data-fit]", tile), own = +tile.dataset.ratio, [words, button] = line.children;
    if (like && !own && tile === tiles()[0] && tile.dataset.unseen !== undefined) {
      words.textContent = `The picture’s size isn’t known, so ${chosen} is sent.`;
      line.hidden = false, button.hidden = true;
      continue;
    }
    const target = chosen?.includes(":") ? ratio(chosen) : !offered.length && tile !== tiles()[0] ? +start : 0;
    const cropped = fixed && own && target && far(own, target) > 0.03;
    line.hidden = !cropped;
    tile.toggleAttribute("data-cropped", !!cropped);
    const frame = find(".frame", tile);
    frame.style.setProperty("--ar", own || 1.7778);
    frame.style.setProperty("--crop", target || 1.7778);
    if (!cropped) continue;
    const better = nearest(own, offered);
    words.textContent = `${nearest(own, shapes)}, will be cropped to ${chosen?.includes(":") ? chosen : nearest(target, shapes)}`;
    button.hidden = !better || better === chosen || like;
    button.textContent = `Use ${better}`;
    button.dataset.shape = better ?? "";
  }
}
function reshape(shape) {
  const radio = all("[name=aspect_ratio]").find(radio => radio.value === shape);
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  find("#open-aspect_ratio").focus();
}

// hold prevents sending without a picture that is still uploading or was refused.
// To go on without a refused one, the user presses again.
function hold(e) {
  const tile = e.target.matches("[data-make], [data-face]") && tiles().find(t => t.sending || t.refused);
  if (!tile) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  if (tile.sending) {
    tell(tile, "Still uploading. Press again when the picture is here.", "busy");
  } else {
    tell(tile, `${find("[data-note]", tile).textContent} Press again to go on without it.`, "bad");
    tile.refused = false;
  }
  tile.scrollIntoView({ block: "nearest" });
  field(tile).focus();
}
on("submit", hold, true);

on("input", e => {
  const tile = e.target.closest("[data-picture]");
  if (!tile) return;
  if ("otherName" in e.target.dataset) { // a program filled in the API's other name
    field(tile).value = e.target.value;
    return look(tile);
  }
  if (e.target !== field(tile)) return;
  if (e.isTrusted) tile.sending?.abort(); // the user types another address
  clearTimeout(tile.timer);
  tile.timer = setTimeout(() => look(tile), 450);
});
on("change", e => {
  if (e.target.name === "aspect_ratio") fit();
  if (!e.target.matches("[data-file]") || !e.target.files.length) return;
  upload(e.target.closest("[data-picture]"), e.target.files[0]);
  e.target.value = "";
});
on("click", e => {
  const pick = e.target.closest("[data-pick]"), gone = e.target.closest("[data-remove]"), shape = e.target.closest("[data-shape]");
  if (pick) use(place(), pick.dataset.pick);
  if (gone) remove(gone.closest("[data-picture]"));
  if (shape) reshape(shape.dataset.shape);
});
// Pictures that were dropped or pasted (drop.js).
on("picture", e => {
  const { file, address } = e.detail;
  if (file) upload(e.target, file);
  else use(e.target, address);
});

on("error", e => { if (e.target.matches?.("[data-preview]")) e.target.hidden = true; }, true);
on("load", e => {
  const image = e.target, tile = image.matches?.("[data-preview]") && image.closest("[data-picture]");
  if (tile) image.hidden = false;
}, true);
function settle() {
  for (const tile of tiles()) look(tile);
  fit();
}
on("htmx:after:swap", e => {
  if (e.target.id !== "options") return;
  for (const tile of all("#options [data-picture]")) tile.seen = undefined;
  settle();
});
on("scene", settle);
settle();
// Files that were chosen before this script was loaded.
for (const input of all("[data-file]")) if (input.files.length) input.dispatchEvent(new Event("change", { bubbles: true }));
