// What is dropped or pasted anywhere on a page with a form for a video. Pictures go into
// free tiles, or else the form changes to the scene that has room for them, with
// everything that was typed, and changes again when one is removed. Text goes into the
// prompt, and a table into the field for one. A drop never leaves the page.
import { all, find, on, toast } from "./dom.js";

const form = () => find("form[data-make], form[data-recipe], form[data-face]");
const tiles = () => all("[data-picture]");
const field = tile => find("input[type=url]:not([data-other-name])", tile);
const filled = () => tiles().map(tile => field(tile).value.trim()).filter(Boolean);
const most = 3, largest = 20 << 20;

// tell shows and announces a sentence. undo is called by its button, if it is given.
export function tell(text, undo) {
  const box = toast(text);
  if (!undo) return;
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo" });
  button.dataset.undo = "";
  button.addEventListener("click", () => { box.parentElement.remove(); undo(); });
  box.append(button);
}

// The content of a drop or of the clipboard. A picture that is dragged from another page
// may be inside a link, so its own address counts.
const web = text => /^https?:\/\/\S+$/i.test(text);
const lines = text => text.split(/\r?\n/).map(line => line.trim()).filter(line => line && !line.startsWith("#"));
const isPicture = address => { try { return /\.(jpe?g|png|webp|gif|bmp|avif|heic)$/i.test(new URL(address).pathname) || /^\/p\/[A-Z2-7]{26}$/.test(new URL(address).pathname); } catch { return false; } };
function addressesIn(from) {
  const image = find("img[src]", new DOMParser().parseFromString(from.getData("text/html"), "text/html"))?.getAttribute("src");
  if (image && web(image)) return [image];
  const links = lines(from.getData("text/uri-list")), text = lines(from.getData("text/plain"));
  return links.length ? links : text.length && text.every(web) ? text : [];
}
const itemsIn = from => from.files.length ? [...from.files].map(file => ({ file })) : addressesIn(from).map(address => ({ address }));

// wrong returns why a file cannot be a picture, as far as its type and size say.
function wrong({ file, address }) {
  const name = file?.name || "This file";
  if (!file) return web(address) ? "" : "That isn’t a link to a picture. It starts with https://";
  if (file.type.startsWith("video/")) return `${name} is a video. Drop a frame of it as a picture, or open it in the gallery and press Next scene.`;
  if (file.type && !file.type.startsWith("image/")) return `${name} isn’t a picture. Use JPEG, PNG, WebP, GIF or BMP.`;
  if (file.size > largest) return `${name} is over 20 MB. Use a smaller copy.`;
  if (!("uploads" in form().dataset)) return "Uploads aren’t set up yet. Paste a link instead.";
  return "";
}

