// The form of the next take: the words of a note go into the prompt, and its frame into the
// pictures. Nothing of it happens by itself.
import { all, find, on } from "./dom.js";
import { add } from "./drop.js";
import { frame } from "./next.js";

const prompt = () => find("#prompt"), wordsOf = ask => find("q", ask).textContent;

// tell says of each note whether its words are in the prompt.
function tell() {
  for (const ask of all("[data-asked]")) {
    const is = prompt().value.includes(wordsOf(ask)), button = find("[data-insert]", ask);
    ask.classList.toggle("put", is);
    button.ariaPressed = is;
    button.textContent = is ? "In the prompt" : "Add to the prompt";
  }
}
function insert(ask) {
  const field = prompt(), words = wordsOf(ask), had = field.value;
  field.value = had.includes(words) ? had.replace(words, "").replace(/\n{2,}/g, "\n").trim() : [had.trimEnd(), words].filter(Boolean).join("\n");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
// use takes the frame of the note into the form: in place of the start, or as a reference.
async function use(ask, button) {
  button.disabled = true;
  const file = await frame(find("[data-asks]").dataset.asks, ask.dataset.at / 1000, "frame");
  button.disabled = false;
  if (!file) return add([]);
  const tiles = all("[data-picture]"), free = tiles.find(tile => !find("input[type=url]", tile).value);
  await add([{ file }], find('nav[data-scenes] a[aria-current][href*="reference"]') ? free : tiles[0]);
}
on("click", e => {
  const ask = e.target.closest("[data-asked]"), button = e.target.closest("button");
  if (!ask || !button) return;
  if ("insert" in button.dataset) insert(ask);
  if ("useFrame" in button.dataset) use(ask, button);
});
on("input", e => e.target.id === "prompt" && tell());
on("scene", tell);
tell();
