// Posters for videos without one: the first browser that plays the video, or is
// idle, draws a frame and sends it to the server.
import { all, find } from "./dom.js";

const longest = 640;
const sent = new Set(); // addresses to which this page has sent a poster

// offerPoster sends the current frame of a video to the address, as its poster.
// Failures are retried on another visit.
export async function offerPoster(video, address) {
  if (!address || sent.has(address)) return;
  sent.add(address);
  try {
    if (video.readyState < 2) await until(video, "loadeddata");
    const frame = draw(video, longest);
    if (brightness(frame) > 24) return await send(frame, address);
    sent.delete(address); // too dark: another frame may be offered
  } catch { sent.delete(address); }
}

// watchPosters makes posters for visible tiles without one, one at a time, while
// the browser is idle.
export function watchPosters() {
  const waiting = new Set(), known = new WeakSet(), idle = window.requestIdleCallback ?? (act => setTimeout(act, 200));
  let drawing = false;
  const near = new IntersectionObserver(entries => {
    for (const {target, isIntersecting} of entries) isIntersecting ? waiting.add(target) : waiting.delete(target);
    work();
  });
  const watch = tile => { if (tile && !known.has(tile)) known.add(tile), near.observe(tile); };
  const wall = find("#main");
  async function work() {
    const [tile] = waiting;
    if (drawing || !tile) return;
    drawing = true;
    waiting.delete(tile);
    near.unobserve(tile);
    await new Promise(done => idle(done));
    if (tile.isConnected && tile.dataset.poster && !sent.has(tile.dataset.poster)) {
      await pose(tile).catch(() => { /* its text stays; another visit retries */ });
    }
    drawing = false;
    work();
  }
  new MutationObserver(changes => {
    for (const {target, addedNodes} of changes) {
      watch(target.closest("[data-poster]"));
      for (const node of addedNodes) if (node.matches) [node, ...all("[data-poster]", node)].forEach(e => e.matches("[data-poster]") && watch(e));
    }
  }).observe(wall, {childList: true, subtree: true});
  all("[data-poster]", wall).forEach(watch);
}

// pose loads the tile's video, makes its poster, and shows it in the tile.
async function pose(tile) {
  const address = tile.dataset.poster, video = document.createElement("video");
  sent.add(address);
  video.muted = true;
  video.preload = "auto";
  video.src = tile.dataset.video;
  try {
    const picture = await send(await brightest(video), address);
    if (!picture) return;
    const plain = find(".plain", tile), image = new Image();
    image.src = picture;
    await image.decode();
    image.alt = plain?.textContent ?? "";
    plain?.replaceWith(image, caption(image.alt));
    tile.removeAttribute("data-poster");
  } finally {
    video.removeAttribute("src");
    video.load(); // aborts the download
  }
}
function caption(title) {
  const over = document.createElement("span"), words = document.createElement("span");
  over.className = "over";
  over.ariaHidden = "true";
  words.textContent = title;
  over.append(words);
  return over;
}

async function send(frame, address) {
  const body = new FormData();
  body.append("poster", await new Promise((resolve, reject) => frame.toBlob(b => b ? resolve(b) : reject(), "image/jpeg", 0.82)), "poster.jpg");
  const answer = await fetch(address, {method: "POST", body, headers: {"HX-Request-Type": "partial"}});
  return answer.ok && answer.headers.get("Location");
}

// brightest returns an early frame that is not black, or the brightest it found.
async function brightest(video) {
  if (video.readyState < 2) await until(video, "loadeddata");
  if (!video.videoWidth) throw new Error("no picture"); // such as sound alone
  let best, most = -1;
  for (const at of [0.3, 1, 2.5, video.duration / 2]) {
    if (!(at < video.duration)) continue;
    video.currentTime = at;
    await until(video, "seeked");
    const frame = draw(video, longest), light = brightness(frame);
    if (light > most) [best, most] = [frame, light];
    if (light > 24) break;
  }
  return best;
}
function until(video, event) {
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
