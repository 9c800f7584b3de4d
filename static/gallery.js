// What the gallery does on top of plain HTML: older videos come by themselves,
// coming back leads to the same place, cards are walked by keyboard, and many
// are chosen at once. Everything works without it.
import { all, find, on } from "./dom.js";

const cards = () => all("#cards > article");
const link = card => card && find(".prompt a, a", card);
const typing = e => e.matches?.("textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]");
let told;
function say(words) {
  find("#said").textContent = "";
  clearTimeout(told);
  told = setTimeout(() => (find("#said").textContent = words), 100);
}
const count = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;

// Older videos. They end at as many as one address can bring back.
const most = 1000;
const nearing = new IntersectionObserver(entries => {
  for (const entry of entries) {
    if (entry.isIntersecting && cards().length < most) find("a", entry.target)?.dispatchEvent(new Event("near"));
  }
}, {rootMargin: "1200px 0px"});
function watch() {
  nearing.disconnect();
  if (find("#more")) nearing.observe(find("#more"));
}

// The address says how far down the videos go, so that it brings them back.
function reach() {
  const shown = cards(), address = new URL(location.href);
  if (!shown.length || location.pathname !== "/gallery") return;
  address.searchParams.set("through", shown.at(-1).id.replace("task-", ""));
  history.replaceState(history.state, "", address);
}

// The place: the first card in sight and where it lies, and what has the focus.
const place = () => "place " + location.pathname + location.search;
function leave() {
  const top = cards().find(card => card.getBoundingClientRect().bottom > 80);
  if (!top || scrollY < 1) return forget();
  const focus = document.activeElement?.closest("#cards > article")?.id;
  try {
    sessionStorage.setItem(place(), JSON.stringify({top: top.id, at: top.getBoundingClientRect().top, focus}));
  } catch { /* full or forbidden: then it begins at the top */ }
}
function forget() {
  try { sessionStorage.removeItem(place()); } catch { /* nothing was kept */ }
}
function comeBack() {
  let was;
  try { was = JSON.parse(sessionStorage.getItem(place())); } catch { /* nothing was kept */ }
  const top = was && document.getElementById(was.top);
  const came = performance.getEntriesByType("navigation")[0]?.type;
  if (!top || (came === "navigate" && !find(".toast"))) return;
  scrollBy({top: top.getBoundingClientRect().top - was.at, behavior: "instant"});
  link(document.getElementById(was.focus))?.focus({preventScroll: true});
}

// A chosen filter, or one of its values, is taken away in the form, which then
// asks for the rest.
function clear(names, value) {
  const form = find("#filters");
  for (const input of all("input", form)) {
    if (names && !names.includes(input.name) || value && input.value !== value) continue;
    if (input.type === "radio" || input.type === "checkbox") input.checked = input.type === "radio" && !input.value;
    else if (input.name === "collection") input.remove();
    else input.value = "";
  }
  form.requestSubmit();
  find("#q").focus();
}

// Many at once.
const boxes = () => all("#cards [type=checkbox][name=id]");
const checked = () => boxes().filter(box => box.checked);
const mostChosen = 500;
let last;
function choose(list, state) {
  for (const box of list) box.checked = state && (box.checked || checked().length < mostChosen);
  tell();
}
function tell() {
  const shown = find("[data-chosen-count]"), n = checked().length;
  if (!shown) return;
  const words = n >= mostChosen ? `${n} chosen, the most at one time` : `${n} chosen`;
  if (n && shown.textContent !== words) say(words);
  shown.textContent = words;
  const compare = find("[data-compare]");
  if (compare) {
    compare.disabled = n < 2 || n > 4;
    compare.title = compare.disabled ? "Choose two to four videos" : "";
  }
}
on("click", e => {
  const box = e.target.closest("#cards [type=checkbox][name=id]"), clearing = e.target.closest("[data-clear], [data-clear-all]");
  if (box) {
    const list = boxes(), from = list.indexOf(last), to = list.indexOf(box);
    if (e.shiftKey && from >= 0) choose(list.slice(Math.min(from, to), Math.max(from, to) + 1), box.checked);
    last = box;
  } else if (clearing && find("#filters") && !e.ctrlKey && !e.metaKey && !e.shiftKey) {
    e.preventDefault();
    clear(clearing.dataset.clear?.split(" "), clearing.dataset.value);
  } else if (e.target.closest("[data-choose-all]")) {
    choose(boxes(), true);
  } else if (e.target.closest("[data-choose-none]")) {
    choose(boxes(), false);
    link(cards()[0])?.focus({preventScroll: true});
  } else if (e.detail && e.target.matches(".facet input[type=radio]") && !narrow.matches) {
    // The mouse has chosen; keys go on.
    const menu = e.target.closest("details");
    find("summary", menu).focus();
    setTimeout(() => (menu.open = false));
  }
});
on("change", e => { if (e.target.name === "id") tell(); });
let get = false; // the button asks for a page and changes nothing
on("submit", e => (get = e.submitter?.formMethod === "get"));
on("formdata", e => {
  if (!e.target.matches("[data-chosen]")) return;
  for (const [name, value] of [...e.formData]) if (!value || (get && name !== "id")) e.formData.delete(name);
  if (e.formData.has("next")) e.formData.set("next", location.pathname + location.search);
});

