// A storyline: scenes that play one after another without a gap. Two screens
// take turns; while one plays, the other has the next scene ready. player.js
// puts its bar under it. Without script each scene has the browser's controls.
import { all, find } from "./dom.js";

const lengthOf = v => (Number.isFinite(v.duration) ? v.duration : 0);

// A Sequence is what player.js calls a reel.
class Sequence {
  running = false; loop = false; rate = 1; at = -1; target = null; showing = 0;

  constructor(box, changed, { watch, frameAt, start }) {
    Object.assign(this, { box, changed, frameAt, start });
    this.scenes = all("[data-scene]", box).map(item => this.scene(item));
    [this.screen, this.spare] = all(".stage video", box);
    for (const v of [this.screen, this.spare]) {
      v.hidden = false;
      watch(v);
      for (const type of ["timeupdate", "seeked", "ended", "waiting", "playing", "canplay", "error"]) v.addEventListener(type, () => this.tick());
      v.addEventListener("pause", () => this.running && v === this.screen && v.paused && !v.ended && !this.waits && this.stop());
    }
    this.show(+box.dataset.at, 0);
  }
  scene(item) {
    const still = find("video", item), scene = { item, src: item.dataset.src, length: +item.dataset.length };
    const measured = () => { scene.length = lengthOf(still) || scene.length; this.tick(); };
    Object.assign(still, { controls: false, muted: true, tabIndex: -1 });
    still.addEventListener("loadedmetadata", measured);
    if (still.readyState) queueMicrotask(measured);
    return scene;
  }
  begins(i) { return this.scenes.slice(0, i).reduce((sum, s) => sum + s.length, 0); }
  get length() { return this.begins(this.scenes.length); }
  get frame() { return this.screen.frame ?? 1 / 24; }
  get time() { return this.target ?? this.begins(this.at) + Math.min(this.screen.currentTime, this.scenes[this.at].length); }
  get label() { return `scene ${this.at + 1} of ${this.scenes.length}`; }
  get waitsFor() { return this.waits ? this.at : -1; }

  // show puts the scene on the screen, at the time within it.
  show(i, time) {
    const showing = ++this.showing, scene = this.scenes[i], same = i === this.at, v = same ? this.screen : this.spare;
    this.target = this.begins(i) + time;
    this.load(v, i);
    const go = () => {
      if (showing !== this.showing) return; // somebody went on meanwhile
      if (Math.abs(v.currentTime - time) > 0.001) v.currentTime = Math.min(time, lengthOf(v) || scene.length);
      if (!same) this.turn(i);
      if (this.running) this.start(v);
      this.tick();
    };
    this.waits = v.readyState < 2;
    if (this.waits) v.addEventListener("loadeddata", () => { this.waits = false; go(); }, { once: true });
    else go();
  }
  load(v, i) {
    const { src } = this.scenes[i] ?? {};
    if (src && v.getAttribute("src") !== src) v.src = src;
    v.playbackRate = v.defaultPlaybackRate = this.rate;
  }
  // turn makes the spare screen the one that shows, and prepares the scene
  // after it on the other.
  turn(i) {
    [this.screen, this.spare] = [this.spare, this.screen];
    this.at = i;
    this.spare.pause();
    this.screen.toggleAttribute("data-on", true);
    this.screen.removeAttribute("aria-hidden");
    this.spare.toggleAttribute("data-on", false);
    this.spare.setAttribute("aria-hidden", "true");
    for (const { item } of this.scenes) item.removeAttribute("aria-current");
    this.scenes[i].item.setAttribute("aria-current", "true");
    this.load(this.spare, i + 1 < this.scenes.length ? i + 1 : 0);
    if (this.spare.readyState) this.spare.currentTime = 0;
  }

  play() {
    this.running = true;
    if (this.time > this.length - this.frame / 2) this.seek(0);
    else if (!this.waits) this.start(this.screen);
    this.tick();
  }
  stop() {
    this.running = false;
    this.screen.pause();
    this.changed();
  }
  seek(time) {
    time = Math.min(Math.max(0, time), this.length);
    let i = this.scenes.findIndex((s, i) => time < this.begins(i) + s.length);
    if (i < 0) i = this.scenes.length - 1;
    this.show(i, time - this.begins(i));
    this.changed();
  }
  step(frames) {
    this.stop();
    const here = this.time - this.begins(this.at), to = this.frameAt(this.screen, here, frames), half = this.frame / 2;
    if (to > this.scenes[this.at].length && this.scenes[this.at + 1]) return this.show(this.at + 1, half);
    if (frames < 0 && here < this.frame && this.at > 0) return this.show(this.at - 1, this.scenes[this.at - 1].length - half);
    this.show(this.at, Math.min(to, this.scenes[this.at].length - half));
  }
  jump(scenes) {
    const i = this.at + scenes;
    if (this.scenes[i]) this.show(i, 0);
  }
  set speed(rate) {
    this.rate = rate;
    for (const v of [this.screen, this.spare]) v.playbackRate = v.defaultPlaybackRate = rate;
  }

  tick() {
    if (this.at < 0) return this.changed(); // the first one is still coming
    if (this.target !== null && !this.waits && !this.screen.seeking) this.target = null;
    if (this.running && this.screen.ended && this.target === null) this.next();
    this.changed();
  }
  next() {
    if (this.at + 1 < this.scenes.length) return this.show(this.at + 1, 0);
    if (this.loop) return this.show(0, 0);
    this.running = false;
  }
}

for (const box of all("[data-story]")) {
  box.makeReel = (changed, tools) => (box.reel = new Sequence(box, changed, tools));
  box.addEventListener("click", e => {
    const jump = e.target.closest("[data-jump]") ?? e.target.closest("[data-scene] video");
    if (!jump) return;
    box.reel.running = true;
    box.reel.show(+jump.closest("[data-scene]").dataset.scene, 0);
  });
}
