// Recipes: turns selected words into blanks and back, keeps the list of blanks beside the
// prompt, and shows the values of blanks in the prompt. Without it, the server does so.
import { all, find, on } from "./dom.js";

const longest = 40;

// The same rules as in db/ordering/recipe.go.
const braces = /\{\{([\p{L}\p{M}\p{N}\p{Zs}\t\u200C\u200D_-]+)(?::([^{}\n]*))?\}\}/gu;
const name = text => {
  const joined = text.trim().split(/\s+/u).join(" ");
  return /[\p{L}\p{N}]/u.test(joined) && [...joined].length <= longest ? joined : "";
};
const key = text => name(text).toLowerCase();
const stray = text => /\{\{|\}\}/.test(text.replace(braces, (whole, inner) => (name(inner) ? "" : whole)));
const braced = (blank, words) => "{{" + blank + (words.trim() ? ": " + words.replace(/[{}\n]+/g, " ").trim() : "") + "}}";
// blanks returns the prompt's blanks, each once.
function blanks(text) {
  const seen = new Map();
  for (const [, inner, words = ""] of text.matchAll(braces)) {
    if (name(inner) && !seen.has(key(inner))) seen.set(key(inner), { name: name(inner), words: words.trim() });
  }
  return [...seen.values()];
}

const editor = () => find("[data-recipe]"), prompt = () => find("#prompt", editor()), spare = () => find("[data-blanks] [data-spare]");
function list() {
  const form = editor(), said = find("[data-asks]", form), words = blanks(prompt().value);
  const pictures = all("[data-ask-each]:checked", form).map(tick => name(find("[data-asked]", tick.closest(".askable")).value)).filter(Boolean);
  const names = [...words.map(blank => blank.name), ...pictures.filter(one => !words.some(blank => key(blank.name) === key(one))).map(one => `${one} (a picture)`)];
  const text = names.length ? `This recipe asks for: ${names.join(", ")}.` : "Mark what changes: select words, press “Turn into a blank”.";
  if (said.textContent !== text) said.textContent = text;
  find("[data-stray]", form).hidden = !stray(prompt().value);
  rows(words);
}
// rows shows a line for each blank, except while one of them is being edited.
const fields = row => all("input", row); // what the blank was, its name, its words
const shown = () => all("li:not([data-spare])", find("[data-blanks]"));
function rows(words) {
  if (find("[data-blanks]").contains(document.activeElement)) return;
  if (JSON.stringify(words.map(w => [w.name, w.words])) === JSON.stringify(shown().map(row => fields(row).slice(1).map(f => f.value)))) return;
  for (const row of shown()) row.remove();
  words.forEach((blank, i) => {
    const row = spare().cloneNode(true), gone = document.createElement("button");
    row.removeAttribute("data-spare");
    fields(row).forEach((field, at) => { field.value = [blank.name, blank.name, blank.words][at]; });
    for (const label of all("label", row)) find("#" + label.htmlFor, row).id = label.htmlFor = label.htmlFor.replace(/\d+$/, "of-" + i);
    Object.assign(gone, { type: "button", className: "x", ariaLabel: `Remove the blank ${blank.name}`, title: "The words come back" });
    gone.dataset.removeBlank = "";
    gone.innerHTML = '<svg class="icon s" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg>';
    row.append(gone);
    spare().before(row);
  });
}

// write replaces a blank wherever it stands in the prompt.
function write(was, text) {
  const changed = prompt().value.replace(braces, (whole, inner) => (key(inner) === key(was) ? text : whole));
  if (changed === prompt().value) return;
  prompt().value = changed;
  prompt().dispatchEvent(new Event("input", { bubbles: true }));
}
function edit(row) {
  const [was, named, words] = fields(row), now = name(named.value);
  if (!now || shown().some(other => other !== row && key(fields(other)[0].value) === key(now))) return;
  write(was.value, braced(now, words.value));
  was.value = now;
}
function drop(row) {
  const [was, , words] = fields(row), back = words.value.trim() || was.value;
  row.remove();
  write(was.value, back);
  const at = prompt().value.indexOf(back);
  prompt().focus();
  if (at >= 0) prompt().setSelectionRange(at, at + back.length);
}

