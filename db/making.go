package db

import (
	"encoding/json"
	"time"
)

// MakingVersion is the version of the form in which a Making is written.
const MakingVersion = 1

// A Making says how a video was made, for people and their programs: it lies as
// JSON beside a video that is downloaded, or in a backup. Fields stand in this
// order; the ones of the request bear the service's names. What is not known is
// null.
type Making struct {
	Version  int      `json:"version"`
	ID       int64    `json:"id"` // the video's number
	Scene    string   `json:"scene"`
	Model    string   `json:"model"`
	Prompt   string   `json:"prompt"`
	Title    string   `json:"title,omitempty"`
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

	// The rest of the receipt, which is in backups alone.
	SentAt          *time.Time `json:"sent_at,omitempty"`
	QuotedCredits   *float64   `json:"quoted_credits,omitempty"`
	ReturnedCredits *float64   `json:"returned_credits,omitempty"`
	ServiceID       string     `json:"service_id,omitempty"`
	ProviderID      string     `json:"provider_id,omitempty"`
	Addresses       []string   `json:"addresses,omitempty"` // where the service had the videos
}

// An Origin is the video that another one was made from.
type Origin struct {
	ID   int64 `json:"id"`
	Took Reuse `json:"took"` // what of it
}

// A MadeFile is one file as it is kept: of a video, and in backups of its cover
// too.
type MadeFile struct {
	Kind   MediaKind `json:"kind,omitempty"` // in backups alone
	Name   string    `json:"name,omitempty"` // beside the JSON; empty if the file is missing
	Type   string    `json:"type"`
	Bytes  int64     `json:"bytes"`
	SHA256 string    `json:"sha256"`
}

// MakingOf returns how the task was made. SeesParent says that whoever gets it may
// see the task that this one was made from.
func MakingOf(t Task, seesParent bool) Making {
	m := Making{
		Version: MakingVersion, ID: t.ID, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Title: t.Title, Provider: t.Provider, Options: t.Options,
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

// WholeMakingOf is MakingOf for a backup: with the parent, the whole receipt, and
// the files that it has there.
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

// UnmarshalJSON implements json.Unmarshaler. It also takes the form that lay in
// the backups of an earlier version: that named the pictures differently, and
// had no version.
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
