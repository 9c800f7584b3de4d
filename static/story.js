// The storyline as an editor: a strip of scenes that is the time line, on which they are
// played, cut and put in order. player.js adds the controls. Without script, each scene has
// the browser's controls and its numbers.
import { all, find, on, toast } from "./dom.js";
import { Sequence } from "./sequence.js";

const tall = 80; // CSS pixels of the frames on the strip
const tenths = seconds => `${(Math.round(seconds * 10) / 10).toFixed(1)} s`;
const within = (low, n, high) => Math.min(Math.max(low, n), high);
const percent = part => `${100 * part}%`;

class Editor {
  constructor(box, changed, tools) {
    this.box = box;
    this.form = find("[data-cuts]", box);
    this.strip = find("[data-strip]", box);
    this.head = find("[data-head]", box);
    const boxes = all("[data-clip]", box);
    this.scenes = all("[data-scene]", box).map((item, i) => this.sceneOf(item, boxes[i]));
    this.handles = ["first", "last"].map(what => this.handle(what));
    this.aways = ["front", "back"].map(at => Object.assign(document.createElement("span"), { className: `cutaway at-${at}` }));
    this.reel = new Sequence(all(".stage video", box), this.scenes, +box.dataset.at, () => {
      this.point();
      changed();
    }, tools, i => this.chose(i));
    this.listen();
    new ResizeObserver(() => this.rule()).observe(this.strip);
    this.layout();
    this.misfits();
    this.draw();
  }
  // sceneOf returns the part of a video that plays. If the server does not know its length,
  // that is all of it.
  sceneOf(item, clip) {
    const { id, src, length, from = 0, to, frames = 0, begin = 0, end, starts } = item.dataset;
    find("video", item).remove(); // without script only
    return {
      item, clip, id, src, from: +from, to: +(to ?? length) || 1, open: !frames, frames: +frames, begin: +begin, end: +end,
      keys: starts ? starts.split(",").map(Number) : null, title: find(".clip", clip).textContent,
    };
  }
  get current() { return this.reel?.current; }
  get changes() { return !!this.form.action && this.form.method === "post"; }
  field(scene, name) { return find(`[name=${name}]`, scene.item); }
  frameOf(scene, time) { return Math.round((time - scene.begin) / (scene.end - scene.begin) * scene.frames); }
  timeOf(scene, frame) { return scene.begin + (scene.end - scene.begin) * frame / scene.frames; }
  // span returns which part of the file a scene's box shows: the whole of the chosen one.
  span(scene) { return scene === this.current && scene.frames ? [scene.begin, scene.end] : [scene.from, scene.to]; }

  // x returns where on the strip a time of the film is, and timeAt the time at a place.
  x(time) {
    const { reel } = this;
    let i = reel.scenes.findIndex((_, i) => time < reel.begins(i + 1));
    if (i < 0) i = reel.scenes.length - 1;
    if (reel.target === null && reel.at >= 0 && Math.abs(time - reel.time) < 1e-6) i = reel.at;
    const scene = reel.scenes[i], [start, end] = this.span(scene);
    return scene.clip.offsetLeft + scene.clip.offsetWidth * within(0, (scene.from + time - reel.begins(i) - start) / (end - start), 1);
  }
  timeAt(x) {
    const { reel } = this;
    let i = reel.scenes.findLastIndex(s => s.clip.offsetLeft <= x);
    i = Math.max(0, i);
    const scene = reel.scenes[i], [start, end] = this.span(scene);
    return reel.begins(i) + within(0, start + (x - scene.clip.offsetLeft) / scene.clip.offsetWidth * (end - start) - scene.from, scene.to - scene.from - 0.001);
  }

