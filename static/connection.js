// Shows when the server cannot be reached. Until it can, this retries with
// exponential backoff, and the page's polling pauses.

const first = 1000, longest = 30_000;
let lost = false, pause = first, timer;
const place = document.getElementById("connection");

function lose() {
  if (lost) return;
  lost = true;
  pause = first;
  document.documentElement.dataset.lost = "";
  place.textContent = "Reconnecting… Nothing is lost.";
  later();
}
function find() {
  clearTimeout(timer);
  lost = false;
  delete document.documentElement.dataset.lost;
  place.textContent = "";
}
function later() {
  clearTimeout(timer);
  timer = setTimeout(look, pause * (0.8 + Math.random() * 0.4)); // jitter
  pause = Math.min(pause * 2, longest);
}
async function look() {
  try {
    const answer = await fetch("/healthz", { method: "HEAD", cache: "no-store", redirect: "manual", signal: AbortSignal.timeout(8000) });
    if (answer.status < 500) return find();
  } catch { /* retried */ }
  if (lost) later();
}
addEventListener("online", () => { if (lost) { pause = first; look(); } });

const poll = ctx => ctx?.sourceEvent?.type === "every";
document.addEventListener("htmx:before:request", e => { if (lost && poll(e.detail.ctx)) e.preventDefault(); });
document.addEventListener("htmx:error", e => { if (poll(e.detail.ctx) && e.detail.error?.name !== "AbortError") lose(); });
document.addEventListener("htmx:after:request", e => {
  const { ctx } = e.detail, status = ctx?.response?.status;
  if (status >= 502 && status <= 504 && poll(ctx)) lose();
  else if (status) find();
});
