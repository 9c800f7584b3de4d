// The controls below one video, or below several that play simultaneously. A page
// that plays several in sequence has a reel of its own (story.js). Without script,
// every video has the browser's controls.
import { all, find, letterbox, on } from "./dom.js";

const usualFrame = 1 / 24;
const drift = 0.05; // seconds between videos that are tolerated
const astray = 0.3; // seconds beyond which a video seeks

const calm = matchMedia("(prefers-reduced-motion: reduce)");
const filmsOf = box => all(".film video, .stage video", box);
const lengthOf = v => (Number.isFinite(v.duration) ? v.duration : +v.dataset.length || 0);
const within = (low, n, high) => Math.min(Math.max(low, n), high);

// silent says that videos which play by themselves are muted: until the user turns sound on.
let silent = true;
try { silent = sessionStorage.getItem("dailies silent") !== "false"; } catch { /* no storage */ }
function silence(is) {
  silent = is;
  try { sessionStorage.setItem("dailies silent", is); } catch { /* only for this page */ }
}

// goingOn reports whether the user came here from a video that was playing, and so wants to
// watch this one, too.
function goingOn() {
  try {
    const is = sessionStorage.getItem("dailies going") === "true";
    sessionStorage.removeItem("dailies going");
    return is;
  } catch { return false; }
}

// start plays the video and ignores refusals.
const start = v => v.play().catch(() => { /* stopped, or not allowed: "pause" follows */ });

// watch measures the duration of the video's frames and the time of the current
// one, if the browser reports them. It does so late: after a step, the report may
// still be about the previous frame.
function watch(v) {
  if (!v.requestVideoFrameCallback || v.watched) return;
  v.watched = true;
  let last;
  const seen = (_, frame) => {
    const apart = frame.mediaTime - last?.mediaTime;
    if (!v.paused && !v.seeking && frame.presentedFrames === last?.presentedFrames + 1 && apart > 1 / 130 && apart < 1 / 9) {
      v.frame = Math.min(v.frame ?? 1, 1 / Math.round(1 / apart));
    }
    v.shown = v.paused && Math.abs(v.currentTime - frame.mediaTime) >= (v.frame ?? usualFrame) ? undefined : frame.mediaTime;
    last = frame;
    v.requestVideoFrameCallback(seen);
  };
  v.requestVideoFrameCallback(seen);
  v.addEventListener("seeking", () => { v.shown = undefined; });
}

// frameAt returns a time within the frame that is so many steps from the time.
function frameAt(v, time, steps) {
  const frame = v.frame ?? usualFrame;
  const here = !v.seeking && v.shown <= time + frame && v.shown > time - 1.5 * frame ? v.shown : Math.floor(time / frame + 0.01) * frame;
  return Math.max(0, here + steps * frame) + frame / 2; // the middle, so that rounding hits no neighbour
}

// Together plays several videos as if they were one.
class Together {
  running = false; held = false; loop = false; rate = 1; target = null;

  constructor(videos, changed) {
    Object.assign(this, { videos, changed });
    for (const v of videos) {
      watch(v);
      for (const type of ["loadedmetadata", "durationchange", "timeupdate", "seeked", "ended", "waiting", "playing", "canplay", "error"]) v.addEventListener(type, () => this.tick());
      v.addEventListener("play", () => !this.running && this.play());
      v.addEventListener("pause", () => this.running && !this.held && v === this.lead && v.paused && !v.ended && this.stop());
    }
  }
  get fit() { return this.videos.filter(v => !v.error); }
  get lead() { return this.fit.reduce((a, b) => (lengthOf(b) > lengthOf(a) ? b : a), this.fit[0] ?? this.videos[0]); }
  get length() { return lengthOf(this.lead); }
  get time() { return this.target ?? Math.min(this.lead.currentTime, this.length || Infinity); }
  get frame() { return Math.min(...this.videos.map(v => v.frame ?? usualFrame)); }
  get waitsFor() { return this.held ? this.videos.findIndex(v => this.late(v)) : -1; }

  // Shorter videos hold their last frame.
  hasMore(v) { return !v.error && this.time < lengthOf(v); }
  goesOn(v) { return !v.ended && this.hasMore(v); }
  late(v) { return this.goesOn(v) && v.readyState < 3; }

  play() {
    if (!this.fit.length) return;
    if (this.time > this.length - this.frame / 2) this.seek(0);
    this.running = true;
    this.held = false;
    for (const v of this.fit) {
      v.playbackRate = this.rate;
      if (this.hasMore(v)) start(v);
    }
    this.tick();
  }
  stop() {
    this.running = this.held = false;
    for (const v of this.videos) v.pause();
    if (this.videos.length > 1 && this.target === null) this.seek(this.time);
    this.changed();
  }
  seek(time) {
    this.target = within(0, time, this.length);
    for (const v of this.fit) v.currentTime = Math.min(this.target, lengthOf(v));
    this.changed();
  }
  step(frames) {
    this.stop();
    const v = this.fit.find(v => (v.frame ?? usualFrame) === this.frame && this.time < lengthOf(v)) ?? this.lead;
    this.seek(Math.min(frameAt(v, this.time, frames), this.length - this.frame / 2));
  }
  set speed(rate) {
    this.rate = rate;
    for (const v of this.videos) v.playbackRate = rate;
  }
  set sound(index) { this.videos.forEach((v, i) => { v.muted = i !== index; }); }

