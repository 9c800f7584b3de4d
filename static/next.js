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
  find("[data-frame-hint]", section).textContent = "This browser cannot show the frames of this video. Save a still of it with your player and choose it here.";
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

// take puts the frame into the form's file input and submits it. A dark frame needs
// a second press.
async function take(box, form) {
  const player = find("[data-player]", box), video = find("video", player);
  player.bar?.reel.stop();
  if (!(await shown(video)) || !video.videoWidth) return fail(box);
  const canvas = Object.assign(document.createElement("canvas"), { width: video.videoWidth, height: video.videoHeight }), at = video.currentTime;
  canvas.getContext("2d").drawImage(video, 0, 0);
  if (dark(canvas) && form.dark !== at) {
    form.dark = at;
    return tell(box, "This frame is black, or nearly so. If the next scene should begin in the dark, press the button again; else pick another frame.");
  }
  tell(box, "");
  let blob = await blobOf(canvas, "image/png"), end = "png";
  if (!blob || blob.size > mostPNG) [blob, end] = [await blobOf(canvas, "image/jpeg", 0.97), "jpg"];
  if (!blob) return fail(box);
  const files = new DataTransfer();
  files.items.add(new File([blob], `${form.dataset.name}-at-${at.toFixed(2)}s.${end}`, { type: blob.type }));
  find("[name=frame]", form).files = files.files;
  find("[data-at]", form).value = at.toFixed(3);
  form.requestSubmit();
}

on("click", e => {
  const here = e.target.closest("[data-next-here]"), box = here?.closest(".viewer"), form = box && find("form[data-next]", box);
  if (!form || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  if (form.taking) return;
  form.taking = true;
  take(box, form).finally(() => { form.taking = false; });
});
addEventListener("pageshow", () => { const file = find("form[data-next] [name=frame]"); if (file) file.value = ""; });

// The storyline page links here (#next) to continue after its last scene.
const here = location.hash === "#next" && find("[data-next-here]");
if (here) {
  const video = find(".viewer [data-player] video"), end = () => { video.currentTime = Math.max(0, video.duration - 1 / 48); };
  if (video.readyState) end();
  else video.addEventListener("loadedmetadata", end, { once: true });
  here.focus();
  tell(here.closest(".viewer"), "This is the last frame. Press “Next scene”, or go to another frame first.");
}
