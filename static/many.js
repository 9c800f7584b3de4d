// Several lines in the prompt, one video each: the question after a paste, and the list.
import { all, find, on } from "./dom.js";

const prompt = () => find("form[data-make] #prompt"), box = () => find("#lines"), place = () => prompt().closest(".field");
const rows = text => text.split(/\r?\n/).map(row => row.trim()).filter(Boolean);
const linesOf = text => rows(text).map(row => row.split(/\s*\t\s*/).filter(Boolean).join(", "));
const table = text => rows(text).every(row => row.includes("\t"));
const format = n => n.toLocaleString("en", { maximumFractionDigits: 3 });

// words counts the words of a line, also of a language that writes no spaces.
function words(line) {
  if (!Intl.Segmenter) return line.split(/\s+/).length;
  return [...new Intl.Segmenter(undefined, { granularity: "word" }).segment(line)].filter(part => part.isWordLike).length;
}
const prompts = text => rows(text).length > 1 && (table(text) || rows(text).every(row => words(row) >= 3));

// The texts that are to stay one, which are not asked about again.
const kept = "dailies one text", whole = () => { try { return JSON.parse(sessionStorage.getItem(kept)) ?? []; } catch { return []; } };
function keep(text) {
  try { sessionStorage.setItem(kept, JSON.stringify([text.trim(), ...whole()].slice(0, 20))); } catch { /* asked again */ }
}

// element returns an element with properties and children.
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
const button = (className, text, act) => {
  const made = element("button", { type: "button", className, textContent: text });
  made.addEventListener("click", act);
  return made;
};

// sentences say what was pasted and what its videos cost together: if that is not known, if
// it is, and if it is an estimate.
const sentences = {
  lines: [n => `You pasted ${n} lines. Each can be a video.`, (n, c) => `You pasted ${n} lines. Each can be a video: ${c} credits in all.`, (n, c) => `You pasted ${n} lines. Each can be a video: about ${c} credits in all.`],
  table: [n => `You pasted ${n} rows. Each can be a video.`, (n, c) => `You pasted ${n} rows. Each can be a video: ${c} credits in all.`, (n, c) => `You pasted ${n} rows. Each can be a video: about ${c} credits in all.`],
};
function asks(text, lines) {
  const sum = +find("[name=price_shown]").value.split(" ")[1], which = isNaN(sum) ? 0 : find(".price[data-about]") ? 2 : 1;
  return sentences[table(text) ? "table" : "lines"][which](rows(text).length, format(sum * lines));
}

// offer asks whether the lines of a text that was pasted are a video each.
export function offer(text) {
  find(".many-asked")?.remove();
  if (!box() || box().checked || !prompts(text) || whole().includes(text.trim())) return;
  const n = linesOf(prompt().value).length, videos = n * (find("[name=count]:checked")?.value ?? 1);
  const asked = element("div", { className: "many-asked", role: "group", ariaLabel: "One video per line" },
    element("p", {}, element("b", { textContent: `Make ${videos} videos?` }), " ", asks(text, n)),
    element("div", { className: "row" },
      button("btn primary", "One video each", () => { asked.remove(); list(); }),
      button("btn", "Keep as one text", () => { keep(text); asked.remove(); prompt().focus(); })));
  place().append(asked);
  find("[data-count-said]").textContent = find("p", asked).textContent;
  asked.scrollIntoView({ block: "nearest" });
}

// list turns the prompt into a list of prompts.
function list() {
  prompt().value = linesOf(prompt().value).join("\n");
  box().checked = true;
  draw();
  find(".listed .text").focus();
  changed();
}

// draw shows the list in place of the prompt, or the prompt if it has only one line.
function draw() {
  const lines = linesOf(prompt().value);
  find(".listed")?.remove();
  if (lines.length < 2) return text();
  const items = lines.map((line, i) => {
    const gone = button("x", "", () => take(i));
    gone.ariaLabel = `Remove line ${i + 1}`;
    gone.innerHTML = '<svg class="icon s" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"/></svg>';
    return element("li", {}, element("span", { dir: "auto", textContent: line }), gone);
  });
  place().append(element("div", { className: "listed" },
    element("div", { className: "prompt-head" },
      element("span", { className: "label", textContent: `${lines.length} videos, one per line` }), button("text", "Edit as text", () => { text(); prompt().focus(); })),
    element("ol", { className: "promptlist", ariaLabel: "Prompts" }, ...items),
    element("p", { className: "hint" }, "A table with blanks? ", element("a", { href: "/recipes", textContent: "Use a recipe" }))));
  place().toggleAttribute("data-list", true);
  place().shown = prompt().value;
}

// take removes a line.
function take(i) {
  prompt().value = linesOf(prompt().value).filter((_, at) => at !== i).join("\n");
  draw();
  (all(".promptlist .x")[i] ?? all(".promptlist .x").at(-1) ?? prompt()).focus();
  changed();
}

// text goes back to one text.
function text() {
  box().checked = false;
  find(".listed")?.remove();
  place().removeAttribute("data-list");
  changed();
}

// changed tells the server how many lines there are, for the price, and keeps the draft.
function changed() {
  const count = find("[data-line-count]"), n = box().checked ? linesOf(prompt().value).length : 1;
  prompt().dispatchEvent(new Event("input", { bubbles: true }));
  if (+count.value === n) return;
  count.value = n;
  count.dispatchEvent(new Event("change", { bubbles: true }));
}

function settle() {
  if (!box()?.checked || find(".listed") && place().shown === prompt().value) return;
  draw();
  changed();
}
on("input", e => {
  if (e.target !== prompt()) return;
  settle();
  if (e.isTrusted && find(".many-asked") && rows(prompt().value).length < 2) find(".many-asked").remove();
});
on("scene", settle);
settle();
