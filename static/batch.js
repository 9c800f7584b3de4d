// The table that is written in: keys lead from cell to cell, rows that are pasted fill the
// cells, and after every change the server checks the rows and computes the total, without
// a press of a button.
import { all, find, on } from "./dom.js";
import { tell } from "./drop.js";

on("input", e => { if (e.target.dataset?.at && /[@＠]/.test(e.target.value)) import("./at.js"); });

const sheet = () => find("form[data-rows]"), rows = (form = sheet()) => all("tbody tr", form), cells = row => all(".cellfield", row);
const fields = row => all("[name^='cell.']", row), empty = row => fields(row).every(field => !field.value.trim());
const most = () => +sheet().dataset.most, names = () => sheet().dataset.rows.split("\t");
const full = () => tell(`${most()} rows at most. Split the table.`);
const counted = (n, one, many) => (n === 1 ? one : many(n));

// number gives every row the number of its place.
function number() {
  rows().forEach((row, i) => {
    find("th", row).textContent = i + 1;
    for (const e of all("[name], [id], [aria-label]", row)) {
      for (const attribute of ["name", "id", "aria-describedby"]) {
        const value = e.getAttribute(attribute);
        if (value) e.setAttribute(attribute, value.replace(/^(cell|skip)([.-])\d+/, `$1$2${i}`));
      }
      if (e.ariaLabel) e.ariaLabel = e.ariaLabel.replace(/\d+$/, i + 1);
    }
    for (const said of all(".tick .offscreen", row)) said.textContent = said.textContent.replace(/\d+$/, i + 1);
  });
  find("[name=rows]", sheet()).value = rows().length;
}
// grow adds an empty row.
function grow() {
  const last = rows().at(-1), row = last.cloneNode(true);
  for (const note of all(".error, .warn, .tick, [type=hidden]", row)) note.remove();
  for (const cell of cells(row)) {
    cell.value = "";
    cell.placeholder = "";
    cell.removeAttribute("aria-invalid");
    cell.removeAttribute("aria-describedby");
  }
  find("td.n", row).textContent = "";
  row.className = "newrow";
  row.toggleAttribute("data-bad", false);
  row.toggleAttribute("data-writing", false);
  last.after(row);
  number();
}
// settle keeps an empty row at the end.
function settle() {
  for (const row of rows()) row.classList.toggle("newrow", empty(row));
  if (!empty(rows().at(-1)) && rows().length < most()) grow();
}

// The rows are checked once the focus leaves a row that was changed, and nothing is
// replaced while a key of an input method or the pointer is down.
let asking, composing = false, pressing = false;
on("compositionstart", () => { composing = true; });
on("compositionend", () => { composing = false; });
on("pointerdown", () => { pressing = true; });
for (const type of ["pointerup", "pointercancel"]) on(type, () => { pressing = false; });
const event = type => new Promise(done => document.addEventListener(type, () => setTimeout(done), { once: true }));
function written(form, table) {
  const fields = new URLSearchParams(new FormData(form));
  fields.set("table", table);
  return fields;
}
// check shows the rows as the server sees them, with the table below them. still is the
// element that stays where it is. With look, pictures are not checked anew.
async function check(still, table = "", look = false) {
  clearTimeout(looking);
  asking?.abort();
  const mine = asking = new AbortController(), form = sheet(), sent = written(form, table), asked = sent.toString();
  sent.set("do", look ? "look" : "check");
  form.ariaBusy = "true";
  const answer = await fetch(form.action, { method: "POST", body: sent, signal: mine.signal });
  const fresh = find("form[data-rows]", new DOMParser().parseFromString(await answer.text(), "text/html"));
  if (!fresh) throw new Error("no rows"); // such as the sign-in page
  if (composing) await event("compositionend");
  if (pressing) await event("pointerup");
  if (mine.signal.aborted) return;
  if (written(form, table).toString() !== asked) return check(still, table, look); // something was typed meanwhile
  replace(form, fresh, still, table);
}
// replace shows the new rows, with the focus where it was, and the page not scrolled.
function replace(form, fresh, still, table) {
  const focused = form.contains(document.activeElement) ? document.activeElement : undefined;
  const caret = focused?.matches("[type=text]") && [focused.selectionStart, focused.selectionEnd];
  const old = rows(form), now = rows(fresh);
  // The server leaves out empty rows.
  const counterpart = row => now[empty(row) ? now.findIndex(empty) : old.slice(0, old.indexOf(row)).filter(one => !empty(one)).length];
  const same = field => {
    const row = field?.closest("tbody tr");
    if (!row) return field?.name && find(`[name="${CSS.escape(field.name)}"]`, fresh);
    return field.matches(".cellfield") ? cells(counterpart(row))[cells(row).indexOf(field)] : find("[data-skip]", counterpart(row));
  };
  for (const row of old) counterpart(row)?.toggleAttribute("data-writing", "writing" in row.dataset);
  const next = same(focused), stays = same(still), was = still?.getBoundingClientRect().top;
  find("[data-typed-note]", fresh).replaceWith(find("[data-typed-note]", form));
  if (!table) find("#table", fresh).value = find("#table", form).value;
  for (const { id } of all("details[open]", form)) find("#" + id, fresh)?.setAttribute("open", "");
  const counts = find("[data-counted]", fresh);
  if (counts?.textContent === find("[data-counted]", form)?.textContent) counts?.removeAttribute("role"); // it was said already
  form.replaceWith(fresh);
  keep(fresh);
  if (stays) scrollBy({ top: stays.getBoundingClientRect().top - was, behavior: "instant" });
  next?.focus({ preventScroll: true });
  if (caret && next) next.setSelectionRange(...caret);
  find("[data-batch-said]").textContent = find(".total b", fresh).textContent;
  cells(fresh)[0].dispatchEvent(new Event("input", { bubbles: true })); // so that the draft is kept
  watch();
}

