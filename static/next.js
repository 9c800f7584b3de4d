// "Next scene": the current frame of the player, in full size, becomes the file of a
// form, which also accepts another picture.
import { find, on } from "./dom.js";

const mostPNG = 8 << 20; // bytes; a larger frame is sent as a JPEG

function tell(box, text) {
  const note = find("[data-next-note]", box);
  note.hidden = !text;
  if (note.textContent !== text) note.textContent = text;
}

// fail asks the user for a picture instead.
function fail(box) {
  const section = find("#next", box);
  section.dataset.shown = "";
  find("[data-frame-hint]", section).textContent = "This browser can’t show its frames. Choose a picture instead.";
  find("[name=frame]", section).focus();
}

// shown waits until the video shows a frame; false means that it cannot.
function shown(video) {
  if (video.readyState >= 2 && !video.seeking) return true;
  video.preload = "auto";
  return new Promise(done => {
    video.addEventListener(video.seeking ? "seeked" : "loadeddata", () => done(true), { once: true });
    video.addEventListener("error", () => done(false), { once: true });
    setTimeout(done, 20_000, false);
  });
}

// dark reports whether the picture is nearly black.
function dark(canvas) {
  const side = 24, small = Object.assign(document.createElement("canvas"), { width: side, height: side });
  const pen = small.getContext("2d");
  pen.drawImage(canvas, 0, 0, side, side);
  const { data } = pen.getImageData(0, 0, side, side);
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum += 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2];
  return sum / (data.length / 4) < 8;
}

const blobOf = (canvas, ...kind) => new Promise(done => canvas.toBlob(done, ...kind));

// still returns what the video shows, or undefined if that cannot be had.
async function still(video) {
  if (!(await shown(video)) || !video.videoWidth) return;
  const canvas = Object.assign(document.createElement("canvas"), { width: video.videoWidth, height: video.videoHeight });
  canvas.getContext("2d").drawImage(video, 0, 0);
  return canvas;
}
// fileOf returns the picture as a file, or undefined if there is none.
async function fileOf(canvas, name, at) {
  let blob = await blobOf(canvas, "image/png"), end = "png";
  if (!blob || blob.size > mostPNG) [blob, end] = [await blobOf(canvas, "image/jpeg", 0.97), "jpg"];
  return blob ? new File([blob], `${name}-at-${at.toFixed(2)}s.${end}`, { type: blob.type }) : undefined;
}
// frame returns the frame of the video at the time, in seconds, as a file.
export async function frame(src, at, name) {
  const video = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src });
  if (await shown(video)) video.currentTime = Math.min(at + 0.001, lastFrame(video));
  const canvas = await still(video);
  return canvas && fileOf(canvas, name, at);
}
// send submits the form with the picture as its file. It returns false if there is none.
async function send(form, canvas, name, at) {
  const file = await fileOf(canvas, name, at);
  if (!file) return false;
  const files = new DataTransfer();
  files.items.add(file);
  find("[name=frame]", form).files = files.files;
  find("[name=at]", form).value = at.toFixed(3);
  form.requestSubmit();
  return true;
}

const lastFrame = video => Math.max(0, video.duration - 1 / 48);
// last begins the next scene with the last frame of the video that the link names. If that
// cannot be had, or is black, the link is followed to the video's page, where the user
// chooses a frame.
export async function last(link) {
  const video = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src: link.dataset.video });
  if (await shown(video)) video.currentTime = lastFrame(video);
  const canvas = await still(video);
  if (!canvas || dark(canvas)) return location.assign(link.href);
  const form = Object.assign(document.createElement("form"), { method: "post", action: link.dataset.nextLast, enctype: "multipart/form-data", hidden: true });
  form.innerHTML = `<input type="file" name="frame"><input name="at">`;
  document.body.append(form);
  if (!(await send(form, canvas, link.dataset.name, video.currentTime))) location.assign(link.href);
}

// take sends the frame that the player shows. A dark frame needs a second press.
async function take(box, form) {
  const player = find("[data-player]", box), video = find("video", player);
  player.bar?.reel.stop();
  const canvas = await still(video), at = video.currentTime;
  if (!canvas) return fail(box);
  if (dark(canvas) && form.dark !== at) {
    form.dark = at;
    return tell(box, "This frame is black. Pick another, or press again to use it.");
  }
  tell(box, "");
  if (!(await send(form, canvas, form.dataset.name, at))) fail(box);
}

on("click", e => {
  const here = e.target.closest("[data-next-here]"), box = here?.closest(".viewer"), form = box && find("form[data-next]", box);
  if (!form || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  if (form.taking) return;
  form.taking = true;
  find("[data-to]", form).value = here.dataset.nextTo ?? "";
  take(box, form).finally(() => { form.taking = false; });
});
addEventListener("pageshow", () => { const file = find("form[data-next] [name=frame]"); if (file) file.value = ""; });

// The storyline page links here (#next) to continue after its last scene.
const here = location.hash === "#next" && find("[data-next-here]");
if (here) {
  const video = find(".viewer [data-player] video"), end = () => { video.currentTime = lastFrame(video); };
  if (video.readyState) end();
  else video.addEventListener("loadedmetadata", end, { once: true });
  here.focus();
  tell(here.closest(".viewer"), "This is the last frame. Press “Next scene”, or go to another first.");
}
