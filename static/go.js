// The command palette. app.js loads this when it is first opened.
import { all, find } from "./dom.js";

// open shows the palette on top of the page. The link leads to the page that works
// without JavaScript, which is also the way out if the list does not arrive.
export async function open(link) {
  if (find("#palette")) return show();
  try {
    const [html] = await Promise.all([fetched(link.pathname + "?open"), styled(link.dataset.style)]);
    if (find("#palette")) return;
    document.body.insertAdjacentHTML("beforeend", html);
  } catch { return location.assign(link.href); }
  const dialog = find("#palette"), text = find("input", dialog);
  text.addEventListener("input", () => look(link.pathname, text.value));
  dialog.addEventListener("keydown", move);
  find("form", dialog).addEventListener("submit", async e => {
    e.preventDefault();
    await latest; // not what fitted the text before the last key
    find("a", dialog)?.click();
  });
  find("button", dialog).addEventListener("click", () => dialog.close());
  show();
}

function show() {
  const dialog = find("#palette");
  if (!dialog.open) dialog.showModal();
  find("input", dialog).select();
}

// styled resolves when the palette's style sheet is there.
const styled = href => find(`link[href="${href}"]`) ?? new Promise((done, failed) => {
  const sheet = Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done, onerror: failed });
  document.head.append(sheet);
});

async function fetched(address, signal) {
  const answer = await fetch(address, { headers: { "HX-Request-Type": "partial" }, signal });
  if (!answer.ok || answer.redirected) throw new Error(answer.status);
  return answer.text();
}

// look fetches the list for the text shortly after the last key. latest resolves when
// the list fits what was typed last.
let waiting, asking, latest, listed;
function look(path, text) {
  asking?.abort();
  asking = new AbortController();
  const { signal } = asking;
  latest = new Promise(done => {
    clearTimeout(waiting);
    listed?.();
    listed = done;
    waiting = setTimeout(async () => {
      try {
        const html = await fetched(`${path}?q=${encodeURIComponent(text)}`, signal);
        if (!signal.aborted) find("#go-list").outerHTML = html;
      } catch { /* the last list stays */ }
      done();
    }, 120);
  });
}

// Arrows move the focus through the list; from the field, Enter opens the first entry.
// Typing goes on in the field.
function move(e) {
  const field = find("input", e.currentTarget), links = [field, ...all("a", e.currentTarget)];
  const at = links.indexOf(document.activeElement);
  if (e.key === "ArrowDown" || e.key === "ArrowUp") {
    e.preventDefault();
    const to = links[(at + (e.key === "ArrowDown" ? 1 : links.length - 1)) % links.length];
    to.focus();
    to.scrollIntoView({ block: "nearest" });
  } else if (e.key === "Enter" && e.target === field && (e.ctrlKey || e.metaKey)) {
    e.preventDefault();
    Promise.resolve(latest).then(() => window.open(find("#palette a").href, "_blank", "noopener"));
  } else if (e.target !== field && (e.key.length === 1 || e.key === "Backspace") && !e.ctrlKey && !e.metaKey && !e.altKey) {
    field.focus(); // the key goes there
  }
}
