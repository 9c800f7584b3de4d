// Recipes: turns selected words into blanks, updates the list of blanks, and shows
// the values of blanks in the prompt. Without it, the server does so.
import { all, find, on } from "./dom.js";

const longest = 40;

// The same rules as in db/blank.go.
const braces = /\{\{([\p{L}\p{M}\p{N}\p{Zs}\t\u200C\u200D_-]+)\}\}/gu;
const name = text => {
  const joined = text.trim().split(/\s+/u).join(" ");
  return /[\p{L}\p{N}]/u.test(joined) && [...joined].length <= longest ? joined : "";
};
const blanks = text => [...text.matchAll(braces)].map(m => name(m[1])).filter(Boolean);
const stray = text => /\{\{|\}\}/.test(text.replace(braces, (whole, inner) => (name(inner) ? "" : whole)));

const editor = () => find("[data-recipe]");
function list() {
  const form = editor(), said = find("[data-asks]", form), prompt = find("#prompt", form);
  const asked = all("[data-ask-each]:checked", form)
    .map(tick => name(find("[data-asked]", tick.closest(".askable")).value)).filter(Boolean).map(n => n + " (a picture)");
  const seen = new Set(), names = [...blanks(prompt.value), ...asked].filter(n => !seen.has(n.toLowerCase()) && seen.add(n.toLowerCase()));
  const text = names.length
    ? "This recipe asks for: " + names.join(", ") + "."
    : "This recipe asks for nothing yet. Put what changes into double braces, such as {{product}}.";
  if (said.textContent !== text) said.textContent = text;
  find("[data-stray]", form).hidden = !stray(prompt.value);
}

// makeBlank turns the selected words into a blank with that name.
function makeBlank() {
  const prompt = find("#prompt"), { selectionStart: from, selectionEnd: to, value } = prompt;
  const words = value.slice(from, to), hint = find("#make-blank-hint");
  const blank = name([...words.replace(/[^\p{L}\p{M}\p{N}\p{Zs}\u200C\u200D_-]+/gu, " ").trim()].slice(0, longest).join(""));
  prompt.focus();
  if (!blank) {
    hint.textContent = "Please select the words in the prompt first, then press the button.";
    return;
  }
  const before = words.match(/^\s*/)[0], after = words.match(/\s*$/)[0];
  prompt.setRangeText(before + "{{" + blank + "}}" + after, from, to, "select");
  // The name is selected, so that another one can be typed at once.
  prompt.setSelectionRange(from + before.length + 2, from + before.length + 2 + blank.length);
  prompt.dispatchEvent(new Event("input", { bubbles: true }));
  hint.textContent = "Type another name if you like.";
}

function fill(input) {
  for (const mark of all(`[data-of]`)) {
    if (mark.dataset.of !== input.dataset.blank) continue;
    const value = input.value.trim();
    mark.textContent = value || mark.dataset.name;
    mark.toggleAttribute("data-empty", !value);
  }
}

on("input", e => {
  if (e.target.closest("[data-recipe]")) list();
  if (e.target.matches("[data-blank]")) fill(e.target);
});
on("click", e => {
  if (e.target.closest("[data-make-blank]")) makeBlank();
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
