package db

import (
	"encoding/json"
	"time"
)

// MakingVersion is the version of Making's JSON format.
const MakingVersion = 1

// A Making says how a video was made, for people and their programs. It is written
// as JSON beside a downloaded video, or in a backup. The fields are written in this
// order; those of the request have the service's names. Unknown values are null.
type Making struct {
	Version  int      `json:"version"`
	ID       int64    `json:"id"` // the video's number
	Scene    string   `json:"scene"`
	Model    string   `json:"model"`
	Prompt   string   `json:"prompt"`
	Title    string   `json:"title,omitempty"`
	Pictures []string `json:"image_input"`
	Provider string   `json:"provider,omitempty"`
	Options  Options  `json:"options"` // as requested, including the seed

	MadeBy      string     `json:"made_by"`
	AskedAt     time.Time  `json:"asked_at"`
	DoneAt      *time.Time `json:"done_at"`
	CostCredits *float64   `json:"cost_credits"`
	MadeFrom    *Origin    `json:"made_from"` // null if there is none, or none that the recipient may see
	Tags        []string   `json:"tags"`
	Files       []MadeFile `json:"files"`

	// The rest of the receipt, only in backups.
	SentAt          *time.Time `json:"sent_at,omitempty"`
	QuotedCredits   *float64   `json:"quoted_credits,omitempty"`
	ReturnedCredits *float64   `json:"returned_credits,omitempty"`
	ServiceID       string     `json:"service_id,omitempty"`
	ProviderID      string     `json:"provider_id,omitempty"`
	Addresses       []string   `json:"addresses,omitempty"` // the service's addresses of the videos
}

// An Origin is the video that another one was made from.
type Origin struct {
	ID   int64 `json:"id"`
	Took Reuse `json:"took"` // what the new video took over
}

// A MadeFile describes one stored file: a video or, in backups, also its cover.
type MadeFile struct {
	Kind   MediaKind `json:"kind,omitempty"` // only in backups
	Name   string    `json:"name,omitempty"` // name of the file beside the JSON; empty if the file is missing
	Type   string    `json:"type"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
}

// MakingOf returns how the task was made. SeesParent says that the recipient may
// see the task that this one was made from.
func MakingOf(t Task, seesParent bool) Making {
	m := Making{
		Version: MakingVersion, ID: t.ID, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Title: t.Title,
		Provider: t.Provider, Options: t.Options,
		Pictures: append([]string{}, t.Pictures...), Tags: append([]string{}, t.Tags...), Files: []MadeFile{},
		MadeBy: t.UserName, AskedAt: t.CreatedAt,
	}
	m.DoneAt, m.CostCredits = moment(t.DoneAt), amount(t.Charged)
	if t.ParentID != 0 && seesParent {
		m.MadeFrom = &Origin{t.ParentID, t.Reuse}
	}
	for _, file := range t.Media {
		if file.Kind == Video {
			m.Files = append(m.Files, MadeFile{Name: file.Name(t.Heading()), Type: file.Type, Bytes: file.Size, SHA256: file.Hash})
		}
	}
	return m
}

// WholeMakingOf is like MakingOf, but for a backup: it includes the parent, the
// whole receipt, and the given files, which are those in the backup.
func WholeMakingOf(t Task, files []MadeFile) Making {
	m := MakingOf(t, true)
	m.Files = append([]MadeFile{}, files...)
	m.SentAt, m.QuotedCredits, m.ReturnedCredits = moment(t.SentAt), amount(t.Quoted), amount(t.Returned)
	m.ServiceID, m.ProviderID = t.RemoteID, t.UpstreamID
	for _, result := range t.Results {
		if result.Kind == Video {
			m.Addresses = append(m.Addresses, result.URL)
		}
	}
	return m
}

// UnmarshalJSON implements json.Unmarshaler. It also accepts the format of earlier
// backups, which had another name for the pictures and no version.
func (m *Making) UnmarshalJSON(text []byte) error {
	type plain Making
	read := struct {
		*plain
		Earlier []string `json:"pictures"`
	}{plain: (*plain)(m)}
	if err := json.Unmarshal(text, &read); err != nil {
		return err
	}
	if m.Version == 0 {
		m.Version, m.Pictures = MakingVersion, append(m.Pictures, read.Earlier...)
	}
	return nil
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func amount(c Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}
