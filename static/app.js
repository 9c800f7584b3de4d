// What pages do on top of plain HTML. Everything works without it.
"use strict";
{
  const find = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const on = (type, act, capture) => document.addEventListener(type, act, capture);
  const form = () => find("form[data-make]");

  // The prompt's counter, spoken only near the end.
  const near = 100;
  function count(prompt) {
    const shown = find("[data-count]"), said = find("[data-count-said]");
    if (!shown) return;
    const max = +shown.dataset.max, length = [...prompt.value].length, left = max - length;
    shown.textContent = `${length.toLocaleString("en")} of ${max.toLocaleString("en")}`;
    shown.toggleAttribute("data-over", left < 0);
    clearTimeout(said.timer);
    said.timer = setTimeout(() => {
      said.textContent = left < 0 ? `${-left} letters too many` : left <= near ? `${left} letters left` : "";
    }, 800);
  }

  // The look at a picture's address.
  const asks = "Paste the web address of a picture.";
  function tell(picture, text, mood) {
    const note = find("[data-note]", picture);
    if (note.textContent !== text) note.textContent = text;
    note.toggleAttribute("data-bad", mood === "bad");
    note.toggleAttribute("data-good", mood === "good");
  }
  function address(text) {
    try {
      const url = new URL(text);
      return /^https?:$/.test(url.protocol) ? url.href : "";
    } catch {
      return "";
    }
  }
  function look(picture) {
    const image = find("[data-preview]", picture), input = find("input", picture);
    const typed = input.value.trim(), url = address(typed);
    const told = find(".error", picture) && input.value === input.defaultValue;
    if (!url) {
      image.hidden = true;
      image.removeAttribute("src");
      tell(picture, typed && !told ? "This is not a web address. It starts with https://" : asks, typed && !told && "bad");
    } else if (image.src !== url) {
      tell(picture, "Looking at it…");
      image.hidden = false;
      image.src = url;
    } else if (image.complete) {
      looked(image);
    }
  }
  function looked(image) {
    const picture = image.closest("[data-picture]");
    if (!image.getAttribute("src")) return;
    if (image.naturalWidth) {
      image.hidden = false;
      tell(picture, `Here it is: ${image.naturalWidth} × ${image.naturalHeight}.`, "good");
    } else {
      image.hidden = true;
      tell(picture, "No picture shows up at this address. It may be mistyped, or not open to everybody.", "bad");
    }
  }
  for (const type of ["load", "error"]) {
    on(type, e => e.target.matches?.("[data-preview]") && looked(e.target), true);
  }

  // Pictures that are added and removed one by one.
  function offer() {
    const add = find("[data-add]");
    if (add) add.hidden = !find("#pictures [data-spare]");
    for (const remove of all("[data-remove]")) {
      remove.hidden = all("#pictures .picture:not([data-spare])").length < 2 && !find("input", remove.closest(".picture")).value;
    }
  }
  function addPicture() {
    const spare = find("#pictures [data-spare]");
    spare?.removeAttribute("data-spare");
    offer();
    find("input", spare)?.focus();
  }
  function removePicture(button) {
    const open = all("#pictures .picture:not([data-spare])"), inputs = open.map(p => find("input", p));
    for (let i = open.indexOf(button.closest(".picture")); i < inputs.length; i++) {
      inputs[i].value = inputs[i + 1]?.value ?? "";
      look(open[i]);
    }
    if (open.length > 1) open.at(-1).setAttribute("data-spare", "");
    offer();
    inputs[Math.max(0, open.length - 2)].focus();
    keep();
  }

  // What was typed goes along to another scene, and waits while one is away.
  function typed() {
    const data = new FormData(form()), query = new URLSearchParams();
    for (const name of ["prompt", "image_input", "model"]) {
      for (const value of data.getAll(name)) if (value) query.append(name, value);
    }
    return query;
  }
  const draft = () => "draft " + form().getAttribute("action");
  function keep() {
    const query = typed();
    query.delete("model");
    try { sessionStorage.setItem(draft(), query); } catch { /* full or forbidden: then it does not wait */ }
  }
  function restore() {
    const inputs = all('[name=prompt], [name=image_input]', form());
    if (inputs.some(i => i.value) || location.search) return;
    let query;
    try { query = new URLSearchParams(sessionStorage.getItem(draft()) ?? ""); } catch { return; }
    const pictures = query.getAll("image_input");
    for (const input of inputs) {
      input.value = (input.name === "prompt" ? query.get("prompt") : pictures.shift()) ?? "";
      if (input.value) input.closest("[data-spare]")?.removeAttribute("data-spare");
    }
  }

  // The button after the press. A second press would be harmless: the form
  // carries a one-time token.
  function busy(sent) {
    const button = find("button[data-busy]", sent);
    sent.sent = true;
    if (button) {
      button.idle ??= [...button.childNodes];
      button.replaceChildren(button.dataset.busy);
      button.setAttribute("aria-disabled", "true");
    }
    setTimeout(() => idle(sent), 15000);
  }
  function idle(sent) {
    const button = find("button[data-busy]", sent);
    sent.sent = false;
    if (button?.idle) button.replaceChildren(...button.idle);
    button?.removeAttribute("aria-disabled");
  }

  async function copy(button) {
    const input = document.getElementById(button.dataset.copy);
    input.select();
    try {
      await navigator.clipboard.writeText(input.value);
    } catch {
      document.execCommand("copy"); // where the page is not on https
    }
    button.textContent = "Copied";
  }

  // What a fresh part or page needs.
  function settle() {
    for (const radio of all("#options input[type=radio]")) radio.checked = radio.defaultChecked;
    for (const picture of all("[data-picture]")) look(picture);
    sync();
  }
  function sync() {
    for (const time of all("time[title]")) time.title = new Date(time.dateTime).toLocaleString();
    const pill = find("#running"), running = find("#latest")?.dataset.running;
    if (!pill || running === undefined) return;
    pill.hidden = running === "0";
    find("[data-running-count]", pill).textContent = running;
  }

  on("input", e => {
    const input = e.target, picture = input.closest("[data-picture]");
    if (input.id === "prompt") count(input);
    if (picture) {
      clearTimeout(picture.timer);
      picture.timer = setTimeout(() => look(picture), 350);
      offer();
    }
    if (input.form?.matches("[data-make]")) keep();
  });
  on("keydown", e => {
    const menu = find("[data-menu][open]");
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey) && e.target.form?.matches("[data-make]")) {
      e.preventDefault();
      e.target.form.requestSubmit();
    } else if (e.key === "Escape" && menu) {
      menu.open = false;
      find("summary", menu).focus();
    }
  });
  on("click", e => {
    const menu = find("[data-menu][open]"), tab = e.target.closest("[data-tabs] a");
    if (menu && !menu.contains(e.target)) menu.open = false;
    if (tab) tab.search = typed();
    if (e.target.closest("[data-add]")) addPicture();
    if (e.target.closest("[data-remove]")) removePicture(e.target.closest("[data-remove]"));
    if (e.target.closest("[data-copy]")) copy(e.target.closest("[data-copy]"));
  });
  on("submit", e => {
    if (!e.target.matches("[data-once]")) return;
    if (e.target.sent) return e.preventDefault();
    if (e.target.matches("[data-make]")) try { sessionStorage.removeItem(draft()); } catch { /* nothing was kept */ }
    busy(e.target);
  });
  on("htmx:config:request", e => {
    const request = e.detail.ctx.request;
    if (!e.target.matches("[data-filters]")) return;
    for (const [name, value] of [...request.body]) {
      if (!value || (name === "status" && value === "success")) request.body.delete(name);
    }
  });
  on("htmx:after:swap", e => (e.target.id === "model" ? settle() : sync()));
  addEventListener("pageshow", () => all("[data-once]").forEach(idle));

  if (form()) {
    restore();
    count(find("#prompt"));
    offer();
    for (const picture of all("[data-picture]")) look(picture);
  }
  sync();
  find("#summary")?.focus();
}
