// Notifications and sounds for videos that have ended, and their settings.
import { all, find } from "./dom.js";

// Settings of this browser. Without storage, notifications are off.
function kept(name) {
  try { return localStorage.getItem("dailies " + name) ?? ""; } catch { return ""; }
}
function keep(name, value) {
  try { localStorage.setItem("dailies " + name, value); } catch { /* not kept */ }
}

// Sounds: two synthesised tones.
const tones = { soft: [523, 659], bright: [880, 1175] };
async function play(sound) {
  if (!tones[sound] || !window.AudioContext) return;
  const audio = new AudioContext(), loudness = audio.createGain();
  await audio.resume().catch(() => {}); // browsers play nothing before a click
  loudness.connect(audio.destination);
  loudness.gain.setValueAtTime(.12, audio.currentTime);
  loudness.gain.exponentialRampToValueAtTime(.001, audio.currentTime + .7);
  tones[sound].forEach((pitch, i) => {
    const wave = audio.createOscillator();
    wave.frequency.value = pitch;
    wave.connect(loudness);
    wave.start(audio.currentTime + i * .14);
    wave.stop(audio.currentTime + .7);
  });
  setTimeout(() => audio.close(), 1500);
}

const canNotify = () => window.isSecureContext && "Notification" in window;
const wanted = () => kept("notices") === "on" && canNotify() && Notification.permission === "granted";

// Only one tab notifies; the others see that in the storage.
export function tell(ended, icon) {
  const told = kept("told").split(" ");
  const fresh = ended.filter(e => !told.includes(e.id));
  if (!fresh.length) return;
  keep("told", [...told, ...fresh.map(e => e.id)].slice(-50).join(" "));
  play(kept("sound"));
  if (wanted()) fresh.forEach(one => notify(one, icon));
}
function notify(ended, icon) {
  try {
    const notice = new Notification(ended.words, { body: ended.name, tag: ended.id, icon });
    notice.onclick = () => { notice.close(); focus(); location.href = ended.page; };
  } catch { /* some phones allow this only to installed apps */ }
}

// answer puts words, and perhaps a button, in the place of the button "Tell me".
function answer(box, words, label, act) {
  const said = Object.assign(document.createElement("p"), { role: "status" });
  box.replaceChildren(said);
  setTimeout(() => { // screen readers announce text that changes
    said.append(words);
    if (!label) return;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "text", textContent: label, onclick: act });
    said.append(" ", button);
    if (document.activeElement === document.body) button.focus({ preventScroll: true });
  });
}
function offer(box) {
  box.replaceChildren(box.offer);
  box.offer.focus({ preventScroll: true });
}
const promise = box => answer(box, "We’ll tell you here.", "Undo", () => { keep("notices", ""); offer(box); });
// mail turns on mails about the user's videos. Undo restores what was chosen before.
async function mail(box) {
  const post = (address, body) => fetch(address, { method: "POST", body }).catch(() => undefined);
  const turned = await post("/settings/mail/ready");
  if (!turned?.ok) return answer(box, "That didn’t work.", "Try again", () => mail(box));
  const before = (await turned.text()).split(" ").filter(Boolean);
  answer(box, "We’ll email you.", "Undo", async () => {
    if ((await post("/settings/mail", new URLSearchParams(before.map(notice => ["mail", notice]))))?.ok) offer(box);
  });
}
// ask asks the browser for notifications, and says in place what came of it.
export async function ask(box) {
  if (canNotify() && Notification.permission === "default") {
    answer(box, "Press Allow in your browser’s question.");
    await Notification.requestPermission();
  }
  if (canNotify() && Notification.permission === "granted") {
    keep("notices", "on");
    return promise(box);
  }
  if (canNotify() && Notification.permission === "default") return offer(box);
  const why = canNotify() ? "Your browser blocks notifications." : "This browser can’t notify you here.";
  if ("mail" in box.dataset) answer(box, why, "Email me instead", () => mail(box));
  else answer(box, why);
}
// settle says that notifications are on already.
export function settle(box) {
  box.offer = find("[data-tell-ask]", box);
  if (wanted()) promise(box);
}

// choose handles the controls in Settings.
function choose() {
  const part = find("[data-notices]");
  if (!part) return;
  const on = find("[data-notices-on]", part), off = find("[data-notices-off]", part), said = find("[data-notices-said]", part);
  const show = () => {
    on.hidden = wanted();
    off.hidden = !wanted();
    on.disabled = !canNotify();
    said.textContent = !window.isSecureContext ? "Notifications need an https address."
      : !canNotify() ? "This browser has no notifications."
      : Notification.permission === "denied" ? "This browser blocks notifications. Allow them for this site in its settings, then come back."
      : wanted() ? "On in this browser." : "";
  };
  on.addEventListener("click", async () => {
    if (await Notification.requestPermission() === "granted") keep("notices", "on");
    show();
    if (wanted()) off.focus();
  });
  off.addEventListener("click", () => { keep("notices", ""); show(); on.focus(); });
  for (const radio of all("[name=notice-sound]", part)) {
    radio.checked = radio.value === kept("sound");
    radio.addEventListener("change", () => { keep("sound", radio.value); play(radio.value); });
  }
  show();
}
choose();