// check lets the server look at a picture, and returns its address or what is wrong.
async function check({ file, address }) {
  const headers = { "HX-Request-Type": "partial" };
  let answer;
  try {
    if (file) {
      const body = new FormData();
      body.append("file.image_input.0", file, file.name || "pasted");
      answer = await fetch("/pictures?scene=image-to-video", { method: "POST", body, headers });
    } else {
      answer = await fetch("/create/picture?" + new URLSearchParams({ url: address }), { headers });
    }
    const note = find("[data-note]", new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (!note) throw new Error("no note");
    return "bad" in note.dataset ? { bad: note.textContent } : { address: note.dataset.address || address };
  } catch {
    return { bad: file ? "The upload failed. Try again." : "We can’t reach Dailies. Try again." };
  }
}

// The scene for so many pictures, and its tab.
const scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"];
const tabOf = scene => find(`nav[data-scenes] a[href*="${scene}"]`, form());
const here = () => scenes.find(scene => tabOf(scene)?.ariaCurrent);

// values returns the form's fields with the pictures, except for long texts, which are
// copied in the browser.
const texts = () => all("textarea, input[name=name], input[name=note]:not([type=hidden]), input[name=ceiling]", form());
function values(pictures) {
  const leave = ["token", "draft", "as", "price_shown", "scene", "image_input", "end_image_url", "image_url", "slow_told", "do"];
  const query = new URLSearchParams([...new FormData(form())].filter(([name, value]) =>
    typeof value === "string" && value && !leave.includes(name) && !/^(file|ask)/.test(name) && !texts().some(text => text.name === name)));
  if (query.has("use")) query.set("prompt", ""); // else the origin's prompt would be shown
  for (const picture of pictures) query.append("image_input", picture);
  return query;
}

// move shows the form of another scene with these pictures in place of the present one,
// which it returns.
async function move(scene, pictures) {
  const address = new URL(tabOf(scene).href), query = values(pictures);
  const lasting = new URLSearchParams(address.searchParams.has("scene") ? { scene } : "");
  const answer = await fetch(`${address.pathname}?${new URLSearchParams([...lasting, ...query])}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html"), old = form(), fresh = find("#" + old.getAttribute("id"), page);
  if (!answer.ok || !fresh) throw new Error(answer.status);
  const loaded = src => all("script[src]").some(script => script.getAttribute("src") === src);
  await Promise.all(all("script[type=module][src]", page).map(script => script.getAttribute("src")).filter(src => !loaded(src)).map(src => import(src)));
  show(fresh, old);
  const went = location.href;
  history.replaceState(history.state, "", address.pathname + (lasting.size ? "?" + lasting : ""));
  return () => {
    show(old, fresh);
    history.replaceState(history.state, "", went);
  };
}
// show replaces one form by another, with the texts, the focus and the page's address.
function show(next, old) {
  const focus = document.activeElement, at = old.contains(focus) && focus.name ? [focus.name, focus.selectionStart, focus.selectionEnd] : undefined;
  const typed = new Map(texts().map(text => [text.name, text.value]));
  old.replaceWith(next);
  for (const text of texts()) if (typed.has(text.name)) text.value = typed.get(text.name);
  const page = find("#start-afresh [name=page]"), draft = find("[name=draft]", next);
  if (page && draft) page.value = draft.value;
  if (!next.shown) window.htmx?.process(next);
  next.shown = old.shown = true;
  if (at) {
    const field = find(`textarea[name="${CSS.escape(at[0])}"]`, next) ?? find(`[name="${CSS.escape(at[0])}"]:not([type=hidden])`, next);
    field?.focus({ preventScroll: true });
    if (field?.matches("textarea")) field.setSelectionRange(at[1], at[2]);
  }
  document.dispatchEvent(new Event("scene"));
  find("textarea", next)?.dispatchEvent(new Event("input", { bubbles: true })); // so that the draft is kept
}

const give = (tile, item) => tile.dispatchEvent(new CustomEvent("picture", { detail: item, bubbles: true }));
const forPictures = n => (n === 1 ? "your picture" : `your ${n} pictures`);

// add takes the pictures into the form. tile is where they were dropped, and text what
// was pasted into a field, which undo brings back.
let adding = false;
export async function add(items, tile, text) {
  if (adding) return tell("Still adding the last pictures. Try again in a moment.");
  const why = items.map(wrong).filter(Boolean), fine = items.filter(item => !wrong(item));
  if (!fine.length) return tell(why[0]);
  if (tile && fine.length === 1) return give(tile, fine[0]);
  if (tiles().some(tile => tile.sending)) return tell("A picture is still uploading. Try again in a moment.");
  const free = tiles().filter(tile => !field(tile).value.trim());
  if (fine.length <= free.length) {
    fine.forEach((item, i) => give(free[i], item));
    if (why.length) tell(why[0]);
    return;
  }
  const had = filled(), fits = most - had.length;
  if (!here() || here() === scenes[most] || fits < 1) return some(free, fine);
  adding = true;
  tell(fine.length === 1 ? "Adding your picture…" : `Adding ${fine.length} pictures…`);
  try {
    const checked = await Promise.all(fine.slice(0, fits).map(check)), good = checked.filter(one => !one.bad).map(one => one.address);
    for (const { bad } of checked) if (bad) why.push(bad);
    if (fine.length > fits) why.push(`Room for ${most} pictures.`);
    await arrange(had, good, why, text);
  } catch {
    tell("We can’t reach Dailies. Nothing changed; try again.");
  } finally {
    adding = false;
  }
}
// some fills the free places of a form that has no other scene.
function some(free, items) {
  free.forEach((tile, i) => give(tile, items[i]));
  if (free.length) tell(free.length === 1 ? "Room for 1 picture. The others were left out." : `Room for ${free.length} pictures. The others were left out.`);
  else tell(tiles().length ? "No room for another picture. Remove one first." : "This recipe asks for no picture.");
}
// arrange moves to the scene for the pictures, and says so.
async function arrange(had, good, why, text) {
  const scene = scenes[had.length + good.length];
  if (!good.length) return tell(why[0]);
  const back = await move(scene, [...had, ...good]);
  const name = tabOf(scene).textContent.trim();
  tell([`Switched to ${name} for ${forPictures(had.length + good.length)}.`, ...why.slice(0, 1)].join(" "), () => {
    back();
    const prompt = find("#prompt");
    prompt?.focus();
    if (text) prompt?.setRangeText(text, prompt.selectionStart, prompt.selectionEnd, "end");
    prompt?.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

// removed moves to the scene for what is left when a picture is removed from a tile, and
// reports whether it does. References stay, however many they are.
const tabs = () => form()?.matches("[data-make]") && here();
function removed(tile) {
  const left = filled().length - 1, to = { "image-to-video": scenes[0], "frames-to-video": scenes[left], "reference-to-video": left ? "" : scenes[0] }[tabs()];
  if (!to || left < 0 || adding || tile.closest("#options") || tiles().some(tile => tile.sending)) return false;
  const rest = tiles().filter(other => other !== tile).map(other => field(other).value.trim()).filter(Boolean);
  adding = true;
  move(to, rest).then(back => {
    tell(`Picture removed. Switched to ${tabOf(to).textContent.trim()}.`, back);
    find("#prompt")?.focus({ preventScroll: true });
  }, () => tell("We can’t reach Dailies. Nothing changed; try again.")).finally(() => { adding = false; });
  return true;
}
on("click", e => {
  const tile = e.target.closest?.("[data-remove]")?.closest("[data-picture]");
  if (tile && removed(tile)) e.stopImmediatePropagation();
}, true);

// pasted offers a video for each line of a text that is in the prompt now.
export function pasted(text) {
  if (find("form[data-make] #prompt") && (lines(text).length > 1 || text.includes("\t"))) import("./many.js").then(({ offer }) => offer(text));
}
const isTable = text => lines(text).length > 1 && lines(text).every(line => line.includes("\t"));
function put(field, text, said) {
  const was = field.value;
  const set = value => {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.focus({ preventScroll: true });
  };
  set(field.matches("#prompt") && was.trim() ? was.trimEnd() + "\n" + text : text);
  tell(said, () => set(was));
}
// take puts a text where it belongs: a table into that of a batch, and others into the
// prompt. It reports whether the page has a place for it.
function take(text) {
  const batch = find("[data-many]"), table = find("#table"), prompt = find("#prompt");
  if (table) table.dispatchEvent(new CustomEvent("table", { detail: text, bubbles: true }));
  else if (batch && isTable(text)) fill(batch.href, text);
  else if (prompt) {
    put(prompt, text, "Added to your prompt.");
    pasted(text);
  } else return false;
  return true;
}
// bring takes a text that was pasted before this script was loaded.
export function bring(text) {
  if (lines(text).every(web)) add(lines(text).map(address => ({ address })));
  else take(text);
}
// fill shows a recipe's rows with the table. Nothing is made by that.
function fill(action, text) {
  const sent = Object.assign(document.createElement("form"), { method: "post", action, hidden: true });
  for (const [name, value] of [["table", text], ["do", "check"]]) sent.append(Object.assign(document.createElement("textarea"), { name, value }));
  document.body.append(sent);
  sent.submit();
}

// A form is not sent while pictures are being added to it.
on("submit", e => {
  if (!adding || e.target !== form()) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  tell("Still adding your picture. Press again in a moment.");
}, true);

const writes = e => e.target.matches?.("textarea, input:not([type=checkbox], [type=radio])");
on("paste", e => {
  const from = e.clipboardData, text = from?.getData("text/plain").trim() ?? "", links = lines(text), writing = writes(e);
  if (!from || e.defaultPrevented) return;
  // Cells of a table come as text and as a picture of them.
  if (text && (writing ? !e.target.matches("#prompt") || !links.every(isPicture) : from.files.length ? isTable(text) : !links.every(web))) {
    if (writing && e.target.matches("#prompt")) setTimeout(pasted, 0, text);
    else if (!writing && take(text)) e.preventDefault();
    return;
  }
  const items = from.files.length || !links.length ? itemsIn(from) : links.map(address => ({ address }));
  if (!form() || !items.length) return;
  e.preventDefault();
  add(items, e.target.closest?.("[data-picture]") ?? undefined, writing && !from.files.length ? text : "");
});

// The last frame of a video that was made here is one press away. That of a file is not: the
// page may play no file of the computer (blob:), so that no text can smuggle one in.
function own(from) {
  const page = lines(from.getData("text/uri-list")).map(link => { try { return new URL(link); } catch { return {}; } }).find(link => link.origin === location.origin && /^\/tasks\/\d+$/.test(link.pathname));
  if (page) toast("This is a video.").append(Object.assign(document.createElement("a"), { href: page.pathname + "#next", textContent: "Begin with its last frame" }));
  return page;
}
on("dragstart", e => {
  const take = e.target.closest?.("[data-page]");
  if (take) e.dataTransfer.setData("text/uri-list", new URL(take.dataset.page, location));
});

// Text that is dropped on a field is text, also if it is a link.
const has = (e, type) => e.dataTransfer?.types.includes(type);
const carries = e => has(e, "Files") || has(e, "text/uri-list");
function over(e) {
  const target = e && carries(e) ? e.target.closest?.("[data-picture]") : null;
  for (const tile of tiles()) tile.classList.toggle("over", tile === target);
  form()?.toggleAttribute("data-dropping", !!e && (carries(e) || has(e, "text/plain")));
}
on("dragover", e => {
  const text = !carries(e) && has(e, "text/plain");
  if (has(e, "Files") || (text || has(e, "text/uri-list")) && !writes(e)) e.preventDefault();
  if (text && !writes(e)) e.dataTransfer.dropEffect = "copy"; // a selection stays where it is
  over(e);
});
on("dragleave", e => e.relatedTarget || over());
on("dragend", () => over());
on("drop", e => {
  over();
  if (!carries(e)) {
    const text = e.dataTransfer?.getData("text/plain").trim();
    if (text && writes(e)) setTimeout(pasted, 0, e.target.matches("#prompt") ? text : "");
    else if (text && take(text)) e.preventDefault();
    return;
  }
  const items = itemsIn(e.dataTransfer), file = e.dataTransfer.files[0];
  if (!file && form() && own(e.dataTransfer)) return e.preventDefault();
  if (!has(e, "Files") && writes(e) && !items.every(item => isPicture(item.address))) return;
  e.preventDefault();
  if (file && find("#table") && /^text\/|\.(csv|tsv|txt)$/.test(file.type + file.name)) file.text().then(take);
  else if (items.length && form()) add(items, e.target.closest?.("[data-picture]") ?? undefined);
  else if (has(e, "Files")) tell("This page takes a table: a CSV file, or pasted text.");
});
