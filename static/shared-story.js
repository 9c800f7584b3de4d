// A guest watches a storyline as one film, with a mark on the line at each cut.
import { all, find } from "./dom.js";
import { Sequence } from "./sequence.js";
import { judge } from "./unplayable.js";

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
    // Notes and answers are about the scene that shows.
    const turned = i => {
      const item = items[i];
      if (!item || item.ariaCurrent === "true") return;
      for (const other of items) other.removeAttribute("aria-current");
      item.setAttribute("aria-current", "true");
      for (const place of all("[data-reel-place]")) place.textContent = find("[data-reel-name]", item).textContent;
      const save = find("[data-reel-download]");
      if (save) save.href = item.dataset.download;
      judge(find("[data-unplayable]", box), item);
      document.dispatchEvent(new CustomEvent("clip", { detail: item.href }));
    };
    let reel;
    reel = new Sequence(all(".film video", box), scenes, Math.max(0, items.findIndex(item => item.ariaCurrent === "true")), () => {
      all("i", marks).forEach((mark, i) => mark.style.setProperty("inset-inline-start", `${100 * reel?.begins(i + 1) / reel?.length || 0}%`));
      changed();
    }, tools, turned);
    return reel;
  };
}
