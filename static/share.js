// The links to a video, a collection or a storyline, on their own page or in a dialog: one
// press makes a link and copies it, and changes are saved at once. Without script, the page
// has buttons for all of that.
import { all, copied, find, on } from "./dom.js";

const box = () => find("#share-box");

async function read(answer) {
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (answer.redirected && !find("#share-box", page)) location.assign(answer.url); // such as the sign-in page
  return page;
}
const ask = (address, body) => fetch(address, { method: body ? "POST" : "GET", body, headers: { "HX-Request-Type": "partial" } });

// open shows the links behind an address as a dialog, over whatever the page shows.
export async function open(link) {
  const answer = await ask(link.href);
  if (!answer.ok) return location.assign(link.href);
  const page = await read(answer), dialog = find("dialog.share", page), style = find("link[rel=stylesheet]", page);
  if (!dialog) return;
  if (!find(`head link[href="${style.getAttribute("href")}"]`)) {
    await new Promise(done => document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: style.getAttribute("href"), onload: done, onerror: done })));
  }
  find("dialog.share")?.remove();
  document.body.append(dialog);
  dialog.addEventListener("click", e => { if (e.target === dialog) dialog.close(); }); // beside it
  dialog.addEventListener("close", () => {
    dialog.remove();
    if (link.isConnected) link.focus({ preventScroll: true });
  });
  dialog.showModal();
  find(".btn.primary, [data-copy]", dialog)?.focus();
  document.dispatchEvent(new Event("fresh"));
}

function say(text) {
  const said = find("[data-share-said]", box());
  said.textContent = "";
  setTimeout(() => { said.textContent = text; }, 100); // a new element's text is not announced
}

// renew replaces the box with the one of the page. What is open stays open, and the focus
// stays where it was.
function renew(page) {
  const fresh = find("#share-box", page), old = box();
  if (!fresh) return;
  const opened = all("details", old).map(d => d.open), had = old.contains(document.activeElement) ? document.activeElement.id : "";
  all("details", fresh).forEach((d, i) => { d.open ||= !!opened[i]; });
  old.replaceWith(fresh);
  document.dispatchEvent(new Event("fresh"));
  (had && document.getElementById(had) || find("[data-bad] input, .btn.primary, [data-copy], a", fresh))?.focus({ preventScroll: true });
}
const reload = async address => renew(await read(await ask(address)));

// make makes a link with the settings shown, and copies it. Safari needs the promise of the
// text at once: it allows no copying after an answer.
async function make(form) {
  const made = ask(form.action, new URLSearchParams(new FormData(form))).then(read);
  const address = made.then(page => find("#share-address", page).value);
  const copy = address.then(text => new Blob([text], { type: "text/plain" }));
  copy.catch(() => { /* nothing was made: the answer says why */ });
  let done = false;
  try {
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": copy })]);
    done = true;
  } catch { /* not allowed, or nothing was made */ }
  const page = await made;
  renew(page);
  const input = find("#share-address");
  if (!input) return say(find(".error, h1", page)?.textContent ?? "");
  done ||= await copied(input);
  const button = find("[data-copy=share-address]");
  find(".w", button).textContent = done ? "Copied" : "Copy it yourself";
  if (done) button.focus();
  say(done ? "Link copied" : "The link is selected. Copy it yourself.");
}

// act sends a form whose answer is one sentence.
async function act(form) {
  const answer = await ask(form.action, new URLSearchParams(new FormData(form))), page = await read(answer);
  if (answer.ok) await reload(form.matches("[data-share-changes]") ? `${box().dataset.share}?link=${form.action.match(/\d+$/)[0]}` : box().dataset.share);
  say(find(answer.ok ? "[data-said]" : ".error, h1", page)?.textContent ?? "");
}

const sends = { "[data-share-make]": make, "[data-share-changes]": act, "[data-share-act]": act };
on("submit", e => {
  const kind = e.target.closest("#share-box") && Object.keys(sends).find(kind => e.target.matches(kind));
  if (!kind || e.defaultPrevented) return;
  e.preventDefault();
  if (e.target.asked) return;
  e.target.asked = true;
  sends[kind](e.target).catch(() => say("That didn’t work. Try again.")).finally(() => { e.target.asked = e.target.sent = false; });
});
on("input", e => {
  const form = e.target.form, secret = e.target.name === "password";
  const shown = form?.matches(secret ? "[data-share-make], [data-share-changes]" : "[data-share-make]") && find(`[data-share-shown=${e.target.name}]`, form);
  if (shown && secret) { // the word for it, not the password
    shown.textContent = e.target.value ? shown.dataset.shareTyped : shown.dataset.shareUntyped;
  } else if (shown) shown.textContent = e.target.type === "radio" ? e.target.labels[0].textContent.trim() : e.target.value || "None";
});
on("change", e => e.target.form?.matches("[data-share-changes]") && e.target.form.requestSubmit());
on("click", e => {
  const link = e.target.closest("#share-box a[data-share-open]");
  if (!link) return;
  e.preventDefault();
  reload(link.href).catch(() => location.assign(link.href));
});
