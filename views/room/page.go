// Package room shows what people without an account see: the page behind a link, the form
// for its password, and that it has ended.
package room

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/views/part"
)

// Path returns the path of the page of the link with the token.
func Path(token string) string { return "/share/" + token }

// MediaPath returns the path of a file that the link with the token shows.
func MediaPath(token string, id int64) string { return fmt.Sprintf("%s/media/%d", Path(token), id) }

// A Page holds everything that guests see.
type Page struct {
	House
	Path     string // of the page
	Title    string // of the link
	Welcome  string // of the link
	Name     string // of the collection
	Note     string // of the collection
	Of       gallery.Of
	Locked   bool // the link has a password
	Download bool // guests may download the videos
	Clips    []Clip
	Total    int                 // how many videos the link shows; 0 for as many as Clips
	From     int                 // how many of them come before Clips
	Last     int64               // the video with which Clips ends, if others come after it; otherwise 0
	Files    []gallery.ShownFile // of a collection: those of all its videos and takes
	Takes    [][]Clip            // of each clip: its takes, the oldest first; none if it has no others
	Compared [2]int              // the takes of the clip At that are compared
	At       int                 // the clip that the page begins with
	Address  string              // absolute URL of the page
	Preview  Preview
	Talk     part.Talk // about the clip that the page begins with
	Verdict  *Verdict  // nil if guests do not decide
}

// A Verdict is the form for what a guest decides about a video.
type Verdict struct {
	Path     string // where it is sent
	Ask      string // the page of the video, where the form begins
	TaskID   int64
	About    string         // the name of the scene; empty if there is only one
	Given    review.Verdict // zero if the guest has not decided
	Step     Step
	Names    bool          // the guest has to give a name
	Newcomer string        // sent with the name, so that a form that is sent twice adds one guest
	Emails   bool          // the guest can give an address for mails
	Composed bool          // the page has the form for notes: what was typed there goes along without script
	Form     part.NoteForm // what was typed, and what is wrong with it
}

// A Step says which part of the form is shown.
type Step string

// The steps. Any other value stands for FirstStep.
const (
	FirstStep Step = ""         // what the guest has decided, or the question
	Again     Step = "again"    // the question, although they have decided
	Approving Step = "approved" // the name of the guest who approves
)

// The sentences about an answer that cannot be taken.
const (
	NoAnswer  = "Choose one of the two."
	NoChanges = "Say what should change."
)

// given says what the guest has decided, and who was told.
func (v Verdict) given(h House) string {
	maker := h.maker()
	switch {
	case v.Given.Answer == review.Approved && maker != "":
		return fmt.Sprintf("You approved this. %s has been told.", maker)
	case v.Given.Answer == review.Approved:
		return "You approved this"
	case maker != "":
		return fmt.Sprintf("You asked for changes. %s has been told.", maker)
	}
	return "You asked for changes"
}

// approves reports whether the form asks for what goes with an approval: the name of the guest,
// and the words that they had typed.
func (v Verdict) approves() bool { return v.Step == Approving && (v.Names || v.Form.Body != "") }

// goesAlong makes a button send the form for notes, where the page has it; otherwise the button
// gets another page.
func (v Verdict) goesAlong() templ.Attributes {
	if v.Composed {
		return templ.Attributes{"form": "note-form"}
	}
	return templ.Attributes{"formmethod": "get"}
}

// asks makes a script ask for the name of a guest who approves.
func (v Verdict) asks() templ.Attributes {
	if v.Names {
		return templ.Attributes{"data-answer-step": string(v.at(Approving))}
	}
	return nil
}

// isGiven reports whether the form shows what the guest has decided.
func (v Verdict) isGiven() bool { return v.Given.Answer != "" && v.Step != Again && !v.approves() }

// at returns the address of the page with a step of the form.
func (v Verdict) at(s Step) templ.SafeURL {
	q := url.Values{"task": {strconv.FormatInt(v.TaskID, 10)}}
	if s != FirstStep {
		q.Set("answer", string(s))
	}
	return templ.SafeURL(v.Ask + "?" + q.Encode() + "#verdict")
}

