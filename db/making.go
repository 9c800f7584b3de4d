package db

import "time"

// MakingVersion is the version of the form in which a Making is written.
const MakingVersion = 1

// A Making says how a video was made, for people and their programs: it lies
// beside a downloaded video as JSON. Fields stand in this order; the ones of
// the request bear the service's names. What is not known is null.
type Making struct {
	Version  int      `json:"version"`
	ID       int64    `json:"id"` // the video's number
	Scene    string   `json:"scene"`
	Model    string   `json:"model"`
	Prompt   string   `json:"prompt"`
	Pictures []string `json:"image_input"`
	Provider string   `json:"provider,omitempty"`
	Options  Options  `json:"options"` // as they were asked for, the seed among them

	MadeBy      string     `json:"made_by"`
	AskedAt     time.Time  `json:"asked_at"`
	DoneAt      *time.Time `json:"done_at"`
	CostCredits *float64   `json:"cost_credits"`
	MadeFrom    *Origin    `json:"made_from"` // null where there is none, or none to be seen
	Tags        []string   `json:"tags"`
	Files       []MadeFile `json:"files"`
}

// An Origin is the video that another one was made from.
type Origin struct {
	ID   int64 `json:"id"`
	Took Bond  `json:"took"` // what of it
}

// A MadeFile is one video file as it is kept.
type MadeFile struct {
	Name   string `json:"name"` // beside the JSON
	Type   string `json:"type"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// MakingOf is how the task was made. SeesParent says that whoever gets it may
// see the task that this one was made from.
func MakingOf(t Task, seesParent bool) Making {
	m := Making{
		Version: MakingVersion, ID: t.ID, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Provider: t.Provider, Options: t.Options,
		Pictures: append([]string{}, t.Pictures...), Tags: append([]string{}, t.Tags...), Files: []MadeFile{},
		MadeBy: t.UserName, AskedAt: t.CreatedAt,
	}
	if !t.DoneAt.IsZero() {
		m.DoneAt = &t.DoneAt
	}
	if t.Charged.Known {
		m.CostCredits = &t.Charged.Amount
	}
	if t.ParentID != 0 && seesParent {
		m.MadeFrom = &Origin{t.ParentID, t.Bond}
	}
	for _, file := range t.Media {
		if file.Kind == Video {
			m.Files = append(m.Files, MadeFile{file.Name(t.Prompt), file.Type, file.Size, file.Hash})
		}
	}
	return m
}
