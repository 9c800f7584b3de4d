// The form that makes videos, and the stage beside it.
import { all, find, on, plain } from "./dom.js";

const form = () => find("form[data-make]");

// The prompt's counter, shown and announced near the limit.
const shownFrom = 200, spokenFrom = 100, grows = CSS.supports("field-sizing", "content");
const odd = /(?![\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Common}])\p{L}/u; // letters that sample videos cannot show
function count(prompt) {
  const letters = find("[data-letters]");
  if (letters) letters.hidden = !odd.test(prompt.value);
  const shown = find("[data-count]"), said = find("[data-count-said]");
  if (!grows) {
    prompt.style.height = "auto";
    prompt.style.height = prompt.scrollHeight + 2 + "px";
  }
  const length = [...prompt.value].length, long = find("[data-long]");
  if (long) long.hidden = length <= +long.dataset.long || find("#lines")?.checked;
  if (!shown || find("#lines")?.checked) return;
  const max = +shown.dataset.max, left = max - length;
  clearTimeout(said.timer);
  shown.hidden = left > shownFrom;
  if (shown.hidden) {
    said.textContent = "";
    return;
  }
  const words = left < 0 ? `${(-left).toLocaleString("en")} characters too many` : `${length.toLocaleString("en")} of ${max.toLocaleString("en")}`;
  shown.textContent = words;
  shown.toggleAttribute("data-over", left < 0);
  said.timer = setTimeout(() => { said.textContent = left < 0 ? words : left <= spokenFrom ? `${left} characters left` : ""; }, 800);
}

// typed returns what goes along to another scene.
function typed() {
  const data = new FormData(form()), query = new URLSearchParams();
  for (const name of ["prompt", "lines", "list_left", "image_input", "model"]) {
    for (const value of data.getAll(name)) if (value) query.append(name, value);
  }
  for (const note of data.getAll("note")) query.append("note", note);
  if (data.has("use")) for (const name of ["from", "use", "prompt"]) query.set(name, data.get(name));
  return query;
}

// mend removes the error of a changed field.
function mend(field) {
  const box = field.closest("[data-bad]");
  if (!box) return;
  box.removeAttribute("data-bad");
  for (const marked of all("[aria-invalid]", box)) marked.removeAttribute("aria-invalid");
  for (const error of all(".error", box)) {
    find(`#wrong a[href="#${error.id.replace(/-error$/, "")}"]`)?.closest("li").remove();
    for (const by of all(`[aria-describedby~="${error.id}"]`)) {
      const left = by.getAttribute("aria-describedby").split(" ").filter(id => id !== error.id).join(" ");
      if (left) by.setAttribute("aria-describedby", left);
      else by.removeAttribute("aria-describedby");
    }
    error.remove();
  }
  if (find("#wrong ul") && !find("#wrong li")) find("#summary").remove();
}
// lead follows a link of the summary, also into a popover.
function lead(link) {
  const field = document.getElementById(link.hash.slice(1));
  field?.closest("[popover]")?.showPopover();
  field?.focus();
  return field;
}

