package library

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/views/input"
	"dailies/views/part"
)

// A TaskPage holds everything that the page of one video shows.
type TaskPage struct {
	Card    part.Card
	Still   bool        // the video waits to be played
	Answers []db.Answer // the service's raw answers, for the maker only
	// MayDelete means that the viewer may move it to the bin and restore it.
	MayDelete  bool
	Tags       []string // the team's tags, to choose from
	TitleError string   // why the typed title is invalid
	Way        Way

	Collections CollectionPart

	Story     []db.Task        // the storyline that it belongs to, itself included
	Uploads   bool             // the service can fetch pictures that are uploaded here
	NextError string           // why the picture for the next scene is invalid
	Recipe    *ordering.Recipe // the recipe that it was made with; nil for none

	Lineage Lineage
	Takes   Takes

	Talk     part.Talk
	Writing  bool           // the form for a note is asked for
	NoteForm *part.NoteForm // what was typed into the form for a note, if it is not valid
}

// A Way says where the video is in the gallery from which the viewer came, with
// the filter used there.
type Way struct {
	gallery.Place
	Most   int    // largest number that is exact; see gallery.Filter.MostCounted
	Filter string // the gallery's query; empty for the plain gallery
}

// place says which of how many videos it is; empty if the filter excludes it.
func (w Way) place() string {
	most := func(n int) string {
		if n > w.Most {
			return part.Number(w.Most) + "+"
		}
		return part.Number(n)
	}
	if w.Position == 0 {
		return ""
	}
	return fmt.Sprintf("%s of %s", most(w.Position), most(w.Total))
}

// to returns the address of another video's page, with the same filter.
func (w Way) to(id int64) string { return withQuery(part.TaskPath(id), w.Filter) }

// gallery returns the address of the gallery, scrolled to the video.
func (p TaskPage) gallery() string {
	query := "through=" + strconv.FormatInt(p.Card.Task.ID, 10)
	if p.Way.Filter != "" {
		query = p.Way.Filter + "&" + query
	}
	return "/gallery?" + query + "#" + p.Card.ID("task")
}

// WithAnswers is the field of the query that asks for the service's raw answers.
const WithAnswers = "answers"

// answers returns the address of this page with the service's raw answers.
func (p TaskPage) answers() string {
	address := p.here()
	if p.Way.Filter == "" {
		return address + "?" + WithAnswers + "#answers"
	}
	return address + "&" + WithAnswers + "#answers"
}

// here returns the address of this page, with the filter.
func (p TaskPage) here() string { return p.Way.to(p.Card.Task.ID) }

func withQuery(path, query string) string {
	if query == "" {
		return path
	}
	return path + "?" + query
}

// TaskStatus shows taskStatus, which polls only while the task can still change.
func TaskStatus(p TaskPage) templ.Component {
	if !p.Card.Live() {
		return taskStatus(p)
	}
	return part.Polled(taskStatus(p))
}

// statusPath returns the address from which taskStatus refreshes itself.
func (p TaskPage) statusPath() string {
	address := withQuery(p.Card.Path()+"/status", p.Way.Filter)
	if p.Way.Filter == "" {
		return address + "?" + part.Unseen
	}
	return address + "&" + part.Unseen
}

// answerName names the request that the service answered.
func answerName(a db.Answer) string {
	switch create := a.Call == "create"; {
	case create && a.Status != "":
		return fmt.Sprintf("Create request: %s", a.Status)
	case create:
		return "Create request"
	case a.Status != "":
		return fmt.Sprintf("Status check: %s", a.Status)
	}
	return "Status check"
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
func (p TaskPage) hasNext() bool { return p.Card.Task.Playable() }

// NewTitle returns the field with the title of a video.
func NewTitle(title string) input.Text {
	return input.Text{Field: input.Field{Name: "title", Value: title}, Most: db.MaxTitle, Long: LongTitle}
}

// The sentences about a title that is too long, and one that nobody can see.
const (
	LongTitle  = "A title has 120 letters at most. This one has %d."
	BlankTitle = "Use letters people can see."
)

// titleErrors returns the attributes that mark the title's field as invalid.
func (p TaskPage) titleErrors() templ.Attributes {
	if p.TitleError == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "video-title-error"}
}

// stackErrors returns the attributes that mark the field for another video as invalid.
func (p TaskPage) stackErrors() templ.Attributes {
	if p.Takes.Error == "" {
		return nil
	}
	return templ.Attributes{"aria-invalid": "true", "aria-describedby": "stack-error", "autofocus": true}
}

// longWords is the number of characters above which a prompt is shortened until
// the user expands it.
const longWords = 600

// fileKind names the type of a kept file, such as "WebM".
func fileKind(m db.Media) string {
	_, kind, _ := strings.Cut(m.Type, "/")
	switch kind {
	case "webm":
		return "WebM"
	case "quicktime":
		return "MOV"
	case "x-matroska":
		return "MKV"
	case "mp2t":
		return "TS"
	}
	return strings.ToUpper(kind)
}

// marksOf says which marks of its origin a file carries, and nothing if nobody has looked.
func marksOf(m db.Media) (found []string) {
	switch {
	case m.Marks.Has(db.LabelMark) && m.ServedHash != "":
		found = append(found, "AI label of your team")
	case m.Marks.Has(db.LabelMark):
		found = append(found, "AI label of the service")
	}
	if m.Marks.Has(db.CredentialsMark) {
		found = append(found, "Content Credentials found, not checked")
	}
	if m.Marks.Has(db.NoMarks) {
		found = append(found, "None found")
	}
	return found
}

// binned reports whether the video is in the bin.
func (p TaskPage) binned() bool { return !p.Card.Task.DeletedAt.IsZero() }
