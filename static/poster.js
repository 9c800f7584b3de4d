// The picture of a video that came without one is drawn by the first browser
// that plays the video, or that has time for it, and sent to the server, once.
import { all, find } from "./dom.js";

const longest = 640;
const sent = new Set(); // addresses for which this page has sent one

// offerPoster draws the picture of a video that plays and sends it to the
// address. What goes wrong is tried again on another visit.
export async function offerPoster(video, address) {
  if (!address || sent.has(address)) return;
  sent.add(address);
  try {
    if (video.readyState < 2) await until(video, "loadeddata");
    const frame = draw(video, longest);
    if (brightness(frame) > 24) return await send(frame, address);
    sent.delete(address); // too dark: the video may be asked again
  } catch { sent.delete(address); }
}

// watchPosters draws the pictures of tiles without one: one at a time, of those
// in sight, while the browser has nothing better to do.
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
      await pose(tile).catch(() => { /* its words stay; another visit tries again */ });
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

// pose loads the tile's video, draws its picture, and shows it in the tile.
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
    video.load(); // ends what is still being loaded
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

// A frame near the beginning that is not black, or the least black one.
async function brightest(video) {
  if (video.readyState < 2) await until(video, "loadeddata");
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
