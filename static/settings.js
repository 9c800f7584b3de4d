// Settings shows one section at a time (by account.css). This marks its name in the
// list, focuses it, and applies a theme as soon as it is chosen.
import { all, find, on } from "./dom.js";

function mark() {
  const named = document.getElementById(location.hash.slice(1))?.closest(".room");
  if (!named) return;
  for (const room of all(".room")) room.classList.toggle("open", room === named);
  for (const link of all(".roomlist a")) {
    if (link.hash === "#" + named.id) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }
  return named;
}

addEventListener("hashchange", () => {
  const room = mark();
  if (room && !find(".roomlist").checkVisibility()) find("h2", room).focus(); // phones hide the list
});
on("change", e => {
  if (!e.target.matches("[data-themes] input")) return;
  const theme = e.target.value, page = document.documentElement;
  if (theme) page.dataset.theme = theme;
  else delete page.dataset.theme;
  document.cookie = `theme=${theme}; path=/; max-age=${theme ? 31536000 : 0}; samesite=lax${location.protocol === "https:" ? "; secure" : ""}`;
  find("[data-themes-said]").textContent = "Saved.";
});
mark();
