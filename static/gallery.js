// Enhancements of the gallery: infinite scrolling, restoring the scroll position,
// keyboard navigation and multiple selection. Everything works without them.
import { all, find, on, plain } from "./dom.js";
import { boxOf, divide, fetchAhead, firstTile } from "./bands.js";

// Live collections, which are fast even with a thousand tiles.
const tiles = document.getElementsByClassName("cell"), ticks = document.getElementsByClassName("tick");
const cards = () => [...tiles];
const link = card => card && find("a", card);
const typing = e => e.matches?.("textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]");
let told;
function say(words) {
  find("#said").textContent = "";
  clearTimeout(told);
  told = setTimeout(() => (find("#said").textContent = words), 100);
}

// painted runs act after the next paint, so that a click shows at once even if the
// rest takes longer, with a thousand tiles.
const painted = act => requestAnimationFrame(() => setTimeout(act));

const count = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;

// Infinite scrolling, up to the number of videos that one URL can restore.
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

// reach puts the last video into the URL, so that a reload shows as many.
function reach() {
  const shown = cards(), address = new URL(location.href);
  if (!shown.length || !/^\/(gallery$|collections\/)/.test(location.pathname)) return;
  address.searchParams.set("through", shown.at(-1).id.replace("task-", ""));
  history.replaceState(history.state, "", address);
}

// The place: the first visible tile with its position, and the focus, if it is on a
// tile or in the selection bar.
const place = () => "place " + location.pathname + location.search;
function leave() {
  const top = firstTile(box => box.bottom > 80), focus = document.activeElement;
  const inside = focus?.closest("#cards .cell, .selbar");
  if (!top || scrollY < 1 && !inside) return forget();
  try {
    sessionStorage.setItem(place(), JSON.stringify({
      top: top.id, at: top.getBoundingClientRect().top, inside: inside?.id, name: focus?.ariaLabel ?? focus?.textContent.trim(),
    }));
  } catch { /* full or forbidden */ }
}
function forget() {
  try { sessionStorage.removeItem(place()); } catch { /* no storage */ }
}
function comeBack() {
  let was;
  try { was = JSON.parse(sessionStorage.getItem(place())); } catch { /* no storage */ }
  const top = was && document.getElementById(was.top);
  const came = performance.getEntriesByType("navigation")[0]?.type;
  if (!top || (came === "navigate" && !find(".toast") && !location.hash)) return;
  scrollBy({top: boxOf(top).top - was.at, behavior: "instant"});
  const inside = document.getElementById(was.inside);
  if (inside?.getClientRects().length) {
    const same = all("a, button, input", inside).find(e => (e.ariaLabel ?? e.textContent.trim()) === was.name && !e.disabled);
    (same ?? find("a, button:not([disabled])", inside)).focus({preventScroll: true});
  } else if (was.inside) find("#main").focus({preventScroll: true});
}

// join continues the wall with the list of videos that was loaded. Its first video has the
// date, although others of that day may be shown already.
function join(before) {
  const list = before.closest(".rows"), loaded = list.nextElementSibling;
  if (!loaded?.matches(".rows")) return;
  const first = loaded.firstElementChild, dated = all("#cards .dated").filter(tile => !loaded.contains(tile)).at(-1);
  if (first?.dataset.day && first.dataset.day === dated?.dataset.day) {
    find(".daymark", first).remove();
    first.classList.remove("dated");
  }
  list.append(...loaded.children);
  loaded.remove();
}

// The line above the wall names the month of the topmost row in view. It may be a moment
// late, so that scrolling is not slowed down.
let naming;
function nameMonth() {
  naming ??= setTimeout(() => {
    naming = undefined;
    const line = find("[data-month-line] b"), below = line?.getBoundingClientRect().bottom + 8;
    let tile = line && firstTile(box => box.bottom > below);
    while (tile && !tile.dataset.month) tile = tile.previousElementSibling ?? tile.parentElement.previousElementSibling?.lastElementChild;
    if (tile && line.textContent !== tile.dataset.month) line.textContent = tile.dataset.month;
  }, 150);
}
addEventListener("scroll", nameMonth, {passive: true});

// clear resets filters, or one value of them, and submits the form.
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

