// The page of a video, also in a dialog over the gallery: its tabs, links within it,
// keys, and forms that update the side panel without a page load. Everything works
// without it.
import { all, find, on, starred, toast } from "./dom.js";

const root = () => find("dialog.cinema[open]") ?? document;
const viewer = () => find(".viewer[data-viewer]", root());

// The next video opens with the tab that was chosen last.
let chosen;
try { chosen = sessionStorage.getItem("dailies tab"); } catch { /* no storage */ }
function choose(panel, keep = true) {
  for (const other of all("[data-tab]", panel.parentElement)) {
    const tab = document.getElementById("tab-" + other.id), is = other === panel;
    other.hidden = !is;
    tab.ariaSelected = is;
    tab.tabIndex = is ? 0 : -1;
  }
  if (!keep) return;
  chosen = panel.id;
  try { sessionStorage.setItem("dailies tab", chosen); } catch { /* no storage */ }
}
function tabs(box) {
  const list = find("[data-tablist]", box), panels = all("[data-tab]", box);
  if (!list) return;
  list.role = "tablist";
  list.ariaLabel = "About this video";
  list.replaceChildren(...panels.map(panel => {
    const tab = document.createElement("button"), id = "tab-" + panel.id;
    Object.assign(tab, { id, type: "button", role: "tab", textContent: panel.dataset.tab });
    tab.setAttribute("aria-controls", panel.id);
    panel.role = "tabpanel";
    panel.tabIndex = 0;
    panel.setAttribute("aria-labelledby", id);
    return tab;
  }));
  choose(panels.find(panel => find("[data-bad]", panel)) ?? panels.find(panel => "here" in panel.dataset)
    ?? panels.find(panel => panel.id === chosen) ?? panels.find(panel => !("quiet" in panel.dataset)), false);
}

// go shows the target of a link within the page.
function go(target) {
  if (target.matches("[popover]")) return target.showPopover();
  const panel = target.closest("[data-tab]");
  if (panel) choose(panel);
  else target.dataset.shown = "";
  target.scrollIntoView({ block: "nearest" });
  (find("input:not([type=hidden], [type=radio]), summary, button", target) ?? panel ?? target).focus();
}
const linked = hash => (hash.length > 1 ? find("#" + CSS.escape(hash.slice(1)), viewer()) : undefined);

// stay sends the form, and takes the new side panel from the response.
async function stay(form, button) {
  const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, button)) });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html"), fresh = find("#side", page);
  if (!fresh && answer.ok) return location.assign(answer.url); // such as the sign-in page
  for (const old of all(".toasts")) old.remove();
  const said = find(".toasts", page);
  if (!said && !fresh) return toast(find("h1", page)?.textContent ?? "That didn’t work.");
  if (said) (find("dialog.cinema[open]") ?? document.body).append(said);
  if (fresh) renew(fresh);
  document.dispatchEvent(new Event("fresh"));
}
// renew replaces the side panel, and restores the focus there, or nearby.
function renew(fresh) {
  const old = find("#side", viewer()), had = old.contains(document.activeElement) ? document.activeElement : undefined;
  const scrolled = find(".panels", old).scrollTop;
  old.replaceWith(fresh);
  tabs(viewer());
  window.htmx?.process(fresh);
  find(".panels", fresh).scrollTop = scrolled;
  if (!had) return;
  const panel = had.closest("[data-tab]"), place = all(":scope > *", panel ?? old).findIndex(part => part.contains(had));
  const part = panel && document.getElementById(panel.id).children[place], same = had.id && document.getElementById(had.id);
  const field = part && (find("input:not([type=hidden], [type=radio])", part) ?? find("button", part));
  (find("[data-bad] input", fresh) ?? (same || field) ?? find("[role=tab][tabindex='0']", fresh)).focus();
}

on("submit", e => {
  if (!e.target.matches(".viewer [data-stay]") || e.defaultPrevented) return;
  e.preventDefault();
  stay(e.target, e.submitter).catch(() => e.target.submit());
});
on("change", e => e.target.form?.matches("[data-stay-changed]") && e.target.form.requestSubmit());

// The service's raw answers are fetched when the technical details are opened.
async function fetchAnswers(link) {
  try {
    const answer = await fetch(link.href), page = new DOMParser().parseFromString(await answer.text(), "text/html");
    link.closest("p").replaceWith(...all("#answers .raw", page));
  } catch { /* the link remains */ }
  document.dispatchEvent(new Event("fresh"));
}
on("toggle", e => {
  const link = e.target.id === "answers" && e.newState === "open" && find("[data-answers]", e.target);
  if (link) fetchAnswers(link);
}, true);