// makeBlank turns the selected words into a blank, which takes them as its example and its
// name until another one is typed.
const bar = () => find("[data-bubble]");
function selected() {
  const { selectionStart: from, selectionEnd: to, value } = prompt(), words = value.slice(from, to);
  const blank = name([...words.replace(/[^\p{L}\p{M}\p{N}\p{Zs}\u200C\u200D_-]+/gu, " ").trim()].slice(0, longest).join(""));
  const within = [...value.matchAll(braces)].some(m => from < m.index + m[0].length && to > m.index);
  return { from, to, words, blank: within ? "" : blank };
}
function makeBlank() {
  const { from, to, words, blank } = selected();
  if (!blank) return;
  const taken = new Set(blanks(prompt().value).map(one => key(one.name)));
  let free = blank;
  for (let n = 2; taken.has(key(free)); n++) free = [...blank].slice(0, longest - 3).join("") + " " + n;
  const before = words.match(/^\s*/)[0], after = words.match(/\s*$/)[0];
  prompt().setRangeText(before + braced(free, words) + after, from, to, "end");
  prompt().dispatchEvent(new Event("input", { bubbles: true }));
  bar().hidden = true;
  const named = shown().map(row => fields(row)[1]).find(field => key(field.value) === key(free));
  named.focus();
  named.select();
  find("#make-blank-hint").textContent = "Type another name if you like.";
}

// offer shows the bar under the selected words, or hides it.
function offer() {
  if (!editor() || !bar()) return;
  const box = prompt().closest(".field");
  if (bar().parentElement !== box) box.append(bar());
  bar().hidden = ![prompt(), find("button", bar())].includes(document.activeElement) || !selected().blank;
  if (bar().hidden) return;
  const from = spot(prompt(), prompt().selectionStart), { x: end, y } = spot(prompt(), prompt().selectionEnd), x = from.y === y ? from.x : end;
  bar().style.setProperty("--x", `${Math.max(0, Math.min(x, box.clientWidth - bar().offsetWidth))}px`);
  bar().style.setProperty("--y", `${y}px`);
}
// spot returns where a character of a field is, within the field's box: below its line.
function spot(field, at) {
  const copy = document.createElement("div"), mark = document.createElement("span"), look = getComputedStyle(field);
  for (const property of ["font", "letterSpacing", "padding", "border", "boxSizing", "lineHeight", "direction"]) copy.style[property] = look[property];
  Object.assign(copy.style, { position: "absolute", visibility: "hidden", whiteSpace: "pre-wrap", overflowWrap: "break-word", width: field.offsetWidth + "px" });
  copy.textContent = field.value.slice(0, at);
  copy.append(mark);
  field.after(copy);
  const x = mark.offsetLeft, y = Math.min(field.offsetHeight, mark.offsetTop - field.scrollTop + parseFloat(look.lineHeight) + 6) + field.offsetTop;
  copy.remove();
  return { x: x + field.offsetLeft, y };
}

function fill(input) {
  for (const mark of all(`[data-of]`)) {
    if (mark.dataset.of !== input.dataset.blank) continue;
    const value = input.value.trim();
    mark.textContent = value || mark.dataset.name;
    mark.toggleAttribute("data-empty", !value);
  }
  const long = find("[data-fill] [data-long]");
  if (long) long.hidden = [...find("[data-filled]").textContent.trim()].length <= +long.dataset.long;
}

on("input", e => {
  const row = e.target.closest(".blankrow");
  if (row) edit(row);
  else if (e.target.closest("[data-recipe]")) list();
  if (e.target.matches("[data-blank]")) fill(e.target);
});
on("click", e => {
  if (e.target.closest("[data-make-blank]")) makeBlank();
  if (e.target.closest("[data-remove-blank]")) drop(e.target.closest(".blankrow"));
});
on("keydown", e => {
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.form?.matches("[data-recipe]")) {
    e.preventDefault();
    e.target.form.requestSubmit();
  }
});
addEventListener("pageshow", () => {
  if (editor()) list();
  all("[data-blank]").forEach(fill);
});
for (const type of ["selectionchange", "keyup", "pointerup", "focusout"]) on(type, () => setTimeout(offer));
on("pointerdown", e => { if (e.target.closest("[data-bubble]")) e.preventDefault(); }); // keeps the selection
on("focusout", e => { if (e.target.closest(".blankrow")) setTimeout(list); });
