// Picking the frame with which the next scene begins: it is drawn from the copy
// that is kept here, in its full size, and sent with the form that also takes a
// picture of one's own.
import { find, on } from "./dom.js";

const form = () => find("#next form[data-film]");
const mostPNG = 8 << 20; // beyond this a JPEG of the highest quality is sent

const stage = () => find("[data-player] .stage video");
const frameLength = () => find("[data-player]")?.bar?.reel.frame ?? 1 / 24;
const words = seconds => `${+seconds.toFixed(2)} seconds`;

// open makes the picker ready, once: the film is read only by who wants it.
function open(at) {
  const box = form();
  if (!box) return;
  if (!box.film) begin(box);
  if (at !== undefined) go(box, at);
}
function begin(box) {
  const film = box.film = document.createElement("video");
  Object.assign(film, { muted: true, playsInline: true, preload: "auto" });
  film.addEventListener("loadeddata", () => go(box, box.wanted ?? Infinity));
  film.addEventListener("seeked", () => { draw(box); if (box.wanted !== box.going) seek(box); });
  film.addEventListener("error", () => fail(box));
  film.src = box.dataset.film;
}
const lengthOf = box => (Number.isFinite(box.film.duration) ? box.film.duration : +box.dataset.length);

// go shows the frame at the time, or the nearest that there is.
function go(box, time) {
  box.wanted = time;
  if (box.film.readyState < 1) return; // later
  const frame = frameLength(), last = Math.max(0, Math.ceil(lengthOf(box) / frame - 0.01) - 1);
  const index = Math.min(Math.max(0, Math.floor(time / frame + 0.001)), last);
  box.wanted = (index + 0.5) * frame;
  const slider = find("[data-frame-time]", box);
  slider.max = (last + 0.5) * frame;
  slider.value = box.wanted;
  slider.setAttribute("aria-valuetext", `${words(box.wanted)} of ${words(lengthOf(box))}`);
  find("[data-frame-clock]", box).textContent = `${box.wanted.toFixed(2)} s of ${lengthOf(box).toFixed(2)} s`;
  if (!box.film.seeking) seek(box);
}
// seek goes where the slider is now; on the way there it may have moved on.
function seek(box) {
  box.going = box.wanted;
  box.film.currentTime = Math.min(box.wanted, lengthOf(box));
}

function draw(box) {
  const { film } = box, canvas = find("[data-frame]", box);
  if (!film.videoWidth) return fail(box);
  canvas.width = film.videoWidth;
  canvas.height = film.videoHeight;
  canvas.getContext("2d").drawImage(film, 0, 0);
  canvas.dataset.second = box.going;
  tell(box, dark(canvas) ? "This frame is black, or nearly so. If the next scene should not begin in the dark, pick another." : "");
}
// dark looks at a small copy.
function dark(canvas) {
  const side = 24, small = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const pen = small.getContext("2d");
  pen.drawImage(canvas, 0, 0, side, side);
  const { data } = pen.getImageData(0, 0, side, side);
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
  return sum / (data.length / 4) < 8;
}
function tell(box, text) {
  const note = find("[data-frame-note]", box);
  note.hidden = !text;
  if (note.textContent !== text) note.textContent = text;
}
// fail asks for a picture instead.
function fail(box) {
  box.broken = true;
  const own = find("[data-own]", box);
  own.toggleAttribute("data-shown", true);
  find("#frame-own-hint", box).textContent = "This browser cannot show the frames of this video. Save a still of it with your player and choose it here.";
  find("[data-picker]", box).hidden = true;
  find("[data-use]", box).textContent = "Use this picture";
}

const blobOf = (canvas, ...kind) => new Promise(done => canvas.toBlob(done, ...kind));

// take puts the frame into the form, as if it had been chosen as a file.
async function take(box) {
  const canvas = find("[data-frame]", box), at = +canvas.dataset.second;
  let blob = await blobOf(canvas, "image/png"), end = "png";
  if (!blob || blob.size > mostPNG) [blob, end] = [await blobOf(canvas, "image/jpeg", 0.97), "jpg"];
  if (!blob) return fail(box);
  const files = new DataTransfer();
  files.items.add(new File([blob], `${box.dataset.name}-at-${at.toFixed(2)}s.${end}`, { type: blob.type }));
  find("[name=frame]", box).files = files.files;
  find("[data-at]", box).value = at.toFixed(3);
  box.requestSubmit();
}

on("submit", e => {
  const box = e.target;
  if (box !== form() || box.broken || box.taken) return;
  e.preventDefault();
  e.stopPropagation();
  if (!find("[data-frame]", box).dataset.second) return tell(box, "The frame is still being read. Please try again in a moment.");
  box.taken = true;
  take(box).finally(() => { box.taken = false; });
}, true);
on("toggle", e => e.target.matches("[data-next][open]") && open(), true);
on("input", e => e.target.matches("[data-frame-time]") && go(form(), +e.target.value));
on("click", e => {
  const step = e.target.closest("[data-frames]"), here = e.target.closest("[data-next-here]"), box = form();
  if (step) go(box, box.wanted + step.dataset.frames * frameLength());
  if (!here) return;
  find("[data-next]").open = true;
  open(stage().currentTime);
  find("[data-frame-time]", box)?.focus();
});
on("keydown", e => {
  if (!e.target.matches("[data-frame-time]") || e.ctrlKey || e.metaKey || e.altKey) return;
  const box = form(), by = e.shiftKey ? 1 : frameLength();
  const to = { ArrowLeft: box.wanted - by, ArrowDown: box.wanted - by, ArrowRight: box.wanted + by, ArrowUp: box.wanted + by, Home: 0, End: Infinity }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  go(box, to);
});

const shown = () => { if (location.hash === "#next" && find("[data-next]")) find("[data-next]").open = true; };
addEventListener("hashchange", shown);
addEventListener("pageshow", () => { const box = form(); if (box) find("[name=frame]", box).value = ""; });
shown();
if (find("[data-next][open]")) open();