// Rows that are pasted come one paste after another. Checks wait for them, because they
// replace the table; one that is under way is given up, and a paste ends with another.
let pasted = Promise.resolve(), pastes = 0;
function queue(paste) {
  pastes++;
  const next = () => {
    asking?.abort();
    return paste();
  };
  pasted = pasted.then(next, next).finally(() => { pastes = Math.max(0, pastes - 1); });
}
async function allPasted() {
  for (let last; last !== pasted;) {
    last = pasted;
    await last.catch(() => {}); // it was said to the person
  }
}
const checkLater = (...how) => allPasted().then(() => check(...how));
const recheck = still => checkLater(still).catch(() => { sheet().ariaBusy = null; }); // the next change checks again
addEventListener("submit", e => {
  if (!pastes || e.target !== sheet()) return;
  e.preventDefault();
  e.stopImmediatePropagation();
  tell("Still adding your rows. Press again in a moment.");
}, true);

// watch shows the rows again while the server checks pictures in the background.
let looking;
function watch() {
  clearTimeout(looking);
  if (find("[data-checking]", sheet())) looking = setTimeout(() => checkLater(undefined, "", true).catch(error => {
    sheet().ariaBusy = null;
    if (error.name !== "AbortError") watch();
  }), 3000);
}
watch();

// bring adds a table below the rows. The server takes no form of more than 1 MB, and says of
// smaller ones how long a table may be.
function bring(table, quiet) {
  if (!quiet && table.length > 2e5) return tell("This table is too long. Split it.");
  const old = sheet(), had = rows().filter(row => !empty(row)).length;
  return check(undefined, table).then(() => {
    if (sheet() === old) return;
    const wrong = find("#table-error");
    if (wrong) return find("#table").focus();
    const n = rows().filter(row => !empty(row)).length - had;
    if (!quiet) tell(counted(n, "1 row added", n => `${n} rows added`), () => { sheet().replaceWith(old); recheck(); });
  }, error => {
    if (error.name === "AbortError") return;
    find("#table").value = table;
    pastes = 0;
    sheet().requestSubmit(find("button[value=check]", sheet()));
  });
}
const bringLater = (...what) => queue(() => bring(...what));
on("table", e => bringLater(e.detail));

