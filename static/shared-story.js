// A guest watches a storyline as one film, with a mark on the line at each cut.
import { all, find } from "./dom.js";
import { Sequence } from "./sequence.js";

for (const box of all("[data-shared-story]")) {
  box.makeReel = (changed, tools) => {
    const items = all("[data-reel-list] a");
    const scenes = (items.length ? items : [find("video", box)]).map(({ dataset: d, src }) => {
      const from = +(d.from ?? 0);
      return { src: d.src ?? src, from, to: +(d.to ?? d.length) || 1, open: !d.to };
    });
    const marks = document.createElement("span");
    marks.className = "cuts-on";
    marks.append(...scenes.slice(1).map(() => document.createElement("i")));
    find(".line", box).append(marks);
    let reel;
    reel = new Sequence(all(".film video", box), scenes, 0, () => {
      all("i", marks).forEach((mark, i) => mark.style.setProperty("inset-inline-start", `${100 * reel?.begins(i + 1) / reel?.length || 0}%`));
      changed();
    }, tools);
    return reel;
  };
}
