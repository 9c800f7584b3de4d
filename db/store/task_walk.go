package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// In an index of words whose rows come in no order, all rows that have a frequent word
// are found before the first of them is known. What is frequent is found sooner in a
// walk through the tasks, the newest first: as far as it is known how frequent it is.

// stretches are how many ids are walked through before such an index is asked.
var stretches = []int64{1000, 16_000}

const (
	// frequent is the part of the tasks that has a frequent word: to pass over those
	// that do not have it takes less time than to read it from the index.
	frequent = 0.05
	// worthWalking is the part of the tasks that has to fit for a walk to count up to
	// db.MostCounted of them in less time than it takes with the index.
	worthWalking = 0.03
)

// search adds the source of the tasks that have the words of the query.
func (s *Store) search(ctx context.Context, tx *sql.Tx, c *choice) error {
	terms := s.terms(c.Query)
	if len(terms) == 0 {
		return nil
	}
	index, all := s.engine.Index(), c.arg(s.engine.Match(terms))
	words := source{
		from: index.From, id: index.ID, where: fmt.Sprintf(index.Where, all), joined: true, wide: index.Wide,
		sorted: index.Walked == "", words: index.Slow, check: fmt.Sprintf(index.Check, all, "%s"),
	}
	if index.Walked != "" {
		words.walked = fmt.Sprintf(index.Walked, all)
		often, seldom, err := s.apart(ctx, tx, terms)
		if err != nil {
			return err
		}
		if len(often) > 0 && len(seldom) > 0 {
			words.where = fmt.Sprintf(index.Where, c.arg(s.engine.Match(seldom))) + " AND " + fmt.Sprintf(index.Walked, c.arg(s.engine.Match(often)))
		}
	}
	c.sources = append(c.sources, words)
	return nil
}

// apart tells terms that many of the newest tasks have from those that few have. A
// single one is neither.
func (s *Store) apart(ctx context.Context, tx *sql.Tx, terms []string) (often, seldom []string, err error) {
	if len(terms) < 2 {
		return nil, nil, nil
	}
	last, err := newestID(ctx, tx)
	if err != nil {
		return nil, nil, err
	}
	var c choice
	index, many, into, sums := s.engine.Index(), make([]int, len(terms)), make([]any, len(terms)), ""
	for i, term := range terms {
		into[i] = &many[i]
		sums += ", count(*) FILTER (WHERE " + fmt.Sprintf(index.Walked, c.arg(s.engine.Match([]string{term}))) + ")"
	}
	if err := tx.QueryRowContext(ctx, `SELECT `+sums[2:]+` FROM `+index.From+` WHERE `+index.ID+` > `+c.arg(last-stretches[0]), c.args...).Scan(into...); err != nil {
		return nil, nil, err
	}
	for i, term := range terms {
		if float64(many[i]) >= frequent*float64(stretches[0]) {
			often = append(often, term)
		} else {
			seldom = append(seldom, term)
		}
	}
	return often, seldom, nil
}

// list returns up to so many of the branch's ids from first to last, beginning with
// the newest, or with the oldest. Where an index has no order, what is frequent is
// found in a walk along a stretch at that end; there are few of what is not, so they are
// sorted.
func (b branch) list(ctx context.Context, tx *sql.Tx, first, last int64, oldest bool, most int) (ids []int64, err error) {
	if b.walked == "" {
		return b.between(ctx, tx, first, last, oldest, most)
	}
	if last >= newest {
		if last, err = newestID(ctx, tx); err != nil {
			return nil, err
		}
	}
	for _, stretch := range stretches {
		if first > last || len(ids) == most {
			return ids, nil
		}
		from, to := max(first, last-stretch+1), last
		if oldest {
			from, to = first, min(last, first+stretch-1)
		}
		found, err := b.walk().between(ctx, tx, from, to, oldest, most-len(ids))
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
		if oldest {
			first = to + 1
		} else {
			last = from - 1
		}
		if int64(len(found))*stretches[1] < int64(most)*stretches[0] {
			break // a longer one would not do either
		}
	}
	if first <= last && len(ids) < most {
		b.order += " + 0"
		found, err := b.between(ctx, tx, first, last, oldest, most-len(ids))
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// walk returns the branch as it is read in the order of the ids.
func (b branch) walk() branch {
	b.where = b.walked
	return b
}

// count counts the branch's tasks with an id from first to last, up to so many.
func (b branch) count(ctx context.Context, tx *sql.Tx, first, last int64, most int) (total int, err error) {
	if b.walked == "" {
		// In this order it ends soon where the filter asks for what is new.
		return b.countUp(ctx, tx, first, last, most, ` ORDER BY `+b.order+` DESC`)
	}
	if last >= newest {
		if last, err = newestID(ctx, tx); err != nil {
			return 0, err
		}
	}
	from := max(first, last-stretches[0]+1)
	if total, err = b.walk().countUp(ctx, tx, from, last, most, ""); err != nil || from <= first || total == most {
		return total, err
	}
	order := ""
	if float64(total) >= worthWalking*float64(last-from+1) {
		b, order = b.walk(), ` ORDER BY `+b.order+` DESC`
	}
	rest, err := b.countUp(ctx, tx, first, from-1, most-total, order)
	return total + rest, err
}

// often reports whether a source without an order has so many of the newest tasks that
// to read its index takes longer than to look at the tasks of any other source.
func (c *choice) often(ctx context.Context, tx *sql.Tx, s source) (bool, error) {
	if s.walked == "" {
		return false, nil
	}
	last, err := newestID(ctx, tx)
	if err != nil {
		return false, err
	}
	walk := choice{args: slices.Clip(c.args)}
	n, err := count(ctx, tx, `SELECT 1 FROM `+s.from+` WHERE `+s.walked+walk.ids(s.id, last-stretches[0]+1, last), walk.args)
	return float64(n) >= worthWalking*float64(stretches[0]), err
}

// newestID returns an id that no task of the gallery is behind.
func newestID(ctx context.Context, tx *sql.Tx) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM gallery`).Scan(&id)
	return id, err
}
