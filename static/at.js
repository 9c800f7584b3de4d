// A list beside the cursor of a text field, of what may follow an @. The field says where
// the list comes from (data-at), and each of its options what is inserted after the @
// (data-handle).
import { all, find, on } from "./dom.js";

const before = /(?:^|[\s([{<,;:!?…–—+&*|،؛؟"'\u0060“”‘’„‚«»‹›¿¡\p{Ps}\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}\u3001-\u303f\uff01-\uff0f\uff1a-\uff1f])[@＠]([\p{L}\p{M}\p{N}_-]{0,30})$/u;
const box = Object.assign(document.createElement("ul"), { id: "at", className: "atlist", popover: "manual" });
box.setAttribute("role", "listbox");
let field, from, asking, timer, chosen = -1, moved, closed; // closed: what the user closed the list over

// A field of several lines cannot be a combobox itself: the box around it is.
const combo = field => field.closest("[data-at-box]") ?? field;
const options = () => all("[role=option]", box);
const isOpen = () => box.matches(":popover-open");

// typed returns what follows the @ before the cursor, and where that @ is.
function typed(input) {
  if (input.selectionStart !== input.selectionEnd) return;
  const found = before.exec(input.value.slice(Math.max(0, input.selectionStart - 40), input.selectionStart));
  return found && { word: found[1], from: input.selectionStart - found[1].length - 1 };
}

function close() {
  clearTimeout(timer);
  asking?.abort();
  if (isOpen()) box.hidePopover();
  for (const at of field ? [field, combo(field)] : []) for (const name of ["role", "aria-haspopup", "aria-expanded", "aria-controls", "aria-activedescendant", "aria-autocomplete"]) at.removeAttribute(name);
  if (field && combo(field) !== field) combo(field).removeAttribute("aria-label");
  field = moved = undefined;
}

// mirror places the list under the @, of which only a copy of the field tells the position.
function place() {
  const copy = document.createElement("div"), mark = document.createElement("span"), style = getComputedStyle(field);
  for (const name of ["font", "letterSpacing", "wordSpacing", "textIndent", "textTransform", "tabSize", "direction", "padding", "border", "boxSizing"]) copy.style[name] = style[name];
  Object.assign(copy.style, { position: "fixed", visibility: "hidden", insetBlockStart: 0, insetInlineStart: 0, width: field.offsetWidth + "px", whiteSpace: field.matches("textarea") ? "pre-wrap" : "pre", overflowWrap: "break-word" });
  copy.append(field.value.slice(0, from), mark);
  mark.textContent = "@";
  document.body.append(copy);
  const at = mark.getBoundingClientRect(), own = copy.getBoundingClientRect(), is = field.getBoundingClientRect();
  copy.remove();
  const top = is.top + at.bottom - own.top - field.scrollTop + 4, height = box.offsetHeight;
  const left = Math.min(Math.max(8, is.left + at.left - own.left - field.scrollLeft), innerWidth - box.offsetWidth - 8);
  const above = is.top + at.top - own.top - field.scrollTop - height - 4;
  Object.assign(box.style, { left: left + "px", top: (top + height > innerHeight && above > 0 ? above : Math.min(top, is.bottom + 4)) + "px" });
}

function mark(at) {
  const list = options();
  chosen = (at + list.length) % list.length;
  list.forEach((option, i) => option.setAttribute("aria-selected", i === chosen));
  field.setAttribute("aria-activedescendant", list[chosen].id);
  list[chosen].scrollIntoView({ block: "nearest" });
}

function move(by) {
  moved = true;
  mark(chosen + by);
}

async function show(word) {
  asking?.abort();
  const now = asking = new AbortController(), input = field;
  let was; // what the user had gone to stays chosen
  try {
    const answer = await fetch(`${input.dataset.at}?${new URLSearchParams({ q: word })}`, { headers: { "HX-Request-Type": "partial" }, signal: now.signal });
    const html = answer.ok && !answer.redirected ? await answer.text() : "";
    if (now.signal.aborted || input !== field) return;
    const found = new DOMParser().parseFromString(html, "text/html");
    box.ariaLabel = input.dataset.atName ?? "";
    was = moved && options()[chosen]?.dataset.handle;
    box.replaceChildren(...all("[role=option]", found));
  } catch { return; }
  if (!options().length) return close();
  options().forEach((option, i) => { option.id = "at-" + i; });
  (input.closest("dialog[open]") ?? find("main") ?? document.body).append(box);
  if (!isOpen()) box.showPopover();
  for (const [name, value] of Object.entries({ role: "combobox", "aria-haspopup": "listbox", "aria-controls": "at", "aria-expanded": "true" })) combo(input).setAttribute(name, value);
  input.setAttribute("aria-autocomplete", "list");
  if (combo(input) !== input) {
    combo(input).ariaLabel = input.labels[0]?.textContent ?? "";
    input.setAttribute("aria-controls", "at");
  }
  mark(Math.max(0, options().findIndex(option => option.dataset.handle === was)));
  place();
}

function update(input) {
  const now = input.dataset?.at && typed(input);
  if (!now || closed === input.value.slice(0, now.from + 1)) return close();
  closed = undefined;
  if (field !== input) close();
  [field, from] = [input, now.from];
  clearTimeout(timer);
  timer = setTimeout(show, isOpen() ? 120 : 0, now.word);
}

function choose(option) {
  const input = field, end = input.selectionStart, text = `@${option.dataset.handle}${/^\s/.test(input.value.slice(end)) ? "" : " "}`;
  input.setSelectionRange(from, end);
  close();
  if (!document.execCommand("insertText", false, text)) { // which can be undone
    input.setRangeText(text, input.selectionStart, input.selectionEnd, "end");
    input.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

on("input", e => { if (!e.isComposing) update(e.target); });
on("compositionend", e => update(e.target));
on("keydown", e => {
  if (e.target !== field || !isOpen() || e.isComposing || e.keyCode === 229 || e.ctrlKey || e.metaKey || e.altKey) return;
  const keys = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: () => choose(options()[chosen]), Tab: () => choose(options()[chosen]), Escape: () => { closed = field.value.slice(0, from + 1); close(); } };
  if (!keys[e.key] || e.shiftKey) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  keys[e.key]();
}, true);
on("selectionchange", () => { if (field && isOpen() && document.activeElement === field && typed(field)?.from !== from) close(); });
on("focusout", e => { if (e.target === field) close(); });
on("pointerdown", e => { if (box.contains(e.target)) e.preventDefault(); }); // the field keeps the focus
on("click", e => {
  const option = e.target.closest?.("#at [role=option]");
  if (option && field) choose(option);
});
// open types an @ into the field.
export function open(input) {
  input.focus();
  closed = undefined;
  if (!typed(input)) document.execCommand("insertText", false, /\S$/.test(input.value.slice(0, input.selectionStart)) ? " @" : "@");
  update(input);
}
for (const type of ["scroll", "resize"]) addEventListener(type, e => { if (isOpen() && e.target !== box) place(); }, true);

// What happened before this script was loaded.
if (document.activeElement.dataset?.at) update(document.activeElement);
