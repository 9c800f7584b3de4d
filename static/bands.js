// Divides a long wall into bands of a few whole rows, so that the browser need not
// render those far from the viewport (content-visibility). A band's height is
// computed from its videos' aspect ratios, without layout.
import { all, find } from "./dom.js";

const many = 100; // tiles; a shorter wall is not divided
const tilesOfBand = 16; // at least; a band has whole rows
const bandsAhead = 12; // below the viewport, to fetch pictures for in idle time

// firstTile returns the first tile whose box passes the test, of those in lists
// that are not above the viewport.
export function firstTile(test) {
  for (const list of all("#cards .rows")) {
    if (list.getBoundingClientRect().bottom < 0) continue;
    const tile = [...list.children].find(tile => test(tile.getBoundingClientRect()));
    if (tile) return tile;
  }
}

// boxOf returns a tile's box, even in a band that is not rendered: that one is
// rendered until the next frame.
export function boxOf(tile) {
  const list = tile.closest(".band");
  if (list && !tile.checkVisibility({contentVisibilityAuto: true})) {
    list.style.contentVisibility = "visible";
    requestAnimationFrame(() => (list.style.contentVisibility = ""));
  }
  return tile.getBoundingClientRect();
}

// fetchAhead fetches the pictures of the next bands in idle time: decoding one
// while the user scrolls would take longer than a frame.
let waiting;
const asked = new WeakSet(); // bands whose pictures are fetched
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

// firstInSight returns the index of the first band that is not above the viewport,
// by binary search because measuring a band is slow.
function firstInSight(bands) {
  let low = 0, high = bands.length;
  while (low < high) {
    const middle = low + high >> 1;
    if (bands[middle].getBoundingClientRect().bottom > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}

// divide rearranges the bands: at once those in sight, and the others too, or else in short
// pieces between frames. It keeps the scroll position of what is visible, and the focus.
const piece = 10; // milliseconds
let runs = 0; // calls of divide, of which only the last goes on
export function divide(atOnce) {
  const run = ++runs;
  const wall = find("#cards");
  if (!wall || wall.getElementsByClassName("cell").length < many) return wall?.removeAttribute("aria-busy");
  const list = find(".rows", wall), style = getComputedStyle(list), arranged = style.display === "grid" ? columns : rows;
  const measures = {
    width: list.getBoundingClientRect().width, gap: parseFloat(style.columnGap), ratio: ratios(),
    height: parseFloat(getComputedStyle(find(".cell", list)).getPropertyValue("--row")),
  };
  const seen = scrollY && firstTile(box => box.bottom > 80), bands = arranged(all(".cell", wall), measures);
  const from = seen ? bands.findIndex(band => band.tiles.includes(seen)) : 0;
  const left = [...bands.slice(from), ...bands.slice(0, from).reverse()];
  let inSight = atOnce ? Infinity : innerHeight + (seen ? left[0].height : 0); // pixels
  wall.ariaBusy = "true";
  const work = () => {
    if (run !== runs) return;
    const was = seen && seen.getBoundingClientRect().top, end = performance.now() + piece;
    while (left.length && (inSight > 0 || performance.now() < end)) {
      inSight -= left[0].height;
      arrange(left.shift());
    }
    if (seen) scrollBy({top: boxOf(seen).top - was, behavior: "instant"});
    if (left.length) requestAnimationFrame(() => setTimeout(work));
    else wall.removeAttribute("aria-busy");
  };
  work();
}

// arrange makes the tiles a band of their own, unless they are one. Tiles before and after
// them stay where they are, and the order of all tiles is the same. (moveBefore would keep
// the focus, but Chromium 156 no longer lays out tiles that it moves into a band that is not
// rendered.)
function arrange({tiles, height}) {
  const lists = new Set(tiles.map(tile => tile.parentNode)), [first] = lists, last = [...lists].at(-1);
  // Browsers remember the height that a band had when it was last rendered, and would prefer
  // that to its new one. A band of another height is therefore a new one.
  const same = lists.size === 1 && first.childElementCount === tiles.length;
  if (same && Math.abs(parseFloat(first.style.containIntrinsicBlockSize) - height) <= 1) return;
  const band = first.cloneNode(false), focus = document.activeElement;
  band.classList.add("band");
  band.style.containIntrinsicBlockSize = height + "px";
  if (tiles[0].previousElementSibling) {
    const after = [];
    for (let tile = tiles.at(-1); first === last && (tile = tile.nextElementSibling);) after.push(tile);
    first.after(band);
    if (after.length) {
      const others = first.cloneNode(false);
      others.append(...after);
      band.after(others);
    }
  } else first.before(band);
  band.append(...tiles);
  for (const list of lists) if (!list.firstElementChild) list.remove();
  if (focus !== document.activeElement) focus.focus({preventScroll: true});
}

// ratios returns a function for the aspect ratio of a tile, cached by class.
function ratios() {
  const known = new Map();
  return tile => {
    const name = tile.className.match(/\br-\S+/)?.[0];
    if (!known.has(name)) known.set(name, parseFloat(getComputedStyle(tile).getPropertyValue("--ar")));
    return known.get(name);
  };
}

// rows returns bands of justified rows. A row ends before the tile that does not
// fit, and is stretched to the width. In the last row, a filler takes nearly all of
// the remaining width.
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

// columns returns bands of two columns, for phones: a tile goes below the shorter
// column. A band ends where both are equally long, or nearly.
function columns(tiles, {width, gap, ratio}) {
  const line = (width - gap) / 72, bands = []; // height of a grid line, 1/36 of a column's width
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
