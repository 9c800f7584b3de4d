// What is pasted into the prompt, one video each: the question after a paste, and the list.
// The server reads the text, and says what each of its rows becomes.
import { all, find, on } from "./dom.js";

const prompt = () => find("form[data-make] #prompt"), box = () => find("#lines"), place = () => prompt().closest(".field");
const left = () => find("[data-list-left]");

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

// read returns the list that the server makes of the text, or nothing if the text is none, if
// it has changed meanwhile, or if the server cannot be reached: the page says that when the
// form is sent.
let reading;
async function read(pasted = "") {
  reading?.abort();
  const mine = reading = new AbortController(), sent = new URLSearchParams(), text = prompt().value;
  for (const [name, value] of new FormData(prompt().form)) if (typeof value === "string") sent.append(name, value);
  sent.set("pasted", pasted);
  try {
    const answer = await fetch(box().dataset.listPath, { method: "POST", body: sent, headers: { "HX-Request-Type": "partial" }, signal: mine.signal });
    const found = answer.ok && find("#list", new DOMParser().parseFromString(await answer.text(), "text/html"));
    return found && !mine.signal.aborted && prompt()?.value === text ? found : undefined;
  } catch { return undefined; }
}

// offer asks whether the rows of a text that was pasted are a video each.
export async function offer(text) {
  find(".many-asked")?.remove();
  if (!box() || box().checked || whole().includes(text.trim())) return;
  left().value = "";
  const found = await read(text);
  if (!found || box().checked || !("asks" in found.dataset) && !find("[data-list-error]", found)) return;
  const wrong = find("[data-list-error]", found), { question, said } = found.dataset;
  const asked = wrong ? element("div", { className: "many-asked" }, wrong) : element("div", { className: "many-asked", role: "group", ariaLabel: "One video per line" },
    element("p", {}, element("b", { textContent: question }), " ", said),
    ...all(":scope > :is(ol, .warn, .hint:not(:has(a)))", found));
  for (const gone of all("[data-take-row]", asked)) gone.remove();
  asked.append(element("div", { className: "row" },
    ...wrong ? [] : [button("btn primary", "One video each", () => { asked.remove(); list(found); })],
    button("btn", "Keep as one text", () => { keep(text); asked.remove(); prompt().focus(); })));
  place().append(asked);
  find("[data-count-said]").textContent = wrong ? wrong.textContent : find("p", asked).textContent;
  asked.scrollIntoView({ block: "nearest" });
}

// list turns the prompt into a list of prompts.
async function list() {
  box().checked = true;
  await refresh();
  find(".listed .text")?.focus();
}

// refresh shows the list as it is now in place of the prompt, or the prompt if nothing is in
// the list.
async function refresh() {
  const found = await read();
  if (!found || !box()?.checked) return;
  if (!find(".promptlist li", found)) return text();
  find("#list")?.remove();
  place().append(found);
  show(found);
}
function show(found) {
  place().toggleAttribute("data-list", true);
  place().shown = prompt().value;
  changed(found.dataset.lines, found.dataset.kinds);
}

// take removes a row.
async function take(row) {
  const at = all("[data-take-row]").indexOf(row);
  left().value = [left().value, row.dataset.takeRow].filter(Boolean).join();
  await refresh();
  (all("[data-take-row]")[at] ?? all("[data-take-row]").at(-1) ?? prompt()).focus();
}

// text goes back to one text.
function text() {
  reading?.abort();
  box().checked = false;
  left().value = "";
  find("#list")?.remove();
  place().removeAttribute("data-list");
  changed("1", "");
}

// changed tells the server how many videos there are, for the price, and keeps the draft.
function changed(lines, kinds) {
  const count = find("[data-line-count]"), of = find("[data-line-kinds]");
  prompt().dispatchEvent(new Event("input", { bubbles: true }));
  if (count.value === lines && of.value === kinds) return;
  count.value = lines;
  of.value = kinds;
  count.dispatchEvent(new Event("change", { bubbles: true }));
}

// settle shows the list of a page or a draft that has one, and reads it again when its text
// is another one, or when the options are.
function settle() {
  const is = find("#list");
  if (!box()?.checked || is && place().shown === prompt().value) return;
  if (is && place().shown === undefined && prompt().value === prompt().defaultValue) return show(is);
  refresh();
}
on("click", e => {
  const row = e.target.closest?.("[data-take-row]");
  if (row) take(row);
  else if (e.target.closest?.("[data-as-text]")) {
    text();
    prompt().focus();
  }
});
on("input", e => {
  if (e.target !== prompt()) return;
  settle();
  if (e.isTrusted && find(".many-asked") && !/[\t\n]/.test(prompt().value.trim())) find(".many-asked").remove();
});
on("htmx:after:swap", e => { if (e.target.id === "options" && box()?.checked) refresh(); });
on("scene", () => {
  if (place()) place().shown = undefined;
  settle();
});
settle();