  // layout gives the boxes the lengths of their scenes, and their numbers.
  layout() {
    this.scenes.forEach((s, i) => {
      const length = s.to - s.from, { clip, item } = s;
      clip.style.setProperty("--for", length.toFixed(2));
      find(".number", clip).textContent = i + 1;
      find("[data-clip-length]", clip).textContent = tenths(length);
      item.dataset.scene = i;
      find("[data-scene-name]", item).textContent = `Scene ${i + 1}`;
      const said = find("[data-cut-length]", item);
      if (said) said.textContent = `${tenths(length)} of ${tenths(s.end - s.begin)}`;
      for (const [name, is] of [["earlier", i === 0], ["later", i === this.scenes.length - 1]]) if (this.field(s, name)) this.field(s, name).disabled = is;
      for (const button of all("[name=earlier], [name=later], [name=out]", item)) button.hidden = this.scenes.length === 1;
    });
    this.name();
    this.pose();
  }
  name() {
    this.scenes.forEach((s, i) => {
      const bad = s.clip.classList.contains("misfit") ? " Doesn’t fit." : "", keys = this.changes ? " Alt and arrow keys move it." : "";
      find(".reel-pics", s.clip).ariaLabel = `Scene ${i + 1}, ${s.title}, ${tenths(s.to - s.from)}.${bad}${keys}`;
    });
  }
  // pose shows the right part of each scene's frames, and the handles of the chosen one.
  pose() {
    for (const s of this.scenes) {
      const [start, end] = this.span(s), whole = s.frames ? s.end - s.begin : end - start, frames = find(".frames-of", s.clip);
      frames.style.setProperty("width", percent(whole / (end - start)));
      frames.style.setProperty("margin-inline-start", percent(-(start - (s.frames ? s.begin : start)) / (end - start)));
    }
    const s = this.current ?? this.scenes[+this.box.dataset.at];
    if (!s) return;
    if (s.frames && this.changes) {
      const whole = s.end - s.begin, front = (s.from - s.begin) / whole, back = (s.end - s.to) / whole;
      if (!s.clip.contains(this.handles[0])) { // an element that is moved loses the focus
        find(".reel-pics", s.clip).append(...this.aways);
        find(".clip-pics", s.clip).append(...this.handles);
      }
      this.aways[0].style.setProperty("width", percent(front));
      this.aways[1].style.setProperty("width", percent(back));
      this.handles[0].style.setProperty("inset-inline-start", percent(front));
      this.handles[1].style.setProperty("inset-inline-end", percent(back));
      for (const [h, name, frame] of [[this.handles[0], "first", this.frameOf(s, s.from) + 1], [this.handles[1], "last", this.frameOf(s, s.to)]]) {
        h.ariaValueMin = 1;
        h.ariaValueMax = s.frames;
        h.ariaValueNow = frame;
        h.ariaValueText = `${name === "first" ? "Starts at" : "Ends after"} frame ${frame}`;
      }
    } else for (const e of [...this.handles, ...this.aways]) e.remove();
    this.rule();
  }
  // rule draws the ruler, in steps of seconds that leave room for the numbers.
  rule() {
    const { reel } = this, ruler = find("[data-ruler]", this.box);
    if (!reel || reel.at < 0) return;
    const each = this.strip.offsetWidth / Math.max(reel.length, 1), step = [0.5, 1, 2, 5, 10, 30, 60].find(n => n * each >= 56) ?? 120;
    const marks = [];
    for (let t = 0; t <= reel.length + 0.01; t += step) {
      const mark = document.createElement("i");
      mark.textContent = `${Math.floor(t / 60)}:${String(Math.floor(t % 60)).padStart(2, "0")}${step < 1 ? (t % 1 ? ".5" : ".0") : ""}`;
      mark.style.setProperty("inset-inline-start", `${this.x(t)}px`);
      marks.push(mark);
    }
    ruler.replaceChildren(...marks);
    this.point();
  }
  // point moves the playhead, and the strip with it.
  point() {
    const { reel } = this;
    if (!reel || reel.at < 0) return;
    const x = this.x(reel.time), scroll = this.head.closest(".strip-scroll");
    this.head.style.setProperty("translate", `${x}px`);
    if (!reel.running || scroll.scrollWidth <= scroll.clientWidth) return;
    const seen = (x - scroll.scrollLeft) / scroll.clientWidth;
    if (seen < 0.25 || seen > 0.75) scroll.scrollLeft = x - scroll.clientWidth / 2;
  }
  chose(i) {
    for (const s of this.scenes) for (const e of [s.item, s.clip]) e.removeAttribute("aria-current");
    for (const e of [this.scenes[i].item, this.scenes[i].clip]) e.setAttribute("aria-current", "true");
    this.pose();
  }
  choose(i, focus) {
    if (!this.scenes[i]) return;
    if (this.reel.at !== i) this.reel.show(i, 0);
    if (focus) find(".reel-pics", this.scenes[i].clip).focus();
  }

