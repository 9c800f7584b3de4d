// A long wall is divided into bands of a few whole rows, so that the browser can
// leave out those that are far from sight. How high a band is follows from the
// ratios of its videos: nothing need be laid out to know it.
import { all, find } from "./dom.js";

const many = 100; // a shorter wall stays as it is
const tilesOfBand = 16; // or a few more, as many as fill its rows
const bandsAhead = 12; // below the window, whose pictures are fetched in idle time

// firstTile returns the first tile below the top of the window whose box passes
// the test.
export function firstTile(test) {
  for (const list of all("#cards .rows")) {
    if (list.getBoundingClientRect().bottom < 0) continue;
    const tile = [...list.children].find(tile => test(tile.getBoundingClientRect()));
    if (tile) return tile;
  }
}

// boxOf returns where a tile lies, also in a band that is left out: that one is
// drawn for once.
export function boxOf(tile) {
  const list = tile.closest(".band");
  if (list && !tile.checkVisibility({contentVisibilityAuto: true})) {
    list.style.contentVisibility = "visible";
    requestAnimationFrame(() => (list.style.contentVisibility = ""));
  }
  return tile.getBoundingClientRect();
}

// fetchAhead asks, whenever nothing else happens, for the pictures of the next
// band that nobody has seen yet: one that arrives while somebody scrolls costs
// more than to draw the frame.
let waiting;
const asked = new WeakSet(); // bands all of whose pictures are fetched
export function fetchAhead() {
  if (waiting || !window.requestIdleCallback || navigator.connection?.saveData) return;
  waiting = requestIdleCallback(() => {
    waiting = undefined;
    const bands = all("#cards .band"), from = firstInSight(bands);
    const next = bands.slice(from, from + bandsAhead).find(band => !asked.has(band));
    if (!next) return;
    asked.add(next);
    for (const picture of all("img[loading=lazy]", next)) picture.loading = "eager";
    fetchAhead();
  });
}

// firstInSight returns the index of the first band that is not above the window. To
// measure one costs time, so few are.
function firstInSight(bands) {
  let low = 0, high = bands.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (bands[middle].getBoundingClientRect().bottom > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

// divide arranges the bands anew. What is in sight stays where it is, and so does
// the focus.
export function divide() {
  const wall = find("#cards");
  if (!wall || wall.getElementsByClassName("cell").length < many) return;
  const list = find(".rows", wall), style = getComputedStyle(list), bands = style.display === "grid" ? columns : rows;
  const measures = {
    width: list.getBoundingClientRect().width, gap: parseFloat(style.columnGap), ratio: ratios(),
    height: parseFloat(getComputedStyle(find(".cell", list)).getPropertyValue("--row")),
  };
  const seen = scrollY && firstTile(box => box.bottom > 80), was = seen && seen.getBoundingClientRect().top;
  for (const day of all(".day", wall)) arrange(day, bands(all(".cell", day), measures));
  if (seen) scrollBy({top: boxOf(seen).top - was, behavior: "instant"});
}

// arrange moves the tiles that now belong to another band. All lie in one order:
// what a band lacks at its end is in later lists, and what it lacks at its
// beginning in earlier ones. (moveBefore would keep the focus, but Chromium 156
// then lays tiles out no more that it moves into a band that is left out.)
function arrange(day, bands) {
  const lists = all(".rows", day), focus = document.activeElement;
  while (lists.length < bands.length) lists.push(day.appendChild(lists[0].cloneNode(false)));
  const index = new Map(lists.map((list, i) => [list, i]));
  lists.forEach(list => asked.delete(list));
  bands.forEach(({tiles, height}, i) => {
    lists[i].classList.add("band");
    lists[i].style.containIntrinsicBlockSize = height + "px";
    for (const tile of tiles) if (index.get(tile.parentNode) > i) lists[i].append(tile);
  });
  for (let i = bands.length - 1; i >= 0; i--) {
    for (const tile of bands[i].tiles.toReversed()) if (tile.parentNode !== lists[i]) lists[i].prepend(tile);
  }
  for (const spare of lists.slice(bands.length)) spare.remove();
  if (focus !== document.activeElement) focus.focus({preventScroll: true});
}
// ratios returns what tells the ratio of a tile. It asks once for each class.
function ratios() {
  const known = new Map();
  return tile => {
    const name = tile.className.match(/\br-\S+/)?.[0];
    if (!known.has(name)) known.set(name, parseFloat(getComputedStyle(tile).getPropertyValue("--ar")));
    return known.get(name);
  };
}

// rows returns the bands of justified rows. A row ends before the tile that does
// not fit, and is then stretched to the width; of the last one, what fills the
// rest of it takes nearly all.
function rows(tiles, {width, gap, height, ratio}) {
  const found = [];
  let row, used;
  for (const tile of tiles) {
    const share = ratio(tile);
    if (!row || used + gap + share * height > width) {
      found.push(row = {tiles: [], shares: 0});
      used = -gap;
    }
    row.tiles.push(tile);
    row.shares += share;
    used += gap + share * height;
  }
  const rest = width - used - gap;
  const high = row => row === found.at(-1) && rest >= 0 ? height + rest / (100 + row.shares) : (width - gap * (row.tiles.length - 1)) / row.shares;
  const bands = [];
  let count = 0;
  for (const row of found) {
    if (count >= bands.length * tilesOfBand) bands.push({tiles: [], height: -gap});
    const band = bands.at(-1);
    band.tiles.push(...row.tiles);
    band.height += high(row) + gap;
    count += row.tiles.length;
  }
  return bands;
}

// columns returns the bands of a phone's two columns: a tile goes below the
// shorter one. They end where both are as long, or nearly.
function columns(tiles, {width, gap, ratio}) {
  const line = (width - gap) / 72, bands = []; // the grid's lines, 36 to the width of a column
  let ends;
  tiles.forEach((tile, i) => {
    const due = bands.length * tilesOfBand;
    if (!i || i >= due && ends[0] === ends[1] || i >= due + tilesOfBand) {
      bands.push({tiles: [], height: 0});
      ends = [0, 0];
    }
    const band = bands.at(-1);
    band.tiles.push(tile);
    ends[ends[1] < ends[0] ? 1 : 0] += Math.round(36 / ratio(tile)) + 1;
    band.height = Math.max(...ends) * line;
  });
  return bands;
}
