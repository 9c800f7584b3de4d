package backup

import (
	"fmt"
	"strings"
	"time"

	"dailies/db"
)

// A recipe is how a video was made, for people and their programs. The fields
// of the request bear the service's names.
type recipe struct {
	ID       int64      `json:"id"` // the video's number
	Scene    string     `json:"scene"`
	Model    string     `json:"model"`
	Prompt   string     `json:"prompt"`
	Provider string     `json:"provider,omitempty"`
	Pictures []string   `json:"pictures,omitempty"`
	Options  db.Options `json:"options"`

	MadeBy  string     `json:"made_by"`
	AskedAt time.Time  `json:"asked_at"`
	SentAt  *time.Time `json:"sent_at,omitempty"`
	DoneAt  *time.Time `json:"done_at,omitempty"`

	QuotedCredits   *float64 `json:"quoted_credits,omitempty"`
	CostCredits     *float64 `json:"cost_credits,omitempty"`
	ReturnedCredits *float64 `json:"returned_credits,omitempty"`

	ServiceID  string       `json:"service_id,omitempty"`
	ProviderID string       `json:"provider_id,omitempty"`
	Addresses  []string     `json:"addresses,omitempty"` // where the service had it
	Files      []recipeFile `json:"files,omitempty"`
}

type recipeFile struct {
	Kind   string `json:"kind"`
	Name   string `json:"name,omitempty"` // beside the recipe; empty if the file was missing
	Type   string `json:"type"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

func recipeOf(t db.Task) recipe {
	r := recipe{
		ID: t.ID, Scene: t.Scene, Model: t.Model, Prompt: t.Prompt, Provider: t.Provider, Pictures: t.Pictures, Options: t.Options,
		MadeBy: t.UserName, AskedAt: t.CreatedAt, SentAt: moment(t.SentAt), DoneAt: moment(t.DoneAt),
		QuotedCredits: credits(t.Quoted), CostCredits: credits(t.Charged), ReturnedCredits: credits(t.Returned),
		ServiceID: t.RemoteID, ProviderID: t.UpstreamID,
	}
	for _, result := range t.Results {
		if result.Kind == db.Video {
			r.Addresses = append(r.Addresses, result.URL)
		}
	}
	return r
}

func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func credits(c db.Credits) *float64 {
	if !c.Known {
		return nil
	}
	return &c.Amount
}

// fileName is the number of the video, and what tells its files apart.
func fileName(m db.Media) string {
	name := fmt.Sprint(m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	if m.Kind != db.Video {
		name += "-cover"
	}
	return name + "." + ending(m.Type)
}

// ending is what the name of a file of the MIME type ends in.
func ending(kind string) string {
	for _, known := range []struct{ kind, ending string }{
		{"video/webm", "webm"}, {"video/mp4", "mp4"}, {"video/quicktime", "mov"},
		{"image/jpeg", "jpg"}, {"image/png", "png"}, {"image/webp", "webp"}, {"image/gif", "gif"},
	} {
		if kind == known.kind {
			return known.ending
		}
	}
	return "bin"
}

// readme is for whoever finds the file without the program.
var readme = strings.TrimLeft(`
This is a backup of a Dailies.

    dailies restore FILE -data FOLDER

makes a data folder of it. The videos lie in videos/, each beside a .json file
that says how it was made; pictures that people uploaded lie in pictures/.
"sha256sum -c SHA256SUMS" checks all files.

The secret that opens the API keys is not in here. Put the file "secret" of the
old data folder into the new one, or let everybody enter their key again.
`, "\n")