  // tick pauses all videos until the last one is ready, and keeps them in sync.
  tick() {
    if (this.target !== null && !this.fit.some(v => v.seeking)) this.target = null;
    if (this.running) this.keepTogether();
    this.changed();
  }
  keepTogether() {
    const { lead } = this;
    if (lead.ended && this.target === null) return this.end();
    const going = this.fit.filter(v => this.goesOn(v)), late = going.filter(v => this.late(v));
    if (late.length && this.videos.length > 1) {
      this.held = true;
      for (const v of going) if (!late.includes(v)) v.pause();
      return;
    }
    if (this.held) {
      this.held = false;
      for (const v of going) start(v);
    }
    for (const v of going) if (v !== lead && !v.seeking) this.correct(v, lead.currentTime - v.currentTime);
  }
  correct(v, behind) {
    if (Math.abs(behind) > astray) v.currentTime = this.lead.currentTime;
    if (Math.abs(behind) > drift) v.hurry = Math.sign(behind);
    else if (Math.abs(behind) < drift / 4) v.hurry = 0;
    const rate = this.rate * (1 + (v.hurry ?? 0) * 0.1);
    if (v.playbackRate !== rate) v.playbackRate = rate;
  }
  end() {
    if (this.loop) {
      this.seek(0);
      return this.play();
    }
    this.running = false;
  }
}

const clock = seconds => {
  const hundredths = Math.round(Math.max(0, seconds) * 100), two = n => String(n).padStart(2, "0");
  return `${Math.floor(hundredths / 6000)}:${two(Math.floor(hundredths / 100) % 60)}.${two(hundredths % 100)}`;
};
const words = seconds => `${+Math.max(0, seconds).toFixed(2)} second${+seconds.toFixed(2) === 1 ? "" : "s"}`;

// A Bar handles the controls.
class Bar {
  constructor(box, arrived) {
    const films = filmsOf(box);
    this.box = box;
    const draw = () => this.draw();
    this.reel = box.makeReel?.(draw, { watch, frameAt, start }) ?? new Together(films, draw);
    for (const v of films) {
      v.controls = false;
      v.addEventListener("volumechange", draw);
      v.addEventListener("loadedmetadata", () => this.fit(v));
      this.fit(v);
    }
    // In full screen, only the browser's controls are visible.
    box.addEventListener("fullscreenchange", () => films.forEach(v => { v.controls = !!document.fullscreenElement; }));
    this.box.addEventListener("click", e => this.click(e));
    this.box.addEventListener("input", e => e.target.matches("[data-time]") && this.reel.seek(+e.target.value));
    this.box.addEventListener("change", e => this.choose(e.target));
    this.draw();
    const going = goingOn();
    if (("plays" in box.dataset || going) && !calm.matches && location.hash !== "#next") this.begin(films[0], arrived || silent);
  }
  // begin plays a video that was opened to be watched, in a hidden tab as soon as the
  // tab is seen. If the browser does not allow sound, it is muted.
  async begin(v, muted) {
    if (document.hidden) await new Promise(seen => document.addEventListener("visibilitychange", seen, { once: true }));
    if (!v.isConnected || find("[data-unplayable][data-on]", v.parentElement)) return;
    v.muted = muted;
    try {
      await v.play();
    } catch (e) {
      if (e.name !== "NotAllowedError" || v.muted) return;
      v.muted = true;
      start(v);
    }
  }
  part(selector) { return find(selector, this.box); }
  // fit sets the aspect ratio of a video for which none was requested.
  fit(v) {
    if (!v.videoWidth) return;
    for (const e of [v.closest(".film"), v.closest(".screen")]) e?.matches(".r-auto") && e.style.setProperty("--ar", v.videoWidth / v.videoHeight);
    letterbox(v);
  }
  say(text) { this.part("[data-said]").textContent = text; }