// A narrow window folds the filters away, a wide one has room.
const narrow = matchMedia("(max-width: 640px)");
function fold() {
  if (!find("#facets")) return;
  find("#facets").open = !narrow.matches;
  find("#filters").toggleAttribute("data-folding", true);
}
narrow.addEventListener("change", fold);

// An open menu says how many videos each choice gives. What was chosen since
// it asked stays chosen: the answer to that brings the menu again.
let choosing = false;
on("input", e => { if (e.target.closest("#filters")) choosing = true; }, true);
const askCounts = menu => menu.dispatchEvent(new Event("counts"));
on("toggle", e => { if (e.target.matches("[data-counts][open]")) askCounts(e.target); }, true);

// Days and spans exclude each other.
on("input", e => {
  if (e.target.name === "date") for (const day of all("#from, #until")) day.value = "";
  else if (e.target.matches("#from, #until")) find("#filters [name=date][value='']").checked = true;
}, true);

// Keys on cards. Tab goes through everything as ever.
function step(card, key) {
  const list = cards(), i = list.indexOf(card), top = list[0].offsetTop;
  const wide = Math.max(1, list.findIndex(c => c.offsetTop > top));
  const columns = list.at(-1).offsetTop > top ? wide : list.length;
  const to = {ArrowLeft: i - 1, ArrowRight: i + 1, ArrowUp: i - columns, ArrowDown: i + columns, Home: 0, End: list.length - 1}[key];
  return list[to];
}
const of = e => e.target.closest?.(".menu, .chosen") ? undefined : e.target.closest?.("#cards > article");
on("shortcut", e => {
  const button = of(e) && find({s: "[data-star]", x: "[type=checkbox][name=id]"}[e.detail] ?? "none", of(e));
  if (!button) return;
  e.preventDefault();
  button.click();
});
on("keydown", e => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e.target)) return;
  if (e.key === "Escape" && !find("[data-menu][open], dialog[open]") && checked().length) return choose(boxes(), false);
  const card = of(e);
  // From nowhere the right arrow, which scrolls nothing, leads to the first card in sight.
  const first = e.key === "ArrowRight" && e.target.matches("body, main") && cards().find(c => c.getBoundingClientRect().top > 0);
  const to = card ? step(card, e.key) : first;
  if (to) {
    e.preventDefault();
    link(to).focus();
    to.scrollIntoView({block: "nearest"});
    if (e.shiftKey) find("[type=checkbox][name=id]:not(:checked)", to)?.click();
  } else if (card?.dataset.video && e.key === " " && !e.target.matches("button, input, summary")) {
    e.preventDefault();
    card.dispatchEvent(new CustomEvent("card:play", {bubbles: true}));
  }
}, true);
on("keydown", e => {
  if (e.key !== "Enter" || !e.target.matches(".chosen .menu-list input")) return;
  e.preventDefault();
  find("button", e.target.closest(".menu-list"))?.click();
});

let before = 0;
on("htmx:before:swap", e => {
  before = cards().length;
  const into = e.detail.ctx.target?.id ?? "";
  if (into === "results") choosing = false;
  else if (choosing && into.startsWith("counts-")) e.preventDefault();
});
on("htmx:after:swap", e => {
  const more = cards().length - before;
  if (e.detail.ctx.target?.id === "more" && more > 0) {
    say(count(more, "more video"));
    reach();
  }
  if (e.detail.ctx.target?.id === "results") all("[data-counts][open]").forEach(askCounts);
  watch();
  tell();
});
addEventListener("pagehide", leave);
addEventListener("pageshow", tell);
history.scrollRestoration = "manual";
fold();
watch();
comeBack();
