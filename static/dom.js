// Helpers for all scripts.

export const find = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];
export const on = (type, act, capture) => document.addEventListener(type, act, capture);

// plain reports whether a click is to be handled here, and opens no other tab.
export const plain = e => !(e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey);

// starred returns what screen readers announce after htmx has replaced a star's
// form: nothing if the button has or had the focus, because they then announce its state.
// form.id would be the form's field "id", not its attribute.
export function starred(form, kind) {
  const star = form.matches(kind) && find("[data-star]", document.getElementById(form.getAttribute("id")));
  return star && star !== document.activeElement && !star.told ? (star.ariaPressed === "true" ? "Starred" : "Star removed") : "";
}

// toast shows and announces a message, in the viewer if that is open, and returns its
// element.
export function toast(text) {
  const box = document.createElement("div");
  for (const old of all(".toasts")) old.remove();
  box.className = "toasts";
  box.innerHTML = `<div class="toast" data-toast><p role="status"></p></div>`;
  find("p", box).textContent = text;
  (find("dialog.cinema[open]") ?? document.body).append(box);
  document.dispatchEvent(new Event("fresh"));
  return box.firstChild;
}

// letterbox marks a video whose shape is not nearly that of its frame, so that none of it
// is cut off. Others fill the frame: 854 × 480 would leave a line of one pixel in 16:9.
export function letterbox(video) {
  const frame = +getComputedStyle(video).getPropertyValue("--ar"), own = video.videoWidth / video.videoHeight;
  video.toggleAttribute("data-letterbox", own > 0 && frame > 0 && Math.abs(Math.log(own / frame)) > 0.03);
}

// copied copies the text of a field, and reports whether that was possible. The field stays
// selected, so that the user can copy it otherwise.
export async function copied(input) {
  input.focus({ preventScroll: true });
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
    return true;
  } catch {
    return document.execCommand("copy"); // without https
  }
}
