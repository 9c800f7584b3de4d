package handlers

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	createview "dailies/views/create"
	"dailies/views/part"
)

// Bounds of looking at the pictures of a batch: so many at one time, and so
// long for all of them.
const (
	batchLooks    = 4
	batchPatience = 20 * time.Second
)

// checkBatch holds each row against the rules of a video, and looks at the
// pictures.
func (a *App) checkBatch(r *http.Request, b *batch) error {
	b.Price = a.recipePrice(r, b.Recipe)
	seen := map[string]int{}
	for i := range b.Rows {
		row := &b.Rows[i]
		row.Form = row.form(a.Catalog)
		if err := a.settlePictures(r.Context(), &row.Form); err != nil {
			return err
		}
		if row.Skip {
			continue
		}
		row.Errors = row.check(row.Form)
		what := row.values().Encode()
		if first, again := seen[what]; again {
			row.Hints = append(row.Hints, fmt.Sprintf("The same as row %d.", first))
		} else {
			seen[what] = i + 1
		}
	}
	a.lookAtBatch(r.Context(), b)
	return nil
}

// lookAtBatch looks at each picture of the batch once. One that will not do is
// a message in its rows; one that is only slow, or that there was no time for,
// is a hint.
func (a *App) lookAtBatch(ctx context.Context, b *batch) {
	notes := a.judgeAll(ctx, b)
	for i := range b.Rows {
		row := &b.Rows[i]
		if row.Skip || row.Errors != nil {
			continue
		}
		errs := part.Errors{}
		for field, address := range row.Form.pictureFields() {
			switch note := notes[address]; {
			case !note.Bad || note.Unknown && a.Sandbox == nil:
			case note.Slow:
				row.Hints = append(row.Hints, "A picture is very slow to come: "+address)
			default:
				errs[field] = note.Text
			}
		}
		row.Errors = row.place(errs)
	}
}

// judgeAll is what is found at each address of the rows that will do so far.
func (a *App) judgeAll(ctx context.Context, b *batch) map[string]createview.PictureNote {
	ctx, cancel := context.WithTimeout(ctx, batchPatience)
	defer cancel()
	var mu sync.Mutex
	var looks errgroup.Group
	looks.SetLimit(batchLooks)
	notes := map[string]createview.PictureNote{}
	for _, address := range b.addresses() {
		looks.Go(func() error {
			note := a.judge(ctx, address)
			mu.Lock()
			defer mu.Unlock()
			notes[address] = note
			return nil
		})
	}
	_ = looks.Wait() // none of them fails
	return notes
}

// addresses are the pictures of the rows that will do so far, each once.
func (b batch) addresses() []string {
	var all []string
	seen := map[string]bool{}
	for _, row := range b.Rows {
		if row.Skip || row.Errors != nil {
			continue
		}
		for _, address := range row.Form.pictures() {
			if !seen[address] {
				seen[address] = true
				all = append(all, address)
			}
		}
	}
	return all
}
