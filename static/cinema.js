// Shows a video over the gallery: fetches its page and puts the viewer into a
// dialog, with the page's URL in the history. Back and Esc return to the tile. A
// new tab shows the page.
import { all, find, on, plain } from "./dom.js";

let dialog, gallery, title, opener, top, changed, asked = 0;
const idOf = address => new URL(address, location).pathname.match(/^\/tasks\/(\d+)$/)?.[1];
const tileOf = id => find(`#task-${id} a[href]`);

async function read(address, headers) {
  const answer = await fetch(address, { headers });
  if (!answer.ok) throw new Error(answer.status);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

// load loads the page's styles and scripts that this document lacks.
function load(page) {
  const has = (name, address) => all(`[${name}]`).some(e => e.getAttribute(name) === address);
  const styles = all("link[rel=stylesheet]", page).map(e => e.getAttribute("href")).filter(href => !has("href", href)).map(href => new Promise(done => {
    const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: done });
    document.head.append(link);
  }));
  return Promise.all([...styles, ...all("script[type=module][src]", page).map(e => import(e.getAttribute("src")))]);
}

// The picture of the tile grows into the viewer, and shrinks back. The style sheets name
// it: on the focused tile, and in the viewer.
const calm = matchMedia("(prefers-reduced-motion: reduce)");
function move(change) {
  if (!document.startViewTransition || calm.matches) return change();
  const transition = document.startViewTransition(change);
  for (const end of [transition.ready, transition.finished]) end.catch(() => { /* it was skipped */ });
  return transition.updateCallbackDone;
}

// show opens the dialog, or shows another video in it. The gallery stays one step
// back in the history.
async function show(address, enter) {
  const turn = ++asked;
  let page;
  try {
    page = await read(address);
    if (!find(".viewer", page)) throw new Error("no viewer");
  } catch {
    return location.assign(address);
  }
  dialog ??= make();
  dialog.inert = false;
  await load(page);
  if (turn !== asked) return;
  if (enter) enter();
  if (dialog.open) fill(page);
  else await move(() => fill(page));
}
function fill(page) {
  if (!dialog.open) top = opener?.getBoundingClientRect().top;
  dialog.replaceChildren(find(".viewer", page));
  for (const video of all("video", dialog)) video.load(); // parsed documents do not load videos
  dialog.setAttribute("aria-labelledby", "viewer-title");
  document.title = page.title;
  if (!dialog.open) dialog.showModal();
  document.documentElement.classList.add("has-cinema");
  dialog.scrollTop = 0;
  dialog.focus();
  window.htmx?.process(dialog);
  document.dispatchEvent(new Event("fresh"));
}
function make() {
  const made = Object.assign(document.createElement("dialog"), { className: "cinema wide", tabIndex: -1 });
  made.addEventListener("cancel", e => {
    if (e.target !== made) return;
    e.preventDefault();
    history.back();
  });
  for (const type of ["htmx:after:swap", "posed"]) made.addEventListener(type, () => (changed = true));
  document.body.append(made);
  return made;
}

function close() {
  asked++;
  if (dialog?.open) move(shut);
}
function shut() {
  if (!dialog.open) return;
  const id = idOf(find(".viewer", dialog).dataset.viewer);
  dialog.close();
  dialog.replaceChildren();
  document.documentElement.classList.remove("has-cinema");
  document.title = title;
  const tile = tileOf(id) ?? opener;
  tile?.focus({ preventScroll: tile === opener });
  if (opener?.isConnected && tile === opener) scrollBy({ top: tile.getBoundingClientRect().top - top, behavior: "instant" }); // the wall may have had another width
  if (changed) renew(id);
  changed = false;
}
// renew fetches the tile of a changed video again.
async function renew(id) {
  const address = new URL(location.href), old = find("#task-" + id);
  address.searchParams.set("before", +id + 1);
  address.searchParams.set("through", id);
  const page = await read(address, { "HX-Request-Type": "partial" }).catch(() => undefined), fresh = page && find("#task-" + id, page);
  if (!old || !fresh) return;
  if (!old.matches(".dated")) { // alone on its page, it has the date of its day
    find(".daymark", fresh)?.remove();
    fresh.classList.remove("dated");
  }
  const had = old.contains(document.activeElement);
  old.replaceWith(fresh);
  window.htmx?.process(fresh);
  document.dispatchEvent(new Event("fresh"));
  if (had) tileOf(id)?.focus({ preventScroll: true });
}

// view opens the dialog with the video of a tile.
export function view(tile) {
  return show(tile.href, () => {
    [gallery, title, opener] = [location.href, document.title, tile];
    history.pushState({ cinema: true }, "", tile.href);
  });
}
on("click", e => {
  const link = plain(e) && e.target.closest("dialog.cinema .vbar a[href]");
  if (!link) return;
  e.preventDefault();
  if (link.matches("[data-close]")) return history.back();
  show(link.href, () => history.replaceState({ cinema: true }, "", link.href));
});
// Deleting a video here returns to the gallery, to the neighbouring tile.
on("submit", e => {
  if (!e.target.matches("dialog.cinema form[action='/tasks/delete']")) return;
  const tile = find("#task-" + find("[name=id]", e.target).value), beside = tile?.nextElementSibling ?? tile?.previousElementSibling;
  dialog.close();
  if (beside) find("a", beside).focus({ preventScroll: true });
  history.replaceState(null, "", gallery);
  find("[name=next]", e.target).value = location.pathname + location.search;
}, true);
on("fresh", () => { if (dialog?.open && find(".toasts", dialog)) changed = true; });
// On back, htmx reloads a page that it has changed. That is not needed for the
// gallery, which is still below the dialog.
let ours = false;
addEventListener("popstate", () => {
  const video = idOf(location.href);
  ours = !!video || dialog?.open === true;
  if (video) show(location.href);
  else close();
});
on("htmx:before:history:restore", e => { if (ours) e.preventDefault(); });