  click(e) {
    const button = e.target.closest("[data-do]");
    if (button) this.act(button.dataset.do);
    else if (e.target.matches("video:not([controls])")) this.act("play");
  }
  act(what) {
    const { reel } = this;
    if (what === "back") reel.step(-1);
    if (what === "forward") reel.step(1);
    if (what === "play") {
      const stop = reel.running;
      if (stop) reel.stop();
      else reel.play();
      this.say(stop ? "Paused" : reel.running ? "Playing" : "This can’t be played");
    }
    if (what === "loop") {
      reel.loop = !reel.loop;
      if (reel.videos?.length === 1) reel.videos[0].loop = reel.loop; // the browser loops without a gap
      this.part("[data-do=loop]").setAttribute("aria-pressed", reel.loop);
    }
    if (what === "mute" || what === "unmute") this.nextSound();
    if (what === "full") this.fill();
    this.draw();
  }
  fill() {
    if (document.fullscreenElement) return document.exitFullscreen();
    const film = this.part(".film, .stage");
    if (film.requestFullscreen) film.requestFullscreen().catch(() => this.say("It can’t fill the screen"));
    else find("video", film).webkitEnterFullscreen?.();
  }
  choose(input) {
    if (input.matches("[data-speed]")) this.reel.speed = +input.value;
    if (input.matches("[data-sound]")) this.reel.sound = +input.value;
  }
  // nextSound selects the next video's sound, and after the last none.
  nextSound() {
    const pick = this.part("[data-sound]");
    if (!pick) return this.mute(filmsOf(this.box));
    pick.selectedIndex = (pick.selectedIndex + 1) % pick.options.length;
    this.choose(pick);
    this.say(`Sound: ${pick.selectedOptions[0].textContent}`);
  }
  mute(films) {
    const muted = !films[0].muted;
    for (const v of films) v.muted = muted;
    silence(muted);
    this.say(muted ? "Sound off" : "Sound on");
  }
  // press handles a key, and returns false if the player does not use it.
  press(key, shift) {
    const { reel } = this;
    switch (key) {
      case " ": this.act("play"); break;
      case "ArrowLeft": shift ? reel.seek(reel.time - 1) : reel.step(-1); break;
      case "ArrowRight": shift ? reel.seek(reel.time + 1) : reel.step(1); break;
      case "Home": reel.seek(0); break;
      case "End": reel.seek(reel.length - reel.frame / 2); break;
      case "PageUp": if (!reel.jump) return false; reel.jump(-1); break;
      case "PageDown": if (!reel.jump) return false; reel.jump(1); break;
      case ",": reel.step(-1); break;
      case ".": reel.step(1); break;
      case "f": case "F": if (!this.part("[data-do=full]")) return false; this.fill(); break;
      case "l": case "L": this.act("loop"); break;
      case "m": case "M": this.nextSound(); break;
      default: return false;
    }
    return true;
  }

  draw() {
    const { reel } = this, slider = this.part("[data-time]"), wait = this.part("[data-wait]");
    if (!reel || reel.at < 0) return; // still being constructed
    this.box.toggleAttribute("data-running", reel.running);
    this.box.toggleAttribute("data-muted", !!filmsOf(this.box)[0]?.muted);
    this.part("[data-do=mute]")?.setAttribute("aria-pressed", this.box.hasAttribute("data-muted"));
    const [time, whole] = this.part("[data-clock]").childNodes;
    time.textContent = clock(reel.time);
    whole.textContent = ` / ${clock(reel.length)}`;
    if (slider) {
      slider.max = reel.length;
      slider.value = reel.time;
      const told = reel.running ? Math.floor(reel.time) : reel.time; // do not announce every frame
      slider.setAttribute("aria-valuetext", `${words(told)} of ${words(reel.length)}${reel.label ? ", " + reel.label : ""}`);
      this.part("[data-do=play]").ariaLabel = reel.running ? "Pause" : "Play";
    }
    this.tell(wait);
    if (reel.running && !this.drawing) {
      this.drawing = requestAnimationFrame(() => { this.drawing = 0; reel.tick(); });
    }
  }
  tell(wait) {
    const films = filmsOf(this.box), broken = films.findIndex(v => v.error), late = this.reel.waitsFor ?? -1;
    let text = "";
    if (broken >= 0) text = films.length > 1 ? `This browser can’t play video ${broken + 1}.` : "This browser can’t play the video.";
    else if (late >= 0) text = films.length > 1 ? `Waiting for video ${late + 1}…` : "Waiting for the video…";
    wait.hidden = !text;
    if (wait.textContent !== text) wait.textContent = text;
  }
}

// settle sets up new players. A video that has arrived on an open page plays muted.
function settle(arrived) {
  for (const box of all("[data-player]")) {
    if (!box.bar && find("[data-transport]", box) && filmsOf(box).length) box.bar = new Bar(box, arrived);
  }
}

on("keydown", e => {
  const free = e.target.matches("body, #main, dialog.cinema"), over = find("dialog.cinema[open]") ?? document;
  const box = free || /^[,.flm ]$/i.test(e.key) && over.contains(e.target) && !e.target.closest("[popover]") ? find("[data-player]", over) : e.target.closest?.("[data-player]");
  if (!box?.bar || e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.target.matches("input:not([type=range]), textarea, select, [contenteditable]")) return;
  if (e.key === " " && e.target.matches("button, a, summary, video[controls]")) return; // the browser handles it
  if (free && !e.shiftKey && /^Arrow(Left|Right)$/.test(e.key) && find(".vbar [rel]", over)) return; // goes to the next or previous video
  if (/^[^ ]$/.test(e.key) && document.documentElement.hasAttribute("data-keys-off")) return;
  if (box.bar.press(e.key, e.shiftKey)) e.preventDefault();
});
// The way to another video tells whether this one was playing.
on("click", e => {
  const box = e.target.closest(".vbar [rel]")?.closest(".viewer");
  if (!box) return;
  try { sessionStorage.setItem("dailies going", !!find("[data-player]", box)?.bar?.reel.running); } catch { /* no storage */ }
}, true);
on("htmx:after:swap", () => settle(true));
on("fresh", () => settle());
settle();