// The options toolbar is one tab stop; arrow keys move between its buttons.
let stop;
function visit(button) {
  stop = button.id;
  for (const other of all("button", button.closest("[data-toolbar]"))) other.tabIndex = other === button ? 0 : -1;
}
function step(e) {
  const buttons = all("button", e.target.closest("[data-toolbar]")), at = buttons.indexOf(e.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  buttons.at(to % buttons.length).focus();
}
function close(choices) {
  choices.hidePopover();
  find(`[popovertarget="${choices.id}"]`).focus({ preventScroll: true });
}
on("focusin", e => e.target.matches("[data-toolbar] button") && visit(e.target));
on("toggle", e => {
  if (e.newState === "open" && e.target.matches(".opt")) (find("input:checked", e.target) ?? find("input", e.target))?.focus({ preventScroll: true });
}, true);

// Sending waits for options and a price that the page does not show yet. If the
// user chose them, it stops at a new note or a higher price.
const chosen = () => all("#options input:checked").map(input => input.name + "=" + input.value).join();
const price = () => find("[name=price_shown]", form())?.value ?? "";
let shown = chosen(), asking = false, byHand = false;
function dearer(was, is) {
  const [count, total] = was.split(" ").map(Number), [now, sum] = is.split(" ").map(Number);
  return total === undefined ? now > count : !(sum <= total);
}
document.addEventListener("submit", e => {
  if (!e.target.matches("[data-make]") || chosen() === shown && !asking) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  if (e.target.waits) return;
  e.target.waits = true;
  const was = price(), seen = byHand, { target, submitter } = e;
  if (!asking) find("#options input:checked").dispatchEvent(new Event("change", { bubbles: true }));
  const go = () => {
    clearTimeout(late);
    removeEventListener("options", go);
    target.waits = false;
    shown = chosen();
    if (!seen || !find("#options .notes").childElementCount && !dearer(was, price())) target.requestSubmit(submitter);
  };
  const late = setTimeout(go, 5000);
  addEventListener("options", go);
}, true);
on("htmx:before:request", e => { if (e.target.id === "options") asking = true; });
// Opens a popover of choices again that a swap has closed.
let held;
on("htmx:before:swap", () => {
  const { name, value } = document.activeElement, open = document.activeElement.closest(".opt:popover-open");
  held = open && { open: open.id, name, value };
});
function hold() {
  if (!held || document.activeElement !== document.body) return;
  document.getElementById(held.open)?.showPopover();
  all(`#options [name="${held.name}"]`).find(input => input.value === held.value)?.focus();
}
on("htmx:after:swap", e => {
  if (e.target.id === "options") {
    for (const input of all("#options :is([type=radio], [type=checkbox])")) input.checked = input.defaultChecked;
    asking = byHand = false;
    shown = chosen();
    hold();
    if (stop) visit(document.getElementById(stop) ?? find("[data-toolbar] button"));
    dispatchEvent(new Event("options"));
  }
  hear();
  if (e.target.matches?.("[data-take]")) remember(e.target);
  if (e.target.id !== "latest") return;
  follow();
  if (hiding && document.activeElement === document.body) (find("[data-take][aria-current]") ?? find("#prompt")).focus();
  hiding = false;
});

let hiding; // a failed video is being removed from the page
on("submit", e => { hiding = e.target.matches("[data-hide]"); });

// follow scrolls the strip, not the page, to the take on the stage.
let onStage;
function follow() {
  const take = find(".take:has([aria-current])"), strip = take?.closest(".takes");
  if (!take || take.id === onStage) return;
  onStage = take.id;
  const is = take.getBoundingClientRect(), box = strip.getBoundingClientRect();
  if (is.left < box.left || is.right > box.right) strip.scrollBy({ left: is.left - box.left - (box.width - is.width) / 2, behavior: "instant" });
}
follow();

// remember puts the take on the stage into the URL, for a reload.
function remember(link) {
  const here = new URL(location.href);
  here.searchParams.set("take", new URL(link.href).searchParams.get("take"));
  history.replaceState(history.state, "", here);
}
// The form now is that of another scene (drop.js).
on("scene", () => {
  asking = byHand = false;
  shown = chosen();
  if (find("#prompt")) count(find("#prompt"));
  listed();
});
// Each video's change of status is announced to screen readers once.
const states = () => new Map(all("#latest [data-said]").map(take => [take.id, take.dataset.said]));
let heard = states();
const say = words => { if (words) find("#latest-said").textContent = words; };
function hear() {
  const now = states();
  say([...now].filter(([take, words]) => heard.has(take) && heard.get(take) !== words).map(([, words]) => words).join(" "));
  heard = now;
}
if (document.body.dataset.sent) {
  addEventListener("load", () => setTimeout(() => find(".make")?.focus({ preventScroll: true }))); // after #latest in the URL has moved the focus
  setTimeout(() => say(find(".take:has([aria-current])")?.dataset.said), 500); // after the page is announced
}
on("input", e => {
  if (e.target.id === "prompt") count(e.target);
  if (e.target.closest("form")) mend(e.target);
});
on("change", e => { if (e.isTrusted && e.target.closest("#options")) byHand = true; });
// Enter closes the choices on keyup: earlier, it would press the button that gets
// the focus.
let entered;
on("keypress", e => { if (entered && e.key === "Enter") e.preventDefault(); });
on("keyup", e => {
  if (!entered || e.key !== "Enter") return;
  close(entered);
  entered = undefined;
});
on("keydown", e => {
  const make = e.target.closest?.("form[data-make]");
  if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && make) {
    e.preventDefault();
    make.requestSubmit();
  } else if (e.key === "Enter" && e.target.matches("[popover] input")) {
    e.preventDefault();
    entered = e.target.closest("[popover]");
  } else if (e.target.matches?.("[data-toolbar] button")) {
    step(e);
  }
});
on("click", e => {
  const tab = e.target.closest("[data-tabs] a"), wrong = e.target.closest("#wrong a[href^='#']");
  if (tab) tab.search = typed();
  if (wrong && lead(wrong)) e.preventDefault();
  if (e.detail && e.target.matches(".opt input[type=radio]")) close(e.target.closest("[popover]"));
  const choice = e.target.closest("[data-choose]");
  if (choice) all("#options [name=model]").find(radio => radio.value === choice.dataset.choose).click();
  if (e.target.closest("[data-drop]")) {
    e.target.closest("#origin").remove();
    find("#prompt").focus();
  }
});

