// Says at a video, before anybody presses play, that this browser cannot show it. The server
// names the codecs; what the browser makes of the file then decides. Without script, the page
// says what may not play.
import { all, find, on } from "./dom.js";

const probe = document.createElement("video");
const videoOf = note => find("video:not([aria-hidden])", note.parentElement);

// judge shows the note if the browser says that it cannot play what the note, or now the item
// of a list, is about.
export function judge(note, item) {
  if (!note) return;
  if (item) {
    for (const name of ["type", "sure"]) {
      if (item.dataset[name]) note.dataset[name] = item.dataset[name];
      else delete note.dataset[name];
    }
    find("[data-says]", note).textContent = item.dataset.unplayable;
    const save = find("a", note);
    if (save) save.href = item.dataset.download;
  }
  const { type } = note.dataset, video = item ? undefined : videoOf(note);
  if (video?.readyState > 0) settle(note, !video.videoWidth);
  else settle(note, type && !probe.canPlayType(type));
  note.judged = true;
}
const settle = (note, is) => note.toggleAttribute("data-on", !!is || "sure" in note.dataset);

// A video with sound alone has no width, and no error tells so.
for (const type of ["loadedmetadata", "error"]) {
  on(type, e => {
    const note = e.target.matches?.("video") && find(":scope > [data-unplayable]", e.target.parentElement);
    if (note && e.target === videoOf(note)) settle(note, type === "error" || !e.target.videoWidth);
  }, true);
}
const judgeAll = () => all("[data-unplayable]:not(a)").forEach(note => note.judged || judge(note)); // the links are items of lists
for (const type of ["htmx:after:swap", "fresh"]) on(type, judgeAll);
judgeAll();
