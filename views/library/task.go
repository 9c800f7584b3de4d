package library

import (
	"bytes"
	"encoding/json"

	"dailies/db"
	"dailies/views/part"
)

// A TaskPage holds everything that the page of one video shows.
type TaskPage struct {
	Card    part.Card
	Answers []db.Answer // the service's own words, folded away; the maker's only
	// MayDelete says that the viewer may put it into the bin, and take it out.
	MayDelete bool
	Tags      []string // that the team uses, to choose from

	Collections CollectionPart
	Share       SharePart

	Story     []db.Task  // the storyline that it belongs to, itself among them
	Uploads   bool       // the service can fetch what is uploaded here
	NextError string     // why the picture of the next scene will not do
	Recipe    *db.Recipe // it was made with; nil for none

	Lineage Lineage
}

func (p TaskPage) statusPath() string { return p.Card.Path() + "/status" }

// answerName says to which request the service gave the answer.
func answerName(a db.Answer) string {
	name := "Answer to the question how it stands"
	if a.Call == "create" {
		name = "Answer to the request to make it"
	}
	if a.Status != "" {
		name += ": " + a.Status
	}
	return name
}

// Pretty indents JSON; any other text stays as it is.
func Pretty(body string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(body), "", "  ") != nil {
		return body
	}
	return out.String()
}

// hasNext reports whether a next scene can be made from the video.
func (p TaskPage) hasNext() bool {
	return p.Card.Task.Playable()
}