on("click", e => {
  const tab = e.target.closest(".viewer [role=tab]"), link = e.target.closest(".viewer a[href*='#']");
  if (tab) choose(document.getElementById(tab.getAttribute("aria-controls")));
  const here = link && !e.defaultPrevented && [location.pathname, viewer().dataset.viewer].includes(link.pathname);
  const target = here && linked(link.hash);
  if (!target) return;
  e.preventDefault();
  link.closest("[popover]")?.hidePopover();
  go(target);
});
on("keydown", e => {
  const { target, key } = e;
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || !viewer()) return;
  if (target.matches("[role=tab]")) {
    const list = all("[role=tab]", target.parentElement), at = list.indexOf(target);
    const to = { ArrowRight: list[(at + 1) % list.length], ArrowLeft: list.at(at - 1), Home: list[0], End: list.at(-1) }[key];
    if (!to) return;
    e.preventDefault();
    to.click();
    to.focus();
  } else if (target.id === "video-title" && key === "Enter") {
    e.preventDefault();
    target.form.requestSubmit();
  } else if (!target.matches("input, textarea, select")) {
    press(e);
  }
});
function press(e) {
  const off = document.documentElement.hasAttribute("data-keys-off"), free = e.target.matches("body, #main, dialog");
  const key = e.shiftKey ? "" : e.key, neighbour = { ArrowLeft: free && "prev", ArrowRight: free && "next", k: !off && "prev", j: !off && "next" }[key];
  const does = neighbour ? find(`.vbar [rel=${neighbour}]`, viewer()) : key === "s" && !off ? find("[data-star]", viewer()) : undefined;
  if (!does) return;
  e.preventDefault();
  does.click();
}

// A title has one line, even if several are pasted. "Saved" is cleared so that it is
// announced again.
on("input", e => {
  if (e.target.id !== "video-title") return;
  if (e.target.value.includes("\n")) e.target.value = e.target.value.replace(/\s*\n\s*/g, " ");
  find("[role=status]", e.target.form).textContent = "";
});
// retitle shows a saved title in the page's heading and title.
function retitle() {
  const box = viewer(), title = find("#video-title", box)?.value.trim() || box.dataset.title;
  find("h1", box).textContent = title;
  document.title = `${title} · Dailies`;
}
on("htmx:after:swap", e => {
  if (!viewer()) return;
  const { target } = e.detail.ctx, said = starred(target, ".viewer-star");
  if (said) (find("[data-said]", viewer()) ?? find("#status-said", viewer())).textContent = said;
  if (target.id === "title-form" || find("#title-form:focus-within", viewer())) retitle();
  settle();
});

// pose makes a poster, for a video without one, from the first frame that is not
// black.
function pose() {
  const video = find("video[data-poster]", viewer());
  if (!video || video.poses) return;
  video.poses = true;
  const offer = async () => await (await import("./poster.js")).offerPoster(video, video.dataset.poster) && video.dispatchEvent(new Event("posed", { bubbles: true }));
  for (const type of ["loadeddata", "timeupdate"]) video.addEventListener(type, offer);
  if (video.readyState > 1) offer();
}

function settle() {
  if (!viewer()) return;
  if (find("[data-tablist]:empty", viewer())) tabs(viewer());
  pose();
}
// "Next scene" is a script of its own (next.js), which loads as soon as the user does
// anything, or if the address asks for it.
let next;
const loadNext = () => import("./next.js").then(() => { next = true; });
for (const type of ["pointerover", "focusin", "keydown"]) on(type, loadNext, { once: true });
if (location.hash === "#next") loadNext();
on("click", e => {
  const here = e.target.closest("[data-next-here]");
  if (!here || next) return;
  e.preventDefault();
  loadNext().then(() => here.click());
});
on("fresh", settle);
settle();
if (viewer() && linked(location.hash) && location.hash !== "#next") go(linked(location.hash));
// If the viewer was opened over the gallery and then reloaded, back leads to the
// gallery, which is not in this document.
const loaded = location.pathname;
addEventListener("popstate", () => { if (!find("dialog.cinema") && location.pathname !== loaded) location.reload(); });
