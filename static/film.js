// Videos with our own controls: play, sound, position, loop, full screen. A video
// plays muted while hovered, and autoplays if it finished while the page was open.
import { all, find, letterbox, on } from "./dom.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const rest = 150; // milliseconds of hover before it plays

const clock = seconds => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

class Film {
  constructor(box) {
    this.box = box;
    this.video = find("video", box);
    this.slider = find("[data-film-at]", box);
    this.video.controls = false;
    this.video.muted = true;
    this.pressed("sound", this.video.muted);
    this.pressed("loop", this.video.loop);
    this.video.addEventListener("timeupdate", () => this.pose());
    this.video.addEventListener("loadedmetadata", () => letterbox(this.video));
    for (const type of ["play", "pause", "timeupdate", "durationchange", "seeked"]) this.video.addEventListener(type, () => this.draw());
    this.video.addEventListener("error", () => { // its controls show the error
      this.video.controls = true;
      box.dataset.broken = "";
    });
    this.video.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => { this.video.currentTime = +this.slider.value; });
    box.addEventListener("click", e => this.act(e.target.closest("[data-film-do]")?.dataset.filmDo));
    box.addEventListener("pointerenter", e => e.pointerType === "mouse" && this.point());
    box.addEventListener("pointerleave", () => this.leave());
    this.draw();
    if ("auto" in box.dataset) this.premiere();
  }
  // premiere plays a video that has just been finished: once, as soon as somebody looks.
  premiere() {
    const { video, box } = this, begin = () => { box.dataset.begun = ""; };
    if (calm.matches) return begin();
    if (document.hidden) return on("visibilitychange", () => this.premiere(), { once: true });
    for (const type of ["loadeddata", "error"]) video.addEventListener(type, begin, { once: true });
    video.addEventListener("ended", () => this.loop(true), { once: true });
    this.loop(false);
    video.play().catch(begin);
  }
  loop(is) {
    this.video.loop = is;
    this.pressed("loop", is);
  }
  // play plays the video; it stays paused if the browser refuses.
  play() { this.video.play().catch(() => this.draw()); }
  toggle() {
    this.pointed = false;
    if (this.video.paused) this.play(); else this.video.pause();
  }
  point() {
    this.timer = setTimeout(() => {
      if (find("[data-unplayable][data-on]", this.box) || calm.matches || !this.video.paused || this.stopped) return;
      this.pointed = true;
      this.play();
    }, rest);
  }
  leave() {
    clearTimeout(this.timer);
    if (this.pointed) this.video.pause();
    this.pointed = this.stopped = false;
  }
  act(what) {
    const { video } = this;
    if (what === "play") { this.stopped = !video.paused; this.toggle(); }
    if (what === "sound") { video.muted = !video.muted; this.pressed("sound", video.muted); }
    if (what === "loop") this.loop(!video.loop);
    if (what === "full") document.fullscreenElement ? document.exitFullscreen() : (this.box.requestFullscreen?.() ?? video.webkitEnterFullscreen?.());
  }
  // pose makes a poster for a video without one, for the server and the filmstrip,
  // if the take there has data-poster.
  async pose() {
    const take = document.getElementById(this.video.id.replace("video", "task"));
    if (this.posing || !take?.dataset.poster) return;
    this.posing = true;
    const { offerPoster } = await import("./poster.js"), picture = await offerPoster(this.video, take.dataset.poster);
    this.posing = false;
    if (picture) find("a > .clip", take)?.replaceWith(Object.assign(new Image(), { alt: "", src: picture }));
  }
  pressed(what, is) { find(`[data-film-do=${what}]`, this.box)?.setAttribute("aria-pressed", is); }
  draw() {
    const { video, slider, box } = this, length = Number.isFinite(video.duration) ? video.duration : +video.dataset.length || 0;
    box.toggleAttribute("data-paused", video.paused);
    find("[data-film-do=play]", box).ariaLabel = video.paused ? "Play" : "Pause";
    slider.max = length;
    slider.value = video.currentTime;
    slider.setAttribute("aria-valuetext", `${clock(video.currentTime)} of ${clock(length)}`);
    find("[data-film-time]", box).textContent = clock(video.currentTime);
    find("[data-film-length]", box).textContent = clock(length);
    find(".thread", box).value = length ? video.currentTime / length * 100 : 0;
  }
}

function settle() {
  for (const box of all("[data-film]")) box.film ??= new Film(box);
}
on("htmx:after:swap", settle);
settle();
