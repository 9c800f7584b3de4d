// The pages of guests. Several videos have one player, which goes on to the next one after
// five seconds. Without script, each video has a page of its own.
import { all, find, on, plain } from "./dom.js";
import { judge } from "./unplayable.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

// What lies over the picture goes when it plays for the first time.
on("playing", e => e.target.closest(".film")?.removeAttribute("data-unseen"), true);

class Reel {
  constructor(list) {
    this.list = list;
    this.at = this.items.findIndex(item => item.ariaCurrent === "true");
    this.film = find("[data-player] .film");
    this.video = find("video", this.film);
    this.over = find("[data-next-up]");
    this.end = find("[data-reel-end]");
    this.video.addEventListener("ended", () => this.ended());
    this.video.addEventListener("play", () => this.clear());
    this.video.addEventListener("seeking", () => this.clear());
    list.addEventListener("click", e => {
      const link = plain(e) && e.target.closest("a");
      if (!link || !link.matches("[data-reel-item], [rel=next]")) return;
      e.preventDefault();
      if (link.rel === "next") this.load(true);
      else this.show(this.items.indexOf(link));
    });
    this.near = new IntersectionObserver(entries => { if (entries.some(entry => entry.isIntersecting)) this.load(); }, { rootMargin: "600px" });
    this.watch();
    this.film.addEventListener("click", e => this.act(e.target.closest("[data-reel]")?.dataset.reel));
  }
  get items() { return all("[data-reel-item]", this.list); }
  get more() { return find("[data-reel-more]", this.list); }

  // watch waits for the guest to come near the end of a long list, and load then puts the next
  // videos there. Whoever pressed the link goes on from the first of them. If they do not come,
  // the link is still there.
  watch() { if (this.more) this.near.observe(this.more); }
  load(pressed) {
    this.loading ??= this.next(pressed).finally(() => { this.loading = undefined; });
    return this.loading;
  }
  async next(pressed) {
    const { more } = this, link = more && find("a", more);
    if (!more) return;
    this.near.unobserve(more);
    const answer = await fetch(link.href, { headers: { "HX-Request-Type": "partial" } }).catch(() => undefined);
    if (!answer?.ok) {
      if (pressed) location = link.href;
      return;
    }
    const count = this.items.length, fresh = new DOMParser().parseFromString(await answer.text(), "text/html").body;
    more.replaceWith(...fresh.childNodes);
    if (pressed) this.items[count]?.focus();
    this.watch();
  }
  act(what) {
    const button = find("[data-do=play]");
    if (what === "go") this.show(this.at + 1);
    if (what === "again") this.show(0);
    if (what === "stay") {
      this.stays = true;
      this.clear();
    }
    if (what) button.focus({ preventScroll: true });
  }
  clear() {
    clearInterval(this.counting);
    this.over.hidden = this.end.hidden = true;
  }
  // ended offers the next video, and counts down unless the guest wants less motion or to
  // stay.
  async ended() {
    const { at } = this, dot = all(".dots i")[at];
    this.items[at].dataset.seen = "";
    if (dot) dot.className = "good now";
    if (!this.items[at + 1] && this.more) await this.load();
    if (this.at !== at || this.more && !this.items[at + 1]) return;
    const item = this.items[at + 1], waits = calm.matches || this.stays;
    if (!item) {
      this.end.hidden = false;
      return this.say("That’s all of them.");
    }
    const name = find("[data-reel-name]", item).textContent, thumb = find("img", item), picture = find("[data-next-picture]");
    find("[data-next-name]").textContent = name;
    picture.hidden = !thumb;
    if (thumb) picture.src = thumb.src;
    let left = 5;
    const tell = () => { find("[data-next-count]").textContent = waits ? "" : left === 1 ? "Starts in 1 second" : `Starts in ${left} seconds`; };
    tell();
    this.over.hidden = false;
    this.say(waits ? `Next: ${name}.` : `Next: ${name}. Starts in 5 seconds.`);
    if (waits) return;
    this.counting = setInterval(() => {
      left--;
      if (left > 0) return tell();
      this.show(this.at + 1);
    }, 1000);
  }
  say(text) { find("[data-said]").textContent = text; }

  // show plays another video in the same player.
  show(i) {
    const item = this.items[i], { video, film } = this, { src, poster, shape, length, download } = item.dataset, name = find("[data-reel-name]", item).textContent;
    this.clear();
    this.at = i;
    for (const other of this.items) other.removeAttribute("aria-current");
    item.setAttribute("aria-current", "true");
    all(".dots i").forEach((dot, n) => dot.classList.toggle("now", n === i));
    for (const box of [film, film.parentElement]) {
      box.className = box.className.replace(/r-[\w-]+/, shape);
      box.style.removeProperty("--ar");
    }
    video.removeAttribute("data-letterbox");
    if (poster) video.poster = poster;
    else video.removeAttribute("poster");
    video.dataset.length = length;
    video.ariaLabel = name;
    video.src = src;
    judge(find("[data-unplayable]", film), item);
    for (const place of all("[data-reel-place]")) place.textContent = name;
    const save = find("[data-reel-download]");
    if (save) save.href = download;
    document.dispatchEvent(new CustomEvent("clip", { detail: item.href }));
    history.replaceState(history.state, "", item.href);
    item.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (i === this.items.length - 1) this.load();
    this.say(name);
    video.play().catch(() => { /* not allowed: the player shows that it is paused */ });
  }
}
for (const list of all("[data-reel-list]:not([data-spare])")) new Reel(list);

// Another video has its own takes. Where there are notes, they come with those.
on("clip", async e => {
  const takes = find("#takes");
  takes?.replaceChildren();
  if (!takes || find("#talk")) return;
  const answer = await fetch(e.detail).catch(() => undefined), item = find("[data-reel-list] [aria-current]");
  if (answer?.ok && item?.href === e.detail) takes.replaceWith(find("#takes", new DOMParser().parseFromString(await answer.text(), "text/html")));
});