// Multiple selection.
const gallery = find("#main"), boxes = () => Array.from(ticks, tick => tick.firstElementChild);
const checked = () => boxes().filter(box => box.checked);
const mostChosen = 500;
let last, selecting = false;
function choose(list, state) {
  let left = mostChosen - checked().length;
  for (const box of list) {
    if (box.checked === state || state && left-- <= 0) continue;
    box.checked = state;
  }
  tell();
}
const choosing = () => selecting || checked().length > 0;
const show = () => gallery.classList.toggle("selecting", choosing());
function tell() {
  const bar = find("#chosen"), shown = bar && find("[data-chosen-count]", bar), n = checked().length, button = find(".gbar [data-select]");
  painted(show);
  if (button) button.ariaPressed = selecting || n > 0;
  if (!shown) return;
  const words = n >= mostChosen ? `${n} selected, the most at one time` : `${n} selected`;
  if (n && shown.textContent !== words) say(words);
  shown.textContent = words;
  const compare = find("[data-compare]", bar);
  if (compare) {
    compare.disabled = n < 2 || n > 4;
    compare.title = compare.disabled ? "Select two to four videos" : "";
  }
}
function none() {
  selecting = false;
  choose(boxes(), false);
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
    e.preventDefault();
    const back = last?.closest(".cell") ?? cards()[0];
    painted(() => {
      none();
      link(back)?.focus({preventScroll: true});
    });
  } else if (e.target.closest("[data-select]")) {
    if (choosing()) return none();
    selecting = true;
    tell();
  }
});
on("change", e => {
  if (e.target.name === "id") tell();
  if (e.target.name !== "size") return;
  document.cookie = `size=${e.target.value}; path=/; max-age=31536000; samesite=lax`;
  painted(() => {
    find("#cards")?.setAttribute("aria-busy", "true"); // until it is divided
    for (const size of all(".sizes [name=size]")) size.defaultChecked = size.checked;
    painted(divide); // in two steps, because the new size alone takes a frame on a slow machine
  });
});
let get = false; // the pressed button sends a GET
on("submit", e => (get = e.submitter?.formMethod === "get"));
on("formdata", e => {
  if (!e.target.matches("[data-chosen]")) return;
  for (const [name, value] of [...e.formData]) if (!value || (get && name !== "id")) e.formData.delete(name);
  if (e.formData.has("next")) e.formData.set("next", location.pathname + location.search);
});

// An open menu fetches the number of videos for each choice. A response that was asked for
// before the last choice or the last results is dropped, because it would undo that choice;
// after the results it is fetched again.
let filtering = false, changes = 0;
on("input", e => { if (e.target.closest("#filters")) filtering = true, changes++; }, true);
on("htmx:before:request", e => { e.detail.ctx.changes = changes; });
const askCounts = menu => menu.dispatchEvent(new Event("counts"));
on("toggle", e => { if (e.target.matches("[data-counts][open]")) askCounts(e.target); }, true);

// The ranges and the dates of the date filter exclude each other.
on("input", e => {
  if (e.target.name === "date") for (const day of all("#from, #until")) day.value = "";
  else if (e.target.matches("#from, #until")) find("#filters [name=date][value='']").checked = true;
}, true);