// Mark returns a text that is different for pages that show something else.
func (p Page) Mark() string {
	sum := sha256.New()
	parts := []any{p.Title, p.Welcome, p.Name, p.Note, p.Sender, p.Maker, p.Style, p.Download, p.until(), p.Quiet}
	if p.Of == gallery.OfCollection {
		parts = append(parts, p.Files)
	}
	for i, c := range p.Clips {
		if p.Of == gallery.OfCollection {
			break
		}
		if i < len(p.Takes) && len(p.Takes[i]) > 0 {
			for _, take := range p.Takes[i] {
				parts = append(parts, take.ID, take.Hash, take.First, take.Last)
			}
			continue
		}
		parts = append(parts, c.ID, c.Hash, c.First, c.Last)
	}
	fmt.Fprintf(sum, "%q", parts)
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// A Preview holds what other programs, such as messengers, show for the
// link.
type Preview struct {
	Image, ImageType string // absolute URL and MIME type; empty without a picture
	Width, Height    int    // in pixels, 0 if not known
	Video, VideoType string // absolute URL and MIME type; empty unless the link shows one video
}

// description returns the text that other programs show below the title of the
// link.
func (p Page) description() string {
	if p.Quiet {
		return p.plainDescription()
	}
	switch {
	case p.Of == gallery.OfStory:
		return "A film, made with AI"
	case p.Of == gallery.OfCollection && len(p.Clips) == 0:
		return "Videos, made with AI"
	case p.Of == gallery.OfCollection && p.total() == 1:
		return "One video, made with AI"
	case p.Of == gallery.OfCollection:
		return fmt.Sprintf("%d videos, made with AI", p.total())
	}
	return "A video, made with AI"
}

// plainDescription is a description that does not say how the videos were made.
func (p Page) plainDescription() string {
	switch {
	case p.Of == gallery.OfStory:
		return "A film"
	case p.Of == gallery.OfCollection && len(p.Clips) == 0:
		return "Videos"
	case p.Of == gallery.OfCollection:
		return part.Plural(p.total(), "%s video", "%s videos")
	}
	return "A video"
}

// kind returns the page's Open Graph type.
func (p Page) kind() string {
	if p.Of == gallery.OfCollection {
		return "website"
	}
	return "video.other"
}

// card returns the page's Twitter card type.
func (p Page) card() string {
	if p.Preview.Image == "" {
		return "summary"
	}
	return "summary_large_image"
}

// heading returns the link's title, or else the collection's name, or a default that says
// who sent it. What a video is called here is not said.
func (p Page) heading() string {
	usual := "A video for you"
	switch {
	case p.Of == gallery.OfStory && p.Sender != "":
		usual = fmt.Sprintf("A film from %s", naming.Isolated(p.Sender))
	case p.Of == gallery.OfStory:
		usual = "A film for you"
	case p.Of == gallery.OfCollection && p.Sender != "":
		usual = fmt.Sprintf("Videos from %s", naming.Isolated(p.Sender))
	case p.Of == gallery.OfCollection:
		usual = "Videos for you"
	case p.Sender != "":
		usual = fmt.Sprintf("A video from %s", naming.Isolated(p.Sender))
	}
	return cmp.Or(p.Title, p.Name, usual)
}

// from says who sent what the link shows; empty if guests are not told.
func (p Page) from() string {
	maker, sender := naming.Isolated(p.Maker), naming.Isolated(p.Sender)
	says := map[gallery.Of][2]string{
		gallery.OfVideo:      {"%s sent you a video", "%s from %s sent you a video"},
		gallery.OfStory:      {"%s sent you a film", "%s from %s sent you a film"},
		gallery.OfCollection: {"%s sent you these videos", "%s from %s sent you these videos"},
	}[p.Of]
	switch {
	case maker != "" && sender != "":
		return fmt.Sprintf(says[1], maker, sender)
	case maker != "" || sender != "":
		return fmt.Sprintf(says[0], cmp.Or(maker, sender))
	}
	return ""
}

// title returns the title of the document.
func (p Page) title() string {
	if p.Sender == "" {
		return p.heading()
	}
	return fmt.Sprintf("%s · %s", naming.Isolated(p.heading()), naming.Isolated(p.Sender))
}

// site returns the name under which other programs show the link.
func (p Page) site() string { return cmp.Or(p.Sender, "Dailies") }

// lockedHeading is the heading of the form for the password.
func (p Page) lockedHeading() string {
	name := naming.Isolated(cmp.Or(p.Sender, p.Maker))
	switch {
	case name == "":
		return p.heading()
	case p.Of == gallery.OfStory:
		return fmt.Sprintf("%s sent you a film", name)
	case p.Of == gallery.OfCollection:
		return fmt.Sprintf("%s sent you videos", name)
	}
	return fmt.Sprintf("%s sent you a video", name)
}

// lockedHint says where the password comes from.
func (p Page) lockedHint() string {
	if p.Maker == "" {
		return "Enter the password you were given."
	}
	return fmt.Sprintf("Enter the password from %s.", naming.Isolated(p.Maker))
}

// several reports whether the page has a list of videos.
func (p Page) several() bool { return p.total() > 1 }

func (p Page) total() int { return max(p.Total, len(p.Clips)) }

// isWhole reports whether all videos are on the page.
func (p Page) isWhole() bool { return len(p.Clips) == p.total() }

// next returns the address of the page with the videos after the clips.
func (p Page) next() string { return p.Path + "?after=" + strconv.FormatInt(p.Last, 10) }

func (p Page) current() Clip { return p.Clips[p.At] }

// CurrentName returns the name of the scene that the page begins with; empty if the page is
// not about several scenes.
func (p Page) CurrentName() string {
	if p.Of != gallery.OfStory || !p.several() {
		return ""
	}
	return p.name(p.At)
}

// Current returns the clip that the page begins with.
func (p Page) Current() Clip { return p.current() }

// name returns the name of one of the page's clips.
func (p Page) name(i int) string {
	switch p.Of {
	case gallery.OfVideo:
		return p.heading()
	case gallery.OfStory:
		return fmt.Sprintf("Scene %d of %d", i+1, p.total())
	}
	return fmt.Sprintf("Video %d of %d", p.From+i+1, p.total())
}

// listName names the list of videos.
func (p Page) listName() string {
	if p.Of == gallery.OfStory {
		return "The scenes"
	}
	return "The videos"
}

// Start chooses the clip, or take of one, whose file has the ID as the one that the page begins
// with.
func (p *Page) Start(id string) { p.start(func(c Clip) bool { return c.ID == id }) }

// Add adds a clip with its takes, of which it is one.
func (p *Page) Add(c Clip, takes []Clip) {
	p.Clips, p.Takes = append(p.Clips, c), append(p.Takes, takes)
}

// StartWith chooses the clip of the video, or of a take of it, as the one that the page begins
// with.
func (p *Page) StartWith(taskID int64) {
	p.start(func(c Clip) bool { return c.TaskID == taskID })
}

func (p *Page) start(is func(Clip) bool) {
	p.At = max(0, slices.IndexFunc(p.Clips, is))
	for i, takes := range p.Takes {
		if n := slices.IndexFunc(takes, is); n >= 0 {
			p.At, p.Clips[i] = i, takes[n]
		}
	}
}

// answered returns what the guest has decided; empty if they have not. A script compares it with
// what another tab has sent meanwhile.
func (p Page) answered() string {
	if p.Verdict == nil {
		return ""
	}
	return string(p.Verdict.Given.Answer)
}

// question asks for the guest's answer.
func (p Page) question() string {
	if n, of := p.take(); of > 1 {
		return fmt.Sprintf("Is take %d the one?", n+1)
	}
	return "Is this the one?"
}

// isAlone reports whether nothing stands beside the video.
func (p Page) isAlone() bool {
	return !p.Talk.Writes && (!p.several() || p.Of == gallery.OfStory)
}
