// Tiles of the gallery, which play muted while hovered or focused.
import { find, on, starred } from "./dom.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const rest = 150; // milliseconds of hover before a card plays

// One card plays at a time: the one whose button was pressed, else the hovered one,
// else the focused one.
let asked, pointed, focused, stopped, playing, timer;
const wanted = () => asked ?? [pointed, focused].find(card => card && card !== stopped && !calm.matches);

function settle() {
  const card = wanted();
  if (card === playing?.card || card && find("[data-unplayable][data-on]", card)) return;
  end();
  clearTimeout(timer);
  if (card) timer = setTimeout(() => wanted() === card && card.isConnected && begin(card), card === asked ? 0 : rest);
}
function begin(card) {
  end();
  const video = document.createElement("video");
  video.muted = video.defaultMuted = video.loop = video.playsInline = video.disablePictureInPicture = true;
  video.preload = "none";
  video.className = "preview";
  video.ariaHidden = "true";
  video.tabIndex = -1;
  video.src = card.dataset.video;
  video.addEventListener("playing", () => {
    card.toggleAttribute("data-playing", playing?.video === video);
    if (card.dataset.poster) posters().then(({ offerPoster }) => offerPoster(video, card.dataset.poster));
  });
  playing = {card, video};
  const caption = find(".over", card); // stays above the video
  if (caption) caption.before(video);
  else find("a", card).append(video);
  pressed(card, true);
  video.play().catch(() => { /* ended before it began, or not playable */ });
}
function end() {
  if (!playing) return;
  const {card, video} = playing;
  playing = undefined;
  video.remove();
  empty(video);
  card.removeAttribute("data-playing");
  pressed(card, false);
}
function empty(video) {
  video.pause();
  video.removeAttribute("src");
  video.load(); // aborts the download
}
const pressed = (card, is) => find("[data-play]", card)?.setAttribute("aria-pressed", is);
function toggle(card) {
  const on = playing?.card === card;
  asked = on ? undefined : card;
  stopped = on ? card : undefined;
  settle();
}

on("pointerover", e => {
  if (e.pointerType !== "mouse") return; // touch has no hover
  const card = e.target.closest?.("[data-video]") ?? undefined;
  if (card === pointed) return;
  pointed = card;
  asked = stopped = undefined;
  settle();
});
on("focusin", e => {
  const card = e.target.closest("[data-video]");
  focused = card && e.target.matches(":focus-visible") ? card : undefined;
  if (asked !== card) asked = undefined;
  if (stopped !== card) stopped = undefined;
  settle();
});
on("focusout", e => {
  if (focused?.contains(e.relatedTarget)) return;
  focused = undefined;
  settle();
});
document.documentElement.addEventListener("pointerleave", () => {
  pointed = undefined;
  settle();
});
on("click", e => {
  const button = e.target.closest("[data-play]");
  if (button) toggle(button.closest("[data-card]"));
});
on("card:play", e => toggle(e.target.closest("[data-card]")));
on("visibilitychange", () => document.hidden && end());

// Most walls have no tile without a poster, and need no script for that.
const posters = () => import("./poster.js");
let watched = false;
function watch() {
  if (watched || !find("#main [data-poster]")) return;
  watched = true;
  posters().then(({ watchPosters }) => watchPosters());
}
watch();
on("htmx:after:swap", e => {
  watch();
  const said = starred(e.detail.ctx.target, ".star");
  if (said) find("[data-card-said]").textContent = said;
});

new MutationObserver(() => playing && !playing.card.isConnected && end()).observe(find("#main"), {childList: true, subtree: true});