// "Next scene" takes the last frame of the video on the stage (next.js).
on("click", e => {
  const link = plain(e) && e.target.closest("[data-next-last]");
  if (!link) return;
  e.preventDefault();
  if (link.ariaDisabled) return;
  link.ariaDisabled = "true";
  import("./next.js").then(({ last }) => last(link)).catch(() => location.assign(link.href));
});

// What is dropped or pasted is handled by a script of its own (drop.js), and so are the
// picture tiles (picture.js). They load as soon as the user does anything.
let drop;
const load = async () => {
  [drop] = await Promise.all([import("./drop.js"), find("[data-picture]") && import("./picture.js")]);
  return drop;
};
for (const type of ["pointerover", "focusin", "keydown", "dragenter", "input"]) on(type, load, { once: true });
on("click", e => {
  const pick = !drop && e.target.closest("[data-pick]");
  if (!pick) return;
  e.preventDefault();
  load().then(() => pick.click());
});
on("dragover", e => { if (!drop && e.dataTransfer?.types.includes("Files")) e.preventDefault(); });
for (const type of ["drop", "paste"]) {
  on(type, e => {
    const from = e.dataTransfer ?? e.clipboardData, text = from?.getData("text/plain").trim(), files = text || !from ? [] : [...from.files];
    if (drop || !text && !files.length) return;
    if (text && e.target.matches?.("input, textarea")) return e.target.id === "prompt" && load().then(({ pasted }) => pasted(text));
    e.preventDefault();
    load().then(({ add, bring }) => files.length ? add(files.map(file => ({ file })), e.target.closest?.("[data-picture]") ?? undefined) : bring(text));
  });
}

// An earlier picture that cannot be loaded is not offered.
on("error", e => { if (e.target.matches?.("[data-thumb]")) e.target.hidden = true; }, true);

if (find("#prompt")) count(find("#prompt"));

// What may follow an @ in some text fields is listed by a script of its own (at.js).
on("input", e => { if (e.target.dataset?.at && /[@＠]/.test(e.target.value)) import("./at.js"); });
on("click", e => {
  const opener = e.target.closest("[data-at-open]");
  if (opener) import("./at.js").then(({ open }) => open(document.getElementById(opener.dataset.atOpen)));
});

// What is sent for cast members is fetched by a script of its own (cast.js), once one may be
// in the form.
function casting() {
  if (find("#cast") && (!find("#cast").hidden || all("[data-at]").some(input => /[@＠]/.test(input.value)))) import("./cast.js");
}
on("input", casting);
casting();

// A list of prompts, one video each, has a script of its own (many.js). It is needed at
// once if the page or a draft contains one.
function listed() { if (find("#lines")?.checked) import("./many.js"); }
on("input", listed);
listed();