  save() { this.form.dispatchEvent(new CustomEvent("moved")); }
  say(text) { find("[data-story-said]", this.box).textContent = text; }

  // cut sets the first or the last frame, counted from 1. A start moves to the key frame at
  // or before it.
  cut(scene, what, number) {
    const last = +this.field(scene, "last").value, first = +this.field(scene, "first").value;
    number = Math.round(within(1, number || 1, scene.frames));
    const from = what === "first" ? number : Math.min(first, number), to = what === "last" ? number : Math.max(last, number);
    const key = scene.keys ? scene.keys.findLast(k => k < from) + 1 : from, said = find("[data-snapped]", scene.item);
    const text = key === from ? "" : `Can’t start exactly there. It starts at frame ${key}.`;
    if (said.textContent !== text) said.textContent = text;
    this.field(scene, "first").value = key;
    this.field(scene, "last").value = to;
    scene.from = this.timeOf(scene, key - 1);
    scene.to = this.timeOf(scene, to);
    const length = find("[data-cut-length]", scene.item);
    if (length) length.textContent = `${tenths(scene.to - scene.from)} of ${tenths(scene.end - scene.begin)}`;
    this.reel.stop();
    this.reel.show(this.scenes.indexOf(scene), what === "first" ? 0 : Math.max(0, scene.to - scene.from - this.reel.frame / 2));
    this.pose();
  }
  // step moves a handle by frames; a start that must be a key frame, to the next one.
  step(scene, what, frames) {
    let number = +this.field(scene, what).value + frames;
    if (what === "first" && scene.keys && frames > 0) number = (scene.keys.find(k => k + 1 >= number) ?? number - frames - 1) + 1;
    this.cut(scene, what, number);
    this.layout();
    this.save();
  }
  cutHere(what) {
    const s = this.current, { reel } = this;
    if (!s?.frames || !this.changes) return;
    const time = s.from + reel.time - reel.begins(reel.at);
    this.cut(s, what, this.frameOf(s, time - reel.frame / 2) + 1);
    this.layout();
    this.save();
    this.say(what === "first" ? `Starts at frame ${this.field(s, "first").value}.` : `Ends after frame ${this.field(s, "last").value}.`);
  }
  handle(what) {
    const h = Object.assign(document.createElement("span"), { className: `handle ${what}`, role: "slider", tabIndex: 0, ariaLabel: what === "first" ? "Starts" : "Ends" });
    h.addEventListener("keydown", e => {
      const s = this.current, second = Math.round(s.frames / (s.end - s.begin)), step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (e.altKey || e.ctrlKey || e.metaKey) return;
      if (step) this.step(s, what, step * (e.shiftKey ? second : 1));
      else if (e.key === "Home") this.step(s, what, -s.frames);
      else if (e.key === "End") this.step(s, what, s.frames);
      else return;
      e.preventDefault();
    });
    h.addEventListener("pointerdown", e => {
      if (e.button) return;
      e.preventDefault();
      h.focus();
      h.setPointerCapture(e.pointerId);
      const s = this.current, before = ["first", "last"].map(name => this.field(s, name).value);
      const move = e => {
        const { left, width } = s.clip.getBoundingClientRect();
        const frame = Math.round(within(0, (e.clientX - left) / width, 1) * s.frames);
        this.cut(s, what, what === "first" ? frame + 1 : frame);
      };
      const leave = e => { if (e.key === "Escape") done(); };
      const done = kept => {
        h.removeEventListener("pointermove", move);
        removeEventListener("keydown", leave, true);
        if (!kept) ["first", "last"].forEach((name, i) => this.cut(s, name, +before[i]));
        this.layout();
        if (kept) this.save();
      };
      h.addEventListener("pointermove", move);
      h.addEventListener("pointerup", () => done(true), { once: true });
      h.addEventListener("pointercancel", () => done(), { once: true });
      addEventListener("keydown", leave, true);
    });
    return h;
  }

