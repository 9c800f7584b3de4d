// Plays parts of videos one after another, without a gap. Two video elements alternate:
// while one plays, the other one holds the first frame of what follows.

const lengthOf = v => (Number.isFinite(v.duration) ? v.duration : 0);

// A Sequence is a reel for player.js. A scene has src, from and to; one with open is of
// unknown length, and to is only expected. turned is called when another scene shows.
export class Sequence {
  running = false; loop = false; rate = 1; at = -1; target = null; showing = 0;

  constructor(screens, scenes, at, changed, { watch, frameAt, start }, turned = () => {}) {
    Object.assign(this, { scenes, changed, frameAt, start, turned });
    [this.screen, this.spare] = screens;
    for (const v of screens) {
      v.hidden = false;
      watch(v);
      for (const type of ["timeupdate", "seeked", "ended", "waiting", "playing", "canplay", "error"]) v.addEventListener(type, () => this.tick());
      v.addEventListener("loadedmetadata", () => this.measure(v));
      v.addEventListener("pause", () => this.running && v === this.screen && v.paused && !v.ended && !this.waits && this.stop());
    }
    this.show(at, 0);
    this.measure(this.screen);
  }
  measure(v) {
    const scene = v.scene;
    if (scene?.open && lengthOf(v)) scene.to = lengthOf(v);
    this.changed();
  }
  lengthOf(i) { return this.scenes[i].to - this.scenes[i].from; }
  begins(i) { return this.scenes.slice(0, i).reduce((sum, s) => sum + s.to - s.from, 0); }
  get length() { return this.begins(this.scenes.length); }
  get frame() { return this.screen.frame ?? 1 / 24; }
  get time() { return this.target ?? this.begins(this.at) + Math.min(Math.max(0, this.screen.currentTime - this.current.from), this.lengthOf(this.at)); }
  get current() { return this.scenes[this.at]; }
  get label() { return `scene ${this.at + 1} of ${this.scenes.length}`; }
  get waitsFor() { return this.waits ? this.at : -1; }

  // show shows the scene at a time within it.
  show(i, time) {
    const showing = ++this.showing, scene = this.scenes[i], same = i === this.at, v = same ? this.screen : this.spare;
    const at = scene.from + time;
    this.target = this.begins(i) + time;
    this.load(v, i);
    const go = () => {
      if (showing !== this.showing) return; // superseded by another call
      if (Math.abs(v.currentTime - at) > 0.001) v.currentTime = Math.min(at, lengthOf(v) || scene.to);
      if (this.running) this.start(v);
      if (!same) this.turn(i);
      this.tick();
    };
    this.waits = v.readyState < 2;
    if (this.waits) v.addEventListener("loadeddata", () => { this.waits = false; go(); }, { once: true });
    else go();
  }
  load(v, i) {
    const scene = this.scenes[i];
    if (!scene) return;
    v.scene = scene;
    if (v.getAttribute("src") !== scene.src) v.src = scene.src;
    v.playbackRate = v.defaultPlaybackRate = this.rate;
  }
  // turn swaps the screens, and prepares the following scene on the spare one.
  turn(i) {
    [this.screen, this.spare] = [this.spare, this.screen];
    this.at = i;
    this.screen.muted = this.spare.muted;
    this.spare.pause();
    for (const v of [this.screen, this.spare]) {
      v.toggleAttribute("data-on", v === this.screen);
      v.toggleAttribute("aria-hidden", v !== this.screen);
      if (v !== this.screen) v.setAttribute("aria-hidden", "true");
    }
    this.prepare();
    this.turned(i);
  }
  prepare() {
    const next = this.at + 1 < this.scenes.length ? this.at + 1 : 0, v = this.spare;
    this.load(v, next);
    v.currentTime = this.scenes[next].from;
  }
  // arrange plays other scenes, or the same in another order. The current one stays, or else
  // what stands in its place now shows.
  arrange(scenes) {
    const { current } = this;
    this.scenes = scenes;
    const at = scenes.indexOf(current);
    if (at >= 0) {
      this.at = at;
      this.prepare();
      this.turned(at);
    } else {
      this.at = Math.min(this.at, scenes.length - 1);
      this.show(this.at, 0);
      this.prepare();
      this.turned(this.at);
    }
    this.changed();
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
    let i = this.scenes.findIndex((_, i) => time < this.begins(i) + this.lengthOf(i));
    if (i < 0) i = this.scenes.length - 1;
    this.show(i, time - this.begins(i));
    this.changed();
  }
  step(frames) {
    this.stop();
    const { from } = this.current, here = this.time - this.begins(this.at), half = this.frame / 2;
    const to = Math.max(0, this.frameAt(this.screen, from + here, frames) - from);
    if (to > this.lengthOf(this.at) && this.scenes[this.at + 1]) return this.show(this.at + 1, half);
    if (frames < 0 && here < this.frame && this.at > 0) return this.show(this.at - 1, this.lengthOf(this.at - 1) - half);
    this.show(this.at, Math.min(to, this.lengthOf(this.at) - half));
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
    if (this.at < 0) return this.changed(); // the first one is loading
    if (this.target !== null && !this.waits && !this.screen.seeking) this.target = null;
    if (this.running && this.target === null && (this.screen.ended || this.screen.currentTime >= this.current.to - 0.004)) this.next();
    this.changed();
  }
  next() {
    if (this.at + 1 < this.scenes.length) return this.show(this.at + 1, 0);
    if (this.loop) return this.show(0, 0);
    this.stop();
  }
}
