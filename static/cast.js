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
  if (inside) (all("input, button, summary", is).find(e => e.name === inside.name && e.value === inside.value && e.localName === inside.localName && !e.closest("noscript")) ?? (pressed ? find("input", is) ?? is : is)).focus();
  const text = all("[data-cast-said]", is).map(p => p.textContent.trim()).join(" ");
  if (text !== said && find("#cast-said")) find("#cast-said").textContent = said = text;
}

function soon() {
  if (!box() || box().hidden && !all(words).some(input => /[@＠]/.test(input.value)) && !all("[name=image_input]").some(input => input.value.startsWith("@"))) return;
  clearTimeout(timer);
  timer = setTimeout(ask, 400);
}

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
