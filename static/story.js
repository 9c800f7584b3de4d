// A storyline plays scenes in sequence without a gap. Two video elements alternate:
// while one plays, the other preloads the next scene. player.js adds the controls.
// Without script, each scene has the browser's controls.
import { all, find } from "./dom.js";

const lengthOf = v => (Number.isFinite(v.duration) ? v.duration : 0);

// A Sequence implements a reel for player.js.
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
  // scene returns the part of a video that plays. If the server does not know its
  // length, that is all of it.
  scene(item) {
    const { src, length, from = 0, to, frames } = item.dataset, still = find("video", item);
    const scene = { item, src, from: +from, to: +(to ?? length), get length() { return this.to - this.from; } };
    const measured = () => { if (!frames) scene.to = lengthOf(still) || scene.to; this.tick(); };
    Object.assign(still, { controls: false, muted: true, tabIndex: -1 });
    still.addEventListener("loadedmetadata", measured);
    if (still.readyState) queueMicrotask(measured);
    return scene;
  }
  begins(i) { return this.scenes.slice(0, i).reduce((sum, s) => sum + s.length, 0); }
  get length() { return this.begins(this.scenes.length); }
  get frame() { return this.screen.frame ?? 1 / 24; }
  get time() { return this.target ?? this.begins(this.at) + Math.min(Math.max(0, this.screen.currentTime - this.current.from), this.current.length); }
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
  // turn swaps the screens, and preloads the following scene on the spare one.
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
    const next = i + 1 < this.scenes.length ? i + 1 : 0;
    this.load(this.spare, next);
    this.spare.currentTime = this.scenes[next].from;
  }
  // arrange reorders the scenes as on the page, and keeps the current one.
  arrange() {
    const { current } = this, order = all("[data-scene]", this.box);
    this.scenes.sort((a, b) => order.indexOf(a.item) - order.indexOf(b.item));
    this.at = this.scenes.indexOf(current);
    this.load(this.spare, this.at + 1 < this.scenes.length ? this.at + 1 : 0);
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
    let i = this.scenes.findIndex((s, i) => time < this.begins(i) + s.length);
    if (i < 0) i = this.scenes.length - 1;
    this.show(i, time - this.begins(i));
    this.changed();
  }
  step(frames) {
    this.stop();
    const { from } = this.current, here = this.time - this.begins(this.at), half = this.frame / 2;
    const to = Math.max(0, this.frameAt(this.screen, from + here, frames) - from);
    if (to > this.current.length && this.scenes[this.at + 1]) return this.show(this.at + 1, half);
    if (frames < 0 && here < this.frame && this.at > 0) return this.show(this.at - 1, this.scenes[this.at - 1].length - half);
    this.show(this.at, Math.min(to, this.current.length - half));
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

// A Cutter handles the numbers and sliders of the cuts: it moves a start to the key
// frame at or before it, and shows the frame.
class Cutter {
  constructor(box, reel) {
    Object.assign(this, { box, reel, form: find("[data-cuts]", box) });
    this.form.addEventListener("input", e => e.target.matches("[data-slide]") && this.cut(e.target));
    this.form.addEventListener("change", e => e.target.matches("[type=number]") && this.cut(e.target));
    box.addEventListener("htmx:after:swap", () => this.tell());
    this.form.addEventListener("click", e => {
      const button = e.target.closest("[name=earlier], [name=later]");
      if (!button) return;
      e.preventDefault();
      this.move(button);
    });
  }
  cut(input) {
    const item = input.closest("[data-scene]"), { dataset: d } = item, scene = this.reel.scenes.find(s => s.item === item);
    const field = name => find(`[name=${name}]`, item), what = input.dataset.slide ?? input.name, frames = +d.frames;
    const number = Math.round(Math.min(Math.max(1, +input.value || 1), frames));
    let first = what === "first" ? number : +field("first").value, last = what === "last" ? number : +field("last").value;
    if (what === "first") last = Math.max(first, last);
    else first = Math.min(first, last);
    const keys = d.starts ? d.starts.split(",").map(k => +k + 1) : null, key = keys ? keys.findLast(k => k <= first) : first;
    const said = find("[data-snapped]", item), text = key === first ? "" : `Begins with frame ${key}, the key frame before frame ${first}.`;
    if (said.textContent !== text) said.textContent = text;
    for (const [name, value] of [["first", key], ["last", last]]) {
      field(name).value = find(`[data-slide=${name}]`, item).value = value;
    }
    const time = frame => +d.begin + (d.end - d.begin) * frame / frames;
    scene.from = time(key - 1);
    scene.to = time(last);
    this.reel.stop();
    this.reel.show(this.reel.scenes.indexOf(scene), what === "first" ? 0 : Math.max(0, scene.length - this.reel.frame / 2));
  }
  move(button) {
    const item = button.closest("[data-scene]"), earlier = button.name === "earlier";
    if (earlier) item.previousElementSibling?.before(item);
    else item.nextElementSibling?.after(item);
    const items = all("[data-scene]", this.form);
    items.forEach((item, i) => {
      item.dataset.scene = i;
      find("[data-scene-name]", item).textContent = `Scene ${i + 1}`;
      find("[name=earlier]", item).disabled = i === 0;
      find("[name=later]", item).disabled = i === items.length - 1;
    });
    (button.disabled ? find(earlier ? "[name=later]" : "[name=earlier]", item) : button).focus();
    this.reel.arrange();
    this.moved = `This is scene ${+item.dataset.scene + 1} of ${items.length} now.`;
    this.form.dispatchEvent(new CustomEvent("moved"));
  }
  // tell announces the move and the film's new state together.
  tell() {
    const film = all("#story-film > [data-told]", this.box).map(p => p.textContent);
    find("[data-story-said]", this.box).textContent = [this.moved, ...film].filter(Boolean).join(" ");
    this.moved = "";
  }
}

for (const box of all("[data-story]")) {
  box.makeReel = (changed, tools) => {
    box.reel = new Sequence(box, changed, tools);
    new Cutter(box, box.reel);
    return box.reel;
  };
  box.addEventListener("click", e => {
    const jump = e.target.closest("[data-jump]") ?? e.target.closest("[data-scene] video");
    if (!jump) return;
    box.reel.running = true;
    box.reel.show(+jump.closest("[data-scene]").dataset.scene, 0);
  });
}
