package site

import (
	"cmp"
	"context"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/web/videoapi"
)

// History tells what earlier videos took and cost. It remembers both until another video
// has finished or was charged for, in whichever process.
type History struct {
	catalog   *videoapi.Catalog
	registry  *service.Registry
	tasks     *video.Tasks
	versions  func(context.Context, string) (schedule.Versions, error)
	usual     Versioned[kind, schedule.Usual]
	estimates Versioned[kind, ordering.Estimate]
}

// A kind is what the usual time and the price of a video depend on.
type kind struct {
	service      int64
	model, scene string
	duration     int
	resolution   string
	sound        string // on, off, or empty if it is left to the service
}

// Usual returns how long videos of the task's kind take: what the past ones took or, while
// these are too few, what is stated about the model. The versions, if they are not nil,
// must have been read for this request.
func (h *History) Usual(ctx context.Context, v schedule.Versions, t db.Task) (schedule.Usual, error) {
	v, err := h.current(ctx, v)
	if err != nil {
		return schedule.Usual{}, err
	}
	k := h.kindOf(t)
	k.sound = ""
	return h.usual.Get(k, v[schedule.UsualVersion], func() (schedule.Usual, error) {
		usual, err := h.tasks.Usual(ctx, t)
		if err == nil && !usual.Measured() {
			return h.stated(k), nil
		}
		return usual, err
	})
}

// stated returns the usual time that the catalogue states for the model. Practice mode does
// not run the models, and has a usual time of its own.
func (h *History) stated(k kind) schedule.Usual {
	if h.registry.IsOfPractice(k.service) {
		return schedule.Stated(sandboxSoon, sandboxLate)
	}
	about, _ := h.catalog.Model(k.model)
	return schedule.Stated(about.UsualTime())
}

// Estimate returns what the task is likely to cost. The versions are as for Usual.
func (h *History) Estimate(ctx context.Context, v schedule.Versions, t db.Task) (ordering.Estimate, error) {
	v, err := h.current(ctx, v)
	if err != nil {
		return ordering.Estimate{}, err
	}
	return h.estimates.Get(h.kindOf(t), v[schedule.PriceVersion(t.Model)], func() (ordering.Estimate, error) {
		return h.tasks.Estimate(ctx, t)
	})
}

// current returns v, or reads the versions if it is nil.
func (h *History) current(ctx context.Context, v schedule.Versions) (schedule.Versions, error) {
	if v != nil {
		return v, nil
	}
	return h.versions(ctx, "")
}

func (h *History) kindOf(t db.Task) kind {
	o := t.Options
	k := kind{
		service: cmp.Or(t.ServiceID, h.registry.Current().ID), model: t.Model, scene: t.Scene,
		duration: o.Duration, resolution: o.Resolution,
	}
	switch {
	case o.Audio == nil:
	case *o.Audio:
		k.sound = "on"
	default:
		k.sound = "off"
	}
	return k
}