// Arrow keys and others move between tiles; Tab works as usual.
function step(card, key) {
  const list = cards(), i = list.indexOf(card);
  if (!key.startsWith("Arrow") || key === "ArrowLeft" || key === "ArrowRight") {
    return list[{ArrowLeft: i - 1, k: i - 1, ArrowRight: i + 1, j: i + 1, Home: 0, End: list.length - 1}[key]];
  }
  // The nearest tile of the next row, up or down.
  const here = card.getBoundingClientRect(), middle = r => r.left + r.width / 2;
  let best, least = Infinity;
  for (const other of key === "ArrowDown" ? list.slice(i + 1) : list.slice(0, i).reverse()) {
    const r = boxOf(other), gap = key === "ArrowDown" ? r.top - here.bottom : here.top - r.bottom;
    if (gap < -1) continue;
    const far = gap * 4 + Math.abs(middle(r) - middle(here));
    if (far < least) [best, least] = [other, far];
    if (gap > here.height * 3) break;
  }
  return best;
}
const of = e => e.target.closest?.("#cards .cell");
const seen = () => firstTile(box => box.top > 0);
// covered reports whether a dialog, such as the viewer, lies over the gallery. Keys
// then belong to the dialog.
const covered = () => !!find("dialog[open]");
function go(to, e) {
  e.preventDefault();
  link(to)?.focus();
  to.scrollIntoView({block: "nearest"});
  if (e.shiftKey) find("[type=checkbox][name=id]:not(:checked)", to)?.click();
}
on("shortcut", e => {
  if (covered()) return;
  if (e.detail === "j" || e.detail === "k") {
    const to = of(e) ? step(of(e), e.detail) : seen();
    if (to) go(to, e);
  } else if (e.detail === "b" && checked().length) {
    e.preventDefault();
    show(); // may still be pending
    find(".selbar button:not([hidden], [disabled])").focus();
  }
  const button = of(e) && find({s: "[data-star]", x: "[type=checkbox][name=id]"}[e.detail] ?? "none", of(e));
  if (!button) return;
  e.preventDefault();
  button.click();
});
on("keydown", e => {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e.target) || covered()) return;
  if (e.key === "Escape" && !find(":popover-open") && choosing()) return none();
  const card = of(e);
  // Without focus, the right arrow goes to the first visible tile.
  const first = e.key === "ArrowRight" && e.target.matches("body, main") && seen();
  const to = card ? e.key.length > 1 && step(card, e.key) : first;
  if (to) {
    go(to, e);
  } else if (card?.dataset.video && e.key === " " && !e.target.matches("button, input")) {
    e.preventDefault();
    card.dispatchEvent(new CustomEvent("card:play", {bubbles: true}));
  }
}, true);
on("keydown", e => {
  if (e.key !== "Enter" || !e.target.matches(".selbar [popover] input")) return;
  e.preventDefault();
  find("button", e.target.closest("[popover]"))?.click();
});

// Videos open over the gallery by a script of its own (cinema.js), which loads as soon as
// the user does anything.
const cinema = () => import("./cinema.js");
for (const type of ["pointerover", "focusin", "keydown"]) on(type, cinema, {once: true});
on("click", e => {
  const tile = plain(e) && e.target.closest("a[data-view]");
  if (!tile) return;
  e.preventDefault();
  cinema().then(({view}) => view(tile), () => location.assign(tile.href));
});

// Empty filter fields are not sent.
on("htmx:config:request", e => {
  const sent = e.detail.ctx.request.body;
  if (!e.target.matches("[data-filters]")) return;
  for (const [name, value] of [...sent]) if (!value) sent.delete(name);
  if (sent.getAll("status").join() === "success") sent.delete("status");
});

// A tile's status is announced when it changes.
let before = 0, end, said;
on("htmx:before:swap", e => {
  before = cards().length;
  end = cards().at(-1);
  said = e.detail.ctx.target?.dataset?.said;
  const into = e.detail.ctx.target?.getAttribute?.("id") ?? ""; // not .id, which may be a field of a form
  if (into === "results") filtering = false, changes++;
  else if (into.startsWith("counts-") && (filtering || e.detail.ctx.changes !== changes)) e.preventDefault();
});
on("htmx:after:swap", e => {
  const more = cards().length - before;
  if (e.detail.ctx.target?.id === "more" && more > 0) {
    join(end);
    say(count(more, "more video"));
    reach();
  }
  divide(true);
  const tile = said && document.getElementById(e.detail.ctx.target.id);
  if (tile && tile.dataset.said !== said) say(tile.dataset.said);
  if (e.detail.ctx.target?.id === "results") all("[data-counts][open]").forEach(askCounts);
  watch();
  tell();
  nameMonth();
});
let wide = innerWidth;
addEventListener("resize", () => {
  if (wide === innerWidth) return;
  wide = innerWidth;
  divide();
});
on("scrollend", fetchAhead);
addEventListener("pagehide", leave);
addEventListener("pageshow", tell);
history.scrollRestoration = "manual";
document.cookie = `zone=${Intl.DateTimeFormat().resolvedOptions().timeZone}; path=/; max-age=31536000; samesite=lax`;
divide(true);
watch();
tell();
comeBack();
fetchAhead();
