// Tells users who look elsewhere that a video is done: a count in the tab's title
// and icon and, if turned on in this browser, a notification and a sound. It
// watches the list of the newest videos.
import { all, find } from "./dom.js";

const running = ["queued", "sending", "pending", "processing"];
const icon = find("link[rel=icon]"), plain = icon.href;
const pill = find("#running");

// Settings of this browser. Without storage, notifications are off.
function kept(name) {
  try { return localStorage.getItem("dailies " + name) ?? ""; } catch { return ""; }
}
function keep(name, value) {
  try { localStorage.setItem("dailies " + name, value); } catch { /* not kept */ }
}

// The count while the tab is hidden.
let missed = 0;
function count(n) {
  missed = n;
  const title = document.title.replace(/^\(\d+\) /, "");
  document.title = n ? `(${n}) ${title}` : title;
  icon.href = n ? icon.dataset.news : plain;
}
const seen = () => missed && !document.hidden && count(0);
document.addEventListener("visibilitychange", seen);
addEventListener("focus", seen);

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
function tell(ended) {
  const told = kept("told").split(" ");
  const fresh = ended.filter(e => !told.includes(e.id));
  if (!fresh.length) return;
  keep("told", [...told, ...fresh.map(e => e.id)].slice(-50).join(" "));
  play(kept("sound"));
  if (wanted()) fresh.forEach(notify);
}
function notify(ended) {
  try {
    const words = ended.state === "success" ? "Your video is ready" : "A video ended without a result";
    const notice = new Notification(words, { body: ended.name, tag: ended.id, icon: plain });
    notice.onclick = () => { notice.close(); focus(); location.href = ended.page; };
  } catch { /* some phones allow this only to installed apps */ }
}

// look finds videos that ended since the last look. The first look finds none.
let known;
function look(root) {
  const now = new Map(all("#latest [data-state]", root).map(card => [card.id, {
    id: card.id, state: card.dataset.state, name: card.dataset.name, page: card.dataset.page,
  }]));
  const ended = known ? [...now.values()].filter(card =>
    !running.includes(card.state) && (!known.has(card.id) || running.includes(known.get(card.id).state)) && newer(card.id)) : [];
  known = new Map([...known ?? [], ...now]);
  if (!ended.length) return;
  if (document.hidden) count(missed + ended.length);
  if (document.hidden || !document.hasFocus()) tell(ended);
}
// A card that moves up because another left the list is older than all others.
const number = id => +id.split("-").pop();
const newer = id => known.has(id) || number(id) > Math.max(0, ...[...known.keys()].map(number));

// A page without the list fetches it while videos are running. Each list has the address
// of the next, at which the server says nothing as long as nothing is new.
let address = "/tasks/latest";
async function ask() {
  try {
    const answer = await fetch(address, { headers: { "HX-Request-Type": "partial" } });
    if (answer.status === 204) return later();
    if (!answer.ok || answer.redirected) return;
    const list = new DOMParser().parseFromString(await answer.text(), "text/html");
    const latest = find("#latest", list), left = latest.dataset.running;
    address = latest.getAttribute("hx-get") ?? address;
    look(list);
    pill.hidden = left === "0";
    find("[data-running-count]", pill).textContent = left;
  } catch { /* retried */ }
  later();
}
const later = () => pill && !pill.hidden && setTimeout(ask, 5000);

// choose handles the controls in Settings.
function choose() {
  const part = find("[data-notices]");
  if (!part) return;
  const on = find("[data-notices-on]", part), off = find("[data-notices-off]", part), said = find("[data-notices-said]", part);
  const show = () => {
    on.hidden = wanted();
    off.hidden = !wanted();
    on.disabled = !canNotify();
    said.textContent = !window.isSecureContext ? "Notices need an address that begins with https."
      : !canNotify() ? "This browser shows no notices."
      : Notification.permission === "denied" ? "This browser was told to show no notices from here. You can allow them in its site settings."
      : wanted() ? "Notices are on." : "";
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
if (find("#latest")) {
  look(document);
  document.addEventListener("htmx:after:swap", () => look(document));
} else if (pill && !pill.hidden) {
  ask();
}
