// The field for the e-mail addresses of people who are invited: each becomes a chip, which
// a press removes. Those that are none are marked, and the button counts the others. The
// text area, which is used without script, keeps the addresses for the server.
import { all as every, find } from "./dom.js";

const isAddress = text => /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>".]{2,}$/.test(text);
const cross = '<svg class="icon s" viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6 6 18"></path></svg>';

function enhance(form) {
  const area = find("textarea", form), button = find("[data-many]", form), label = find(`label[for="${area.id}"]`, form);
  const box = document.createElement("div"), input = document.createElement("input"), said = document.createElement("p");
  const spare = button.textContent;
  let all = [];
  box.className = "chips";
  Object.assign(input, { type: "text", inputMode: "email", id: `${area.id}-more`, autocomplete: "off", placeholder: "Paste as many as you like" });
  input.setAttribute("aria-describedby", said.id = `${area.id}-said`);
  said.className = "error";
  said.setAttribute("role", "status");
  label.htmlFor = input.id;
  area.hidden = true;
  area.before(box);
  box.append(input);
  for (const hint of every(".hint", area.parentElement)) hint.hidden = true;
  box.after(said);

  function draw() {
    while (box.firstChild !== input) box.firstChild.remove(); // the field stays, and keeps the focus
    input.before(...all.map(text => {
      const chip = Object.assign(document.createElement("button"), { type: "button", title: "Remove" });
      chip.toggleAttribute("data-bad", !isAddress(text));
      chip.innerHTML = `<span></span>${cross}<span class="offscreen">Remove</span>`;
      chip.firstChild.textContent = text;
      chip.addEventListener("click", () => { all = all.filter(other => other !== text); draw(); input.focus(); });
      return chip;
    }));
    input.placeholder = all.length ? "" : "Paste as many as you like";
    tell();
  }
  function tell() {
    const whole = isAddress(input.value.trim()) ? [...all, input.value.trim()] : all;
    const bad = all.filter(text => !isAddress(text)), good = whole.length - bad.length;
    area.value = [...all, input.value.trim()].join("\n").trim();
    said.textContent = bad.length ? `“${bad[0]}” isn’t an address yet.` : "";
    button.textContent = good === 0 ? spare : good === 1 ? button.dataset.one : button.dataset.many.replace("#", good);
  }
  // take turns text into chips. "Kim Ito <kim@example.com>" is one address.
  function take(text) {
    for (const one of text.split(/[\n\r,;]+/)) {
      const named = one.match(/<([^<>]*)>\s*$/);
      for (const word of named ? [named[1].trim()] : one.split(/\s+/)) if (word && !all.includes(word)) all.push(word);
    }
    draw();
  }
  const finish = () => { const text = input.value; input.value = ""; take(text); };

  input.addEventListener("paste", e => {
    const text = e.clipboardData.getData("text");
    if (!/[\s,;]/.test(text.trim())) return;
    e.preventDefault();
    take(`${input.value}${text}`);
    input.value = "";
    draw();
    input.focus();
  });
  input.addEventListener("keydown", e => {
    if (e.key === "Backspace" && !input.value && all.length) { all.pop(); draw(); input.focus(); }
    if (![",", ";", " ", "Enter"].includes(e.key) || !input.value.trim()) return;
    e.preventDefault();
    finish();
    input.focus();
  });
  input.addEventListener("input", () => /[,;\s]/.test(input.value.trim()) ? (finish(), input.focus()) : tell());
  input.addEventListener("blur", () => input.value.trim() && finish());
  box.addEventListener("click", e => e.target === box && input.focus());
  form.addEventListener("submit", e => {
    if (e.submitter?.name === "for") return;
    if (input.value.trim()) finish();
    if (!all.some(text => !isAddress(text))) return;
    e.preventDefault();
    e.stopPropagation();
    input.focus();
  }, true);
  take(area.value);
}
for (const form of document.querySelectorAll("[data-invite]")) enhance(form);
