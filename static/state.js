// An open page of a guest asks whether its link still works, and says so when it does not
// any more. What was typed stays on the page.
import { all, find } from "./dom.js";

const box = find("[data-state]");
const often = 1500; // milliseconds: the end of the link is noticed within two seconds
let asked = 0, over = false;

function say(what) {
  for (const line of all("[data-when]", box)) line.hidden = line.dataset.when !== what;
}

// close takes the videos off the page. The rest stays.
function close(what) {
  over = true;
  say(what);
  document.exitFullscreen?.().catch(() => { /* it was not in full screen */ });
  for (const film of all("video")) {
    film.pause();
    film.removeAttribute("src");
    film.load();
  }
}

async function ask() {
  if (over || document.hidden) return;
  // Now and then it also asks whether something else is shown.
  const { state, seen } = box.dataset, whole = asked++ % 5 === 4;
  try {
    const answer = await fetch(whole ? `${state}?seen=${seen}` : state, { headers: { "HX-Request-Type": "partial" } });
    if (answer.status === 404) close("ended");
    else if (answer.status === 403) close("locked");
    else if (whole && answer.status === 200) say("changed");
    else if (whole) say("");
  } catch { /* not connected at present */ }
}

if (box) {
  setInterval(ask, often);
  document.addEventListener("visibilitychange", ask);
}
