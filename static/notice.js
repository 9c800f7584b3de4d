// Tells users who look elsewhere that a video is done, that is, failed, or kept: a count in the tab's title
// and icon and, if turned on in this browser, a notification and a sound (tell.js). It
// watches the list of the newest videos.
import { all, find } from "./dom.js";

const icon = find("link[rel=icon]"), plain = icon.href;
const pill = find("#running");

// The count while the tab is hidden.
let missed = 0;
function count(n) {
  missed = n;
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = n ? `(${n}) ${title}` : title;
  icon.href = n ? icon.dataset.news : plain;
}
const seen = () => missed && !document.hidden && count(0);
document.addEventListener("visibilitychange", seen);
addEventListener("focus", seen);

// look finds videos that ended since the last look. The first look finds none.
let known, unsaved;
function look(root) {
  const now = new Map(all("#latest [data-state]", root).map(card => [card.id, {
    id: card.id, words: card.dataset.notice, name: card.dataset.name, page: card.dataset.page,
  }]));
  const ended = known ? [...now.values()].filter(card =>
    card.words && !known.get(card.id)?.words && newer(card.id)) : [];
  unsaved = [...now.values()].some(card => !card.words);
  known = new Map([...known ?? [], ...now]);
  if (!ended.length) return;
  if (document.hidden) count(missed + ended.length);
  if (document.hidden || !document.hasFocus()) import("./tell.js").then(({ tell }) => tell(ended, plain));
}
// A card that moves up because another left the list is older than all others.
const number = id => +id.split("-").pop();
const newer = id => known.has(id) || number(id) > Math.max(0, ...[...known.keys()].map(number));

// A page without the list fetches it while videos are running or being saved. Each list has the address
// of the next, at which the server says nothing as long as nothing is new.
let address = "/tasks/latest";
async function ask() {
  try {
    const answer = await fetch(address, { headers: { "HX-Request-Type": "partial" } });
    if (answer.status === 204) return later();
    if (!answer.ok || answer.redirected) return;
    const list = new DOMParser().parseFromString(await answer.text(), "text/html");
    const latest = find("#latest", list), left = latest.dataset.running;
    address = latest.getAttribute("hx-get") ?? address;
    look(list);
    pill.hidden = left === "0";
    find("[data-running-count]", pill).textContent = left;
  } catch { /* retried */ }
  later();
}
const later = () => pill && (!pill.hidden || unsaved) && setTimeout(ask, 5000);

// "Tell me when it’s done" asks in place (tell.js).
function settle() {
  const box = find("[data-tell]");
  if (!box || box.settled) return;
  box.settled = true;
  const load = () => import("./tell.js").then(tell => (tell.settle(box), tell));
  try { if (localStorage.getItem("dailies notices")) load(); } catch { /* no storage */ }
  box.addEventListener("click", e => {
    if (e.target.closest("[data-tell-ask]")) load().then(tell => tell.ask(box));
  });
}
settle();
document.addEventListener("htmx:after:swap", settle);

if (find("#latest")) {
  look(document);
  document.addEventListener("htmx:after:swap", () => look(document));
} else if (pill && !pill.hidden) {
  ask();
}
