// Cards of the gallery: they play without sound while somebody points at them,
// and one that came without a picture gets it drawn from our own copy, once.
import { all, find, on } from "./dom.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const rest = 150; // milliseconds before a card plays by itself

// One card plays at a time: the one that was asked for, else the one that is
// pointed at, else the one with the focus.
let asked, pointed, focused, stopped, playing, timer;
const wanted = () => asked ?? [pointed, focused].find(card => card && card !== stopped && !calm.matches);

function settle() {
  const card = wanted();
  if (card === playing?.card) return;
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
  video.addEventListener("playing", () => card.toggleAttribute("data-playing", playing?.video === video));
  playing = {card, video};
  find(".pic", card).append(video);
  pressed(card, true);
  video.play().catch(() => { /* it was ended before it began, or cannot be played */ });
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
  video.load(); // ends what is still being loaded
}
const pressed = (card, is) => find("[data-play]", card)?.setAttribute("aria-pressed", is);
function toggle(card) {
  const on = playing?.card === card;
  asked = on ? undefined : card;
  stopped = on ? card : undefined;
  settle();
}

on("pointerover", e => {
  if (e.pointerType !== "mouse") return; // a finger does not rest on a card
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

// Pictures for cards without one, one at a time, as they come near.
const waiting = new Set(), seen = new WeakSet(), longest = 640;
let drawing = false;
const near = new IntersectionObserver(entries => {
  for (const {target, isIntersecting} of entries) isIntersecting ? waiting.add(target) : waiting.delete(target);
  work();
}, {rootMargin: "300px"});
function watch() {
  for (const card of all("[data-poster]")) {
    if (seen.has(card)) continue;
    seen.add(card);
    near.observe(card);
  }
  if (playing && !playing.card.isConnected) end();
}
async function work() {
  if (drawing) return;
  drawing = true;
  for (const card of waiting) {
    waiting.delete(card);
    near.unobserve(card);
    try {
      await pose(card);
    } catch { /* its first frame stays; another visit tries again */ }
  }
  drawing = false;
}
async function pose(card) {
  const still = find("[data-still]", card);
  if (!still) return;
  const body = new FormData();
  body.append("poster", await picture(still), "poster.jpg");
  const answer = await fetch(card.dataset.poster, {method: "POST", body, headers: {"HX-Request-Type": "partial"}});
  const address = answer.ok && answer.headers.get("Location");
  if (!address) return;
  const image = new Image(640, 360);
  image.alt = "";
  image.src = address;
  await image.decode();
  still.replaceWith(image);
  empty(still);
  card.removeAttribute("data-poster");
}

// A frame near the beginning that is not black, or the least black one.
async function picture(video) {
  video.preload = "auto";
  await until(video, "loadeddata", () => video.readyState >= 2);
  let best, most = -1;
  for (const at of [0.3, 1, 2.5, video.duration / 2]) {
    if (!(at < video.duration)) continue;
    video.currentTime = at;
    await until(video, "seeked", () => !video.seeking && video.readyState >= 2);
    const frame = draw(video, longest), light = brightness(frame);
    if (light > most) [best, most] = [frame, light];
    if (light > 24) break;
  }
  return new Promise((resolve, reject) => best.toBlob(blob => blob ? resolve(blob) : reject(), "image/jpeg", 0.82));
}
function until(video, event, holds) {
  if (holds()) return;
  return new Promise((resolve, reject) => {
    const limit = setTimeout(reject, 15000);
    video.addEventListener(event, () => { clearTimeout(limit); resolve(); }, {once: true});
    video.addEventListener("error", reject, {once: true});
  });
}
function draw(source, side) {
  const width = source.videoWidth ?? source.width, height = source.videoHeight ?? source.height;
  const scale = Math.min(1, side / Math.max(width, height)), canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}
function brightness(frame) {
  const small = draw(frame, 32), {data} = small.getContext("2d").getImageData(0, 0, small.width, small.height);
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += Math.max(data[i], data[i + 1], data[i + 2]);
  return sum * 4 / data.length;
}

// What a star became is told once: by the button where it has the focus, as
// it is pressed, else here.
on("htmx:after:swap", e => {
  const star = find("[data-star]", document.getElementById(e.target.id) ?? document);
  if (!e.target.matches?.(".star") || !star || star === document.activeElement) return;
  find("[data-card-said]").textContent = star.ariaPressed === "true" ? "Starred" : "Star taken away";
});

new MutationObserver(watch).observe(find("#main"), {childList: true, subtree: true});
watch();
