// A storyline plays scenes in sequence without a gap. Two video elements alternate:
// while one plays, the other preloads the next scene. player.js adds the controls.
// Without script, each scene has the browser's controls.
import { all, find } from "./dom.js";
import { Sequence } from "./sequence.js";

// sceneOf returns the part of a video that plays. If the server does not know its length,
// that is all of it.
function sceneOf(item) {
  const { src, length, from = 0, to, frames } = item.dataset;
  return { item, src, from: +from, to: +(to ?? length) || 1, open: !frames };
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
    this.reel.show(this.reel.scenes.indexOf(scene), what === "first" ? 0 : Math.max(0, scene.to - scene.from - this.reel.frame / 2));
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
    this.reel.arrange(items.map(item => this.reel.scenes.find(s => s.item === item)));
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
    const items = all("[data-scene]", box);
    for (const item of items) Object.assign(find("video", item), { controls: false, muted: true, tabIndex: -1 });
    box.reel = new Sequence(all(".stage video", box), items.map(sceneOf), +box.dataset.at, changed, tools, i => {
      items.forEach(item => item.removeAttribute("aria-current"));
      box.reel?.scenes[i].item.setAttribute("aria-current", "true");
    });
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
