// What is sent for the cast members in a form: fetched again while it is filled in.
import { all, find, on } from "./dom.js";

const box = () => find("#cast");
const words = "textarea[data-at], input[data-at]";
let timer, asking, said = "";

async function ask(button) {
  const is = box(), form = is.closest("form"), sent = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") sent.append(name, value);
  if (button) sent.append(button.name, button.value);
  asking?.abort();
  const now = asking = new AbortController();
  try {
    const answer = await fetch(is.dataset.casting, { method: "POST", body: sent, headers: { "HX-Request-Type": "partial" }, signal: now.signal });
    const found = answer.ok && find("#cast", new DOMParser().parseFromString(await answer.text(), "text/html"));
    if (found && !now.signal.aborted) show(is, found, !!button);
  } catch { /* the form says it when it is sent */ }
}

// show puts what was found into the page. The focus stays where it was.
function show(is, found, pressed) {
  const { activeElement: at } = document, inside = is.contains(at) && at, open = find("details", is)?.open;
  is.replaceChildren(...found.childNodes);
  is.hidden = found.hidden;
  is.removeAttribute("data-bad");
  if (open && find("details", is)) find("details", is).open = true;
  const renamed = all("[data-renamed]", is);
  if (inside && !renamed.length) (all("input, button, summary", is).find(e => e.name === inside.name && e.value === inside.value && e.localName === inside.localName && !e.closest("noscript")) ?? (pressed ? find("input:not([type=hidden])", is) ?? is : is)).focus();
  for (const { dataset } of renamed) rewrite(find(`[name="${CSS.escape(dataset.renamed)}"]`, is.closest("form")), dataset.text);
  const text = all("[data-cast-said]", is).map(p => p.textContent.trim()).join(" ");
  if (text !== said && find("#cast-said")) find("#cast-said").textContent = said = text;
  tint();
}

// rewrite gives a field another text, which can be undone.
function rewrite(field, text) {
  if (!field || field.value === text) return;
  field.focus();
  field.select();
  if (document.execCommand("insertText", false, text)) return;
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function soon() {
  if (!box() || box().hidden && !all(words).some(input => /[@＠]/.test(input.value)) && !all("[name=image_input]").some(input => input.value.startsWith("@"))) return;
  clearTimeout(timer);
  timer = setTimeout(ask, 400);
}

// A layer behind the prompt tints the handles of the cast. The text itself is that of the
// field, so nothing but the tint depends on the layer.
const layer = Object.assign(document.createElement("div"), { className: "tints", ariaHidden: "true", dir: "auto" });
const spaceless = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const before = String.raw`(?<=^|[\s"'\x60´<,;:!?…–—+&*|،؛؟\p{Ps}\p{Pi}\p{Pf}\u3001-\u303f\uff01-\uff0f${spaceless}])`, after = String.raw`(?=[${spaceless}\p{sc=Hang}]|(?![_-]*[\p{L}\p{M}\p{N}]))`;
function tint() {
  const field = find("#prompt"), met = find("#cast [name=cast_met]")?.value.split(" ").filter(Boolean) ?? [];
  if (!field?.dataset.at) return;
  layer.hidden = !met.length;
  if (layer.hidden) return;
  if (!layer.isConnected) field.before(layer);
  const handles = met.sort((a, b) => b.length - a.length).join("|"); // of letters, digits, - and _
  const named = new RegExp(`${before}[@＠](?:${handles})${after}`, "giu");
  let from = 0;
  layer.replaceChildren();
  for (const { 0: handle, index } of field.value.matchAll(named)) {
    layer.append(field.value.slice(from, index), Object.assign(document.createElement("mark"), { textContent: handle }));
    from = index + handle.length;
  }
  layer.append(field.value.slice(from) + "\n");
  fit();
}
function fit() {
  const field = find("#prompt");
  const style = getComputedStyle(field);
  for (const name of ["font", "letterSpacing", "wordSpacing", "tabSize", "padding", "border", "boxSizing"]) layer.style[name] = style[name];
  Object.assign(layer.style, { borderColor: "transparent", width: field.clientWidth + 2 + "px", height: field.offsetHeight + "px" });
  layer.scrollTop = field.scrollTop;
}
on("scroll", e => { if (e.target.id === "prompt") fit(); }, true);
const grown = new ResizeObserver(() => { if (layer.isConnected) fit(); });
if (find("#prompt")) grown.observe(find("#prompt"));

on("input", e => { if (e.target.id === "prompt") tint(); });
on("input", e => { if (e.target.matches(words + ", [name=image_input], [name=end_image_url], #lines, [name^='blank:']")) soon(); });
on("change", e => { if (e.target.closest("#cast") || e.target.closest(".opt [name=model]")) soon(); });
on("htmx:after:swap", e => { if (e.target.id === "options") soon(); });
on("scene", soon);
on("click", e => {
  const button = e.target.closest("[data-cast-ask]");
  if (!button) return;
  const tiles = all("[data-picture]"), tile = { start: tiles[0], end: tiles.at(-1) }[button.dataset.castAsk];
  if (tile) import("./picture.js").then(() => tile.dispatchEvent(new CustomEvent("picture", { bubbles: true, detail: { address: button.value } })));
  else ask(button);
});
soon();
tint();
