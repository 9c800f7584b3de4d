package views

import (
	"strconv"

	"dailies/db"
	"dailies/web/videoapi"
)

// A fact is one line of a list of labels and values.
type fact struct{ Label, Value string }

// chosen lists what was chosen for the task, in words.
func chosen(c Card) []fact {
	o := c.Task.Options
	facts := []fact{
		{"Scene", SceneName(videoapi.Scene(c.Task.Scene))},
		{"Model", c.ModelName},
	}
	add := func(label, value string) {
		if value != "" {
			facts = append(facts, fact{label, value})
		}
	}
	if o.Duration > 0 {
		add("Length", strconv.Itoa(o.Duration)+" s")
	}
	add("Shape", o.AspectRatio)
	add("Resolution", o.Resolution)
	add("Sound", choice(o.Audio, "With sound", "Silent"))
	add("Camera", choice(o.CameraFixed, "Held still", "Free to move"))
	if o.Seed != nil {
		add("Seed", seedWords(*o.Seed))
	}
	add("Safety check", choice(o.SafetyChecker, "On", "Off"))
	add("Provider", c.Task.Provider)
	return facts
}

func choice(b *bool, yes, no string) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return yes
	}
	return no
}

func seedWords(seed int64) string {
	if seed < 0 {
		return "Random"
	}
	return strconv.FormatInt(seed, 10)
}

// timeline lists what happened to the task and when.
func timeline(t db.Task) []moment {
	var moments []moment
	for _, m := range []moment{
		{"Asked for", t.CreatedAt},
		{"Sent to the service", t.SentAt},
		{"The service took it", t.AcceptedAt},
		{ended(t.State), t.DoneAt},
		{"Credits returned", t.ReturnedAt},
		{"Decided", t.DecidedAt},
	} {
		if !m.At.IsZero() {
			moments = append(moments, m)
		}
	}
	return moments
}

func ended(s db.State) string {
	switch s {
	case db.Success:
		return "Ready"
	case db.Failed:
		return "Ended without a video"
	case db.Canceled:
		return "Stopped by the service"
	case db.Rejected:
		return "Turned away"
	case db.Unconfirmed:
		return "The answer got lost"
	}
	return "Ended"
}

// paid is what the service took for the task.
func paid(t db.Task) string {
	switch {
	case t.Charged.Known:
		return Credits(t.Charged)
	case t.State == db.Rejected:
		return "nothing"
	case t.State == db.Queued || t.State == db.Sending:
		return "nothing yet"
	case t.State == db.Unconfirmed:
		return "not certain"
	}
	return "not known"
}