  // order puts the scenes into an order, on the page and in the film.
  order(scenes) {
    this.scenes = scenes;
    find(".scenes", this.form).append(...scenes.map(s => s.item));
    this.strip.append(...scenes.map(s => s.clip));
    this.reel.arrange(scenes);
    this.layout();
    this.save();
  }
  move(scene, to) {
    const from = this.scenes.indexOf(scene), rest = this.scenes.filter(s => s !== scene);
    to = within(0, to, rest.length);
    if (to === from) return;
    this.moved = `This is scene ${to + 1} of ${this.scenes.length} now.`;
    const had = document.activeElement;
    this.order(rest.toSpliced(to, 0, scene));
    if (scene.clip.contains(had) || scene.item.contains(had)) had.focus({ preventScroll: true });
    scene.clip.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
  remove(scene) {
    const at = this.scenes.indexOf(scene), rest = this.scenes.filter(s => s !== scene);
    if (!rest.length || !this.changes) return;
    const out = Object.assign(document.createElement("input"), { type: "hidden", name: "out", value: scene.id });
    scene.item.remove();
    scene.clip.remove();
    this.form.append(out);
    this.order(rest);
    find(".reel-pics", rest[Math.min(at, rest.length - 1)].clip).focus();
    const shown = toast(`Scene ${at + 1} removed.`), undo = Object.assign(document.createElement("button"), { type: "button", textContent: "Undo" });
    undo.dataset.undo = "";
    undo.addEventListener("click", () => {
      out.remove();
      shown.remove();
      this.order(this.scenes.toSpliced(at, 0, scene));
      this.choose(at, true);
      this.say(`Scene ${at + 1} is back.`);
    });
    shown.append(undo);
  }

  // lift takes a scene into the hand. Escape leaves it as it was.
  lift(scene, begun) {
    let lifted = false, to = this.scenes.indexOf(scene);
    const mark = Object.assign(document.createElement("li"), { className: "drop-here", ariaHidden: "true" }), { clip } = scene;
    const move = e => {
      if (!lifted && Math.abs(e.clientX - begun.clientX) < 6) return;
      if (!lifted) {
        lifted = true;
        this.say(`Moving scene ${to + 1}. Let go to put it down, Esc to leave it.`);
        clip.classList.add("lifted");
      }
      clip.style.setProperty("translate", `${e.clientX - begun.clientX}px -.5rem`);
      const others = this.scenes.filter(s => s !== scene);
      to = others.filter(s => { const r = s.clip.getBoundingClientRect(); return e.clientX > r.left + r.width / 2; }).length;
      if (others[to]) others[to].clip.before(mark);
      else this.strip.append(mark);
    };
    const leave = e => {
      if (e.key !== "Escape") return;
      e.preventDefault();
      end();
    };
    const end = kept => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", up);
      removeEventListener("pointercancel", cancel);
      removeEventListener("keydown", leave, true);
      mark.remove();
      clip.classList.remove("lifted");
      clip.style.removeProperty("translate");
      if (!lifted) return;
      addEventListener("click", e => e.stopPropagation(), { capture: true, once: true });
      setTimeout(() => this.strip.dispatchEvent(new MouseEvent("click")), 0); // in case that no click follows
      if (kept) this.move(scene, to);
    };
    const up = () => end(true), cancel = () => end();
    addEventListener("pointermove", move);
    addEventListener("pointerup", up);
    addEventListener("pointercancel", cancel);
    addEventListener("keydown", leave, true);
  }

