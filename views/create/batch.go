package create

import (
	"fmt"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/part"
)

// Made holds the videos that were ordered together.
type Made struct {
	Batch  string
	Recipe *ordering.Recipe // nil if they were made without a recipe
	Cards  []part.Card
}

// batchPath returns the path of the page of videos that were ordered together.
func batchPath(batch string) string { return "/batches/" + url.PathEscape(batch) }

// batchState says how many of the videos that were ordered together are done.
func batchState(b gallery.Batch) string {
	done := b.Videos - b.Running
	if failed := done - b.Ready; failed > 0 {
		return part.Plural(b.Videos, "%[2]d of %[1]s video done, %[3]d failed", "%[2]d of %[1]s videos done, %[3]d failed", done, failed)
	}
	return part.Plural(b.Videos, "%[2]d of %[1]s video done", "%[2]d of %[1]s videos done", done)
}

// Live reports whether the fragment should refresh itself.
func (m Made) Live() bool { return Latest{Cards: m.Cards}.Live() }

// MadePart shows the progress of the videos. It refreshes itself while one of them is
// running.
func MadePart(m Made) templ.Component {
	if !m.Live() {
		return madePart(m)
	}
	return part.Polled(madePart(m))
}

// name names the batch.
func (m Made) name() string {
	if m.Recipe == nil {
		return part.Plural(len(m.Cards), "Batch: %s video", "Batch: %s videos")
	}
	return part.Plural(len(m.Cards), "Batch: %[2]s, %[1]s video", "Batch: %[2]s, %[1]s videos", naming.Isolated(m.Recipe.Name))
}

// done counts the videos that have ended, successfully or not.
func (m Made) done() int { return len(m.Cards) - Latest{Cards: m.Cards}.running() }

// ready lists the IDs of the finished videos.
func (m Made) ready() (ids []string) {
	for _, c := range m.Cards {
		if _, ok := c.Task.Video(); ok {
			ids = append(ids, strconv.FormatInt(c.Task.ID, 10))
		}
	}
	return ids
}

// paid says what the videos cost so far.
func (m Made) paid() string {
	sum := 0.0
	for _, c := range m.Cards {
		if c.Task.Charged.Known {
			sum += c.Task.Charged.Amount
		}
		if c.Task.Returned.Known {
			sum -= c.Task.Returned.Amount
		}
	}
	return fmt.Sprintf("%s paid so far", part.Amount(sum))
}

func (m Made) said() string {
	return part.Plural(len(m.Cards), "%[2]d of %[1]s video done", "%[2]d of %[1]s videos done", m.done())
}