// split has the server split cells that were copied from a spreadsheet.
async function split(text) {
  sheet().ariaBusy = "true";
  const answer = await fetch(sheet().action, {
    method: "POST", body: new URLSearchParams({ do: "split", table: text }), signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error("not split");
  return answer.json();
}
// write shows these values from the row on, and from the column on. Those beyond the last
// column are kept in the row; the server shows them once it has checked the rows.
function write(values, at, column) {
  const width = names().filter(Boolean).length;
  while (rows().length < Math.min(at + values.length, most())) grow();
  values.forEach((line, i) => {
    const row = rows()[at + i], beyond = line.slice(Math.max(0, width - column)).filter(Boolean);
    line.slice(0, Math.max(0, width - column)).forEach((value, j) => { cells(row)[column + j].value = value; });
    if (beyond.length) more(row).value = beyond.join(", ");
  });
  settle();
}
// more returns the field of a row for cells that no column takes.
function more(row) {
  const name = `cell.${rows().indexOf(row)}.more`, field = find(`[name="${name}"]`, row);
  if (field) return field;
  find("td", row).append(Object.assign(document.createElement("input"), { type: "hidden", name }));
  return find(`[name="${name}"]`, row);
}
function fill(cell, table) {
  const row = cell.closest("tr"), at = rows().indexOf(row), column = cells(row).indexOf(cell);
  if (at + table.length > most()) {
    recheck();
    return full();
  }
  const was = rows().map(row => cells(row).map(cell => cell.value));
  write(table, at, column);
  tell(counted(table.length, "1 row filled in", n => `${n} rows filled in`), () => {
    for (const field of fields(sheet())) field.value = "";
    write(was, 0, 0);
    recheck();
  });
  recheck(cell);
}
on("paste", e => {
  const cell = e.target, text = (e.clipboardData?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n").replace(/\n+$/, "");
  if (!cell.matches?.(".cellfield") || e.defaultPrevented || !/[\t\n]/.test(text)) return;
  e.preventDefault();
  if (text.length > 2e5) return tell("This table is too long. Split it.");
  queue(() => split(text).then(table => place(cell, text, table), () => bring(text)));
});
// place puts pasted cells where they belong: from the cell on in which they were pasted, or
// in rows of their own below the others.
function place(cell, text, table) {
  if (!cell.isConnected) return bring(text); // its row was removed meanwhile
  const key = name => name.trim().toLowerCase(), named = table[0].some(one => names().some(name => key(name) === key(one)));
  const row = cell.closest("tr"), separated = names().length > 1 && empty(row) && cell === cells(row)[0] && !text.includes("\t") && /[,;]/.test(text);
  const wide = empty(row) && cell === cells(row)[0] && table.some(line => line.length > names().length);
  if (table.length > 1 && (named || separated) || wide) return bring(text); // the server understands headings, commas, and columns of options
  fill(cell, table);
}

on("input", e => {
  const row = e.target.matches(".cellfield") && e.isTrusted && e.target.closest("tr");
  if (!row) return;
  row.dataset.writing = ""; // what is wrong is said once the row is left
  settle();
});
on("focusout", e => {
  const row = e.target.matches?.(".cellfield") && e.target.closest("tr");
  if (!row || row.contains(e.relatedTarget) || !("writing" in row.dataset) || !row.isConnected) return;
  delete row.dataset.writing;
  recheck(e.relatedTarget?.matches(".cellfield") ? e.relatedTarget : undefined);
});
on("change", e => e.target.matches("form[data-rows] [data-skip]") && checkLater(e.target).catch(error => {
  if (error.name !== "AbortError") sheet().requestSubmit(find("button[value=check]", sheet()));
}));

on("keydown", e => {
  const cell = e.target, { key } = e;
  if (!cell.matches?.(".cellfield") || e.isComposing || e.altKey || e.metaKey) return;
  if (e.ctrlKey) {
    if (key !== "Enter") return;
    e.preventDefault();
    return find(".go .primary", sheet()).click();
  }
  const row = cell.closest("tr"), line = cells(row), column = line.indexOf(cell), at = rows().indexOf(row);
  const beside = step => cells(rows()[at + step] ?? row)[column];
  const rtl = getComputedStyle(cell).direction === "rtl", first = !cell.selectionEnd, last = cell.selectionStart === cell.value.length;
  const to = key === "Enter" ? beside(e.shiftKey && at ? -1 : 1) : e.shiftKey ? undefined : {
    ArrowDown: beside(1), ArrowUp: beside(at && -1),
    [rtl ? "ArrowRight" : "ArrowLeft"]: first && line[column - 1], [rtl ? "ArrowLeft" : "ArrowRight"]: last && line[column + 1],
  }[key];
  if (!to) return;
  e.preventDefault();
  to.focus();
  to.select();
});

on("keypress", e => e.key === "Enter" && e.target.matches(".cellfield") && e.preventDefault()); // it submits nothing

on("click", e => {
  const { target } = e, gone = target.closest?.("[data-remove-row]")?.closest("tr");
  if (gone) remove(gone);
  else if (target.closest?.("[data-take-file]")) choose();
  else if (target.closest?.("[data-take-table]")) navigator.clipboard?.readText().then(text => text.trim() ? bringLater(text) : open(), open) ?? open();
});
// open shows the field for a table, where the clipboard may not be read.
function open() {
  find("#paste").open = true;
  find("#table").focus();
}
function choose() {
  const file = Object.assign(document.createElement("input"), { type: "file", accept: ".csv,.tsv,.txt,text/csv,text/plain" });
  file.addEventListener("change", () => file.files[0]?.text().then(text => bringLater(text)));
  file.click();
}
function remove(row) {
  const at = rows().indexOf(row), had = !empty(row);
  if (rows().length === 1) for (const cell of cells(row)) cell.value = "";
  else row.remove();
  settle();
  number();
  const beside = rows()[at] ?? rows().at(-1);
  find("[data-remove-row]", beside).focus();
  if (!had) return;
  tell("Row removed", () => {
    (rows()[at] ?? rows().at(-1)).before(row);
    number();
    recheck();
  });
  recheck();
}

// A draft of the rows is kept as a table, with what is in the field for one (typed.js).
// Restored, it becomes rows again.
const quoted = cell => (/[\t\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell), tabbed = cells => cells.map(quoted).join("\t");
function keep(form) {
  form.kept = () => {
    const lines = rows(form).filter(row => !empty(row)).map(row => tabbed(cells(row).map(cell => cell.value)));
    return [["table", [...lines.length ? [tabbed(names())] : [], ...lines, find("#table", form).value].filter(Boolean).join("\n")]];
  };
  form.restored = () => {
    const field = find("#table", form), text = field.value;
    field.value = "";
    if (text.trim()) bringLater(text, true);
  };
}
keep(sheet());
if (!find("#paste").open) sheet().restored(); // before this script was loaded