  sceneAt(e) {
    const clip = e.target.closest("[data-clip]"), item = e.target.closest("[data-scene]");
    return this.scenes.find(s => s.clip === clip || s.item === item);
  }
  listen() {
    const { strip, form, box } = this;
    strip.addEventListener("click", e => {
      const scene = e.target.closest(".reel-pics") && this.sceneAt(e);
      if (!scene) return;
      if (scene === this.current && e.detail) this.reel.seek(this.timeAt(e.clientX - strip.getBoundingClientRect().left));
      else this.choose(this.scenes.indexOf(scene));
    });
    strip.addEventListener("pointerdown", e => {
      const scene = e.target.closest(".reel-pics") && this.sceneAt(e);
      if (scene && !e.button && e.pointerType !== "touch" && this.changes && this.scenes.length > 1) this.lift(scene, e);
    });
    strip.addEventListener("dragstart", e => e.preventDefault());
    strip.addEventListener("keydown", e => {
      const scene = e.target.matches(".reel-pics") && this.sceneAt(e), i = this.scenes.indexOf(scene), step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
      if (!scene || e.ctrlKey || e.metaKey || e.shiftKey) return;
      if (step && e.altKey && this.changes) this.move(scene, i + step);
      else if (step && !e.altKey) this.choose(i + step, true);
      else if (/^(Delete|Backspace)$/.test(e.key)) this.remove(scene);
      else return;
      e.preventDefault();
    });
    on("shortcut", e => {
      const what = { i: "first", o: "last" }[e.detail];
      if (!what || !box.isConnected) return;
      e.preventDefault();
      this.cutHere(what);
    });
    form.addEventListener("change", e => {
      if (!e.target.matches("[type=number]")) return;
      this.cut(this.sceneAt(e), e.target.name, +e.target.value);
      this.layout();
    });
    form.addEventListener("click", e => {
      const button = e.target.closest("[name=earlier], [name=later], [name=out]"), scene = button && this.sceneAt(e);
      if (!scene) return;
      e.preventDefault();
      if (button.name === "out") return this.remove(scene);
      this.move(scene, this.scenes.indexOf(scene) + (button.name === "earlier" ? -1 : 1));
      (button.disabled ? find(button.name === "earlier" ? "[name=later]" : "[name=earlier]", scene.item) : button).focus();
    });
    box.addEventListener("htmx:after:swap", () => {
      this.misfits();
      this.tell();
    });
    // The ruler is for pointers; its slider is for the keyboard.
    const timeline = find(".timeline", box), scrub = find("[data-time]", box);
    scrub.addEventListener("pointerdown", e => {
      if (e.button) return;
      e.preventDefault();
      scrub.focus();
      scrub.setPointerCapture(e.pointerId);
      const seek = e => this.reel.seek(this.timeAt(e.clientX - timeline.getBoundingClientRect().left));
      seek(e);
      scrub.addEventListener("pointermove", seek);
      for (const type of ["pointerup", "pointercancel"]) scrub.addEventListener(type, () => scrub.removeEventListener("pointermove", seek), { once: true });
    });
  }

  // misfits marks the scenes that do not fit the others.
  misfits() {
    for (const s of this.scenes) {
      const bad = find(`#story-film [data-misfit="${s.id}"] [data-misfit-says]`, this.box), said = find("[data-fit]", s.item);
      s.clip.classList.toggle("misfit", !!bad);
      said.classList.toggle("bad", !!bad);
      said.textContent = bad?.textContent ?? "Fits the other scenes.";
    }
    this.name();
  }
  // tell announces a move and the film's new state together.
  tell() {
    const film = all("#story-film > [data-told]", this.box).map(p => p.textContent);
    this.say([this.moved, ...film].filter(Boolean).join(" "));
    this.moved = "";
  }

  // draw shows frames of each scene on the strip, when the browser has time for it.
  async draw() {
    if (navigator.connection?.saveData) return;
    const idle = window.requestIdleCallback ?? (act => setTimeout(act, 200));
    for (const s of [...this.scenes]) {
      await new Promise(done => idle(done));
      await this.drawFrames(s).catch(() => { /* its thumbnail stays */ });
    }
  }
  async drawFrames(s) {
    const video = Object.assign(document.createElement("video"), { muted: true, preload: "auto", src: s.src });
    const until = event => new Promise((done, failed) => {
      video.addEventListener(event, done, { once: true });
      video.addEventListener("error", failed, { once: true });
      setTimeout(failed, 15000);
    });
    try {
      await until("loadeddata");
      const wide = tall * video.videoWidth / video.videoHeight, box = find(".frames-of", s.clip);
      const n = within(1, Math.round(box.offsetWidth / wide) || 1, 8), end = s.end || video.duration || 1, frames = [];
      for (let k = 0; k < n; k++) {
        video.currentTime = s.begin + (k + 0.5) / n * (end - s.begin);
        await until("seeked");
        const frame = Object.assign(document.createElement("canvas"), { width: Math.round(wide * 1.5), height: tall * 1.5 });
        frame.getContext("2d").drawImage(video, 0, 0, frame.width, frame.height);
        frames.push(frame);
      }
      box.replaceChildren(...frames);
    } finally {
      video.removeAttribute("src");
      video.load(); // ends the download
    }
  }
}

for (const box of all("[data-story]")) {
  box.makeReel = (changed, tools) => {
    box.editor = new Editor(box, changed, tools);
    return box.reel = box.editor.reel;
  };
}
