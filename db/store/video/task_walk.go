package video

import (
	"fmt"
	"slices"

	"dailies/db/store/engine"
)

// PostgreSQL's index of words lists rows in no order: all rows with a word have to be
// found before the newest of them is known. If the word is frequent, a scan of the
// tasks, the newest first, finds the first matches sooner. How frequent a word is gets
// estimated from the newest tasks.

// scanWindows are the numbers of IDs that are scanned, one after the other, before such
// an index is used.
var scanWindows = []int64{1000, 16_000}

const (
	// frequent is the share of tasks from which a word counts as frequent: then
	// skipping the tasks without the word takes less time than reading it from the
	// index.
	frequent = 0.05
	// worthScanning is the share of tasks that has to match for a scan to find as many
	// as are counted in less time than the index would take.
	worthScanning = 0.03
)

// search adds the source of the tasks that contain the terms of the query.
func (s *Search) search(tx *engine.Tx, c *choice, terms []string) {
	if s.db.Match(terms) == "" {
		return
	}
	index, all := s.db.Index(), c.arg(s.db.Match(terms))
	words := source{
		from: index.From, id: index.ID, where: fmt.Sprintf(index.Where, all), joined: true, wide: index.Wide,
		sorted: index.ScanWhere == "", words: true, check: fmt.Sprintf(index.Check, all, "%s"),
	}
	if index.ScanWhere != "" {
		words.scanWhere = fmt.Sprintf(index.ScanWhere, all)
		common, rare := s.splitByFrequency(tx, terms)
		if tx.OK() && len(common) > 0 && len(rare) > 0 {
			words.where = fmt.Sprintf(index.Where, c.arg(s.db.Match(rare))) + " AND " + fmt.Sprintf(index.ScanWhere, c.arg(s.db.Match(common)))
		}
	}
	c.sources = append(c.sources, words)
}

// splitByFrequency separates the terms that many of the newest tasks contain from those
// that few contain. It does not look at a single term.
func (s *Search) splitByFrequency(tx *engine.Tx, terms []string) (common, rare []string) {
	if len(terms) < 2 {
		return nil, nil
	}
	last := newestID(tx)
	var c choice
	index, many, into, sums := s.db.Index(), make([]int, len(terms)), make([]any, len(terms)), ""
	for i, term := range terms {
		into[i] = &many[i]
		sums += ", count(*) FILTER (WHERE " + fmt.Sprintf(index.ScanWhere, c.arg(s.db.Match([]string{term}))) + ")"
	}
	tx.Row(`SELECT `+sums[2:]+` FROM `+index.From+` WHERE `+index.ID+` > `+c.arg(last-scanWindows[0]), c.args...).Scan(into...)
	for i, term := range terms {
		if float64(many[i]) >= frequent*float64(scanWindows[0]) {
			common = append(common, term)
		} else {
			rare = append(rare, term)
		}
	}
	return common, rare
}

// list returns up to most of the branch's IDs from first to last, beginning with the
// newest or, if oldest is set, with the oldest. If the source has no order, it first
// scans windows of IDs at that end, where frequent matches are found soon. Other
// matches are so few that they are read from the index and sorted.
func (b branch) list(tx *engine.Tx, first, last int64, oldest bool, most int) (ids []int64) {
	if b.scanWhere == "" {
		return b.between(tx, first, last, oldest, most)
	}
	if last >= newest {
		last = newestID(tx)
	}
	for _, window := range scanWindows {
		if !tx.OK() || first > last || len(ids) == most {
			return ids
		}
		from, to := max(first, last-window+1), last
		if oldest {
			from, to = first, min(last, first+window-1)
		}
		found := b.scan().between(tx, from, to, oldest, most-len(ids))
		if !tx.OK() {
			return nil
		}
		ids = append(ids, found...)
		if oldest {
			first = to + 1
		} else {
			last = from - 1
		}
		if int64(len(found))*scanWindows[1] < int64(most)*scanWindows[0] {
			break // a longer window would not have enough matches either
		}
	}
	if first <= last && len(ids) < most {
		b.order += " + 0"
		ids = append(ids, b.between(tx, first, last, oldest, most-len(ids))...)
	}
	return ids
}

// scan returns the branch in the form that reads rows in the order of the IDs.
func (b branch) scan() branch {
	b.where = b.scanWhere
	return b
}

// count counts the branch's tasks with an ID from first to last, up to most.
func (b branch) count(tx *engine.Tx, first, last int64, most int) (total int) {
	if b.scanWhere == "" {
		// In this order the query ends soon if the filter asks for recent tasks.
		return b.countUp(tx, first, last, most, ` ORDER BY `+b.order+` DESC`)
	}
	if last >= newest {
		last = newestID(tx)
	}
	from := max(first, last-scanWindows[0]+1)
	if total = b.scan().countUp(tx, from, last, most, ""); !tx.OK() || from <= first || total == most {
		return total
	}
	order := ""
	if float64(total) >= worthScanning*float64(last-from+1) {
		b, order = b.scan(), ` ORDER BY `+b.order+` DESC`
	}
	return total + b.countUp(tx, first, from-1, most-total, order)
}

// isFrequent reports whether a source without an order has so many of the newest tasks
// that reading its index takes longer than checking the tasks of any other source.
func (c *choice) isFrequent(tx *engine.Tx, s source) bool {
	if s.scanWhere == "" {
		return false
	}
	last := newestID(tx)
	scan := choice{args: slices.Clip(c.args)}
	n := tx.Count(`SELECT 1 FROM `+s.from+` WHERE `+s.scanWhere+scan.ids(s.id, last-scanWindows[0]+1, last), scan.args...)
	return float64(n) >= worthScanning*float64(scanWindows[0])
}

// newestID returns the highest ID in the gallery, or 0 if it is empty.
func newestID(tx *engine.Tx) int64 {
	return engine.Value[int64](tx, `SELECT coalesce(max(id), 0) FROM gallery`)
}
