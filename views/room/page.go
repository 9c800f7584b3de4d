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
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/db/team"
	"dailies/views/part"
)

// Path returns the path of the page of the link with the token.
func Path(token string) string { return "/share/" + token }

// MediaPath returns the path of a file that the link with the token shows.
func MediaPath(token string, id int64) string { return fmt.Sprintf("%s/media/%d", Path(token), id) }

// A Page holds everything that guests see.
type Page struct {
	Sender
	Path       string // of the page
	Title      string // of the link
	Welcome    string // of the link
	Name       string // of the collection
	Note       string // of the collection
	Target     gallery.LinkTarget
	Locked     bool // the link has a password
	Download   bool // guests may download the videos
	Clips      []Clip
	Total      int                 // how many videos the link shows; 0 for as many as Clips
	From       int                 // how many of them come before Clips
	Last       int64               // the video with which Clips ends, if others come after it; otherwise 0
	Files      []gallery.ShownFile // of a collection: those of all its videos and takes
	Takes      [][]Clip            // of each clip: its takes, the oldest first; none if it has no others
	Compared   [2]int              // the takes of the clip At that are compared
	At         int                 // the clip that the page begins with
	Address    string              // absolute URL of the page
	Preview    Preview
	Discussion part.Discussion // about the clip that the page begins with
	Verdict    *Verdict        // nil if guests do not decide
}

// A Verdict is the form for what a guest decides about a video.
type Verdict struct {
	Path     string // where it is sent
	FormPath string // the page of the video, where the form begins
	TaskID   int64
	About    string         // the name of the scene; empty if there is only one
	Given    review.Verdict // zero if the guest has not decided
	Step     Step
	Names    bool           // the guest has to give a name
	Newcomer string         // sent with the name, so that a form that is sent twice adds one guest
	Emails   bool           // the guest can give an address for mails
	Composed bool           // the page has the form for notes: what was typed there goes along without script
	Form     *part.NoteForm // never nil: what was typed, and what is wrong with it
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
func (v Verdict) given(h Sender) string {
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
func (v Verdict) approves() bool { return v.Step == Approving && (v.Names || v.Form.Body.Value != "") }

// goesAlong makes a button send the form for notes, where the page has it; otherwise the button
// gets another page.
func (v Verdict) goesAlong() templ.Attributes {
	if v.Composed {
		return templ.Attributes{"form": "note-form"}
	}
	return templ.Attributes{"formmethod": "get"}
}

// nameStep makes a script ask for the name of a guest who approves.
func (v Verdict) nameStep() templ.Attributes {
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
	return templ.SafeURL(v.FormPath + "?" + q.Encode() + "#verdict")
}

// Mark returns a text that is different for pages that show something else.
func (p Page) Mark() string {
	sum := sha256.New()
	parts := []any{p.Title, p.Welcome, p.Name, p.Note, p.TeamName, p.Maker, p.Style, p.Download, p.until(), p.Quiet}
	if p.Target == gallery.OfCollection {
		parts = append(parts, p.Files)
	}
	for i, c := range p.Clips {
		if p.Target == gallery.OfCollection {
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
	case p.Target == gallery.OfStory:
		return "A film, made with AI"
	case p.Target == gallery.OfCollection && len(p.Clips) == 0:
		return "Videos, made with AI"
	case p.Target == gallery.OfCollection && p.total() == 1:
		return "One video, made with AI"
	case p.Target == gallery.OfCollection:
		return fmt.Sprintf("%d videos, made with AI", p.total())
	}
	return "A video, made with AI"
}

// plainDescription is a description that does not say how the videos were made.
func (p Page) plainDescription() string {
	switch {
	case p.Target == gallery.OfStory:
		return "A film"
	case p.Target == gallery.OfCollection && len(p.Clips) == 0:
		return "Videos"
	case p.Target == gallery.OfCollection:
		return part.Plural(p.total(), "%s video", "%s videos")
	}
	return "A video"
}

// kind returns the page's Open Graph type.
func (p Page) kind() string {
	if p.Target == gallery.OfCollection {
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
	case p.Target == gallery.OfStory && p.TeamName != "":
		usual = fmt.Sprintf("A film from %s", naming.Isolated(p.TeamName))
	case p.Target == gallery.OfStory:
		usual = "A film for you"
	case p.Target == gallery.OfCollection && p.TeamName != "":
		usual = fmt.Sprintf("Videos from %s", naming.Isolated(p.TeamName))
	case p.Target == gallery.OfCollection:
		usual = "Videos for you"
	case p.TeamName != "":
		usual = fmt.Sprintf("A video from %s", naming.Isolated(p.TeamName))
	}
	return cmp.Or(p.Title, p.Name, usual)
}

// from says who sent what the link shows; empty if guests are not told.
func (p Page) from() string {
	maker, sender := naming.Isolated(p.Maker), naming.Isolated(p.TeamName)
	says := map[gallery.LinkTarget][2]string{
		gallery.OfVideo:      {"%s sent you a video", "%s from %s sent you a video"},
		gallery.OfStory:      {"%s sent you a film", "%s from %s sent you a film"},
		gallery.OfCollection: {"%s sent you these videos", "%s from %s sent you these videos"},
	}[p.Target]
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
	if p.TeamName == "" {
		return p.heading()
	}
	return fmt.Sprintf("%s · %s", naming.Isolated(p.heading()), naming.Isolated(p.TeamName))
}

// site returns the name under which other programs show the link.
func (p Page) site() string { return cmp.Or(p.TeamName, "Dailies") }

// lockedHeading is the heading of the form for the password.
func (p Page) lockedHeading() string {
	name := naming.Isolated(cmp.Or(p.TeamName, p.Maker))
	switch {
	case name == "":
		return p.heading()
	case p.Target == gallery.OfStory:
		return fmt.Sprintf("%s sent you a film", name)
	case p.Target == gallery.OfCollection:
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
	if p.Target != gallery.OfStory || !p.several() {
		return ""
	}
	return p.name(p.At)
}

// Current returns the clip that the page begins with.
func (p Page) Current() Clip { return p.current() }

// name returns the name of one of the page's clips.
func (p Page) name(i int) string {
	switch p.Target {
	case gallery.OfVideo:
		return p.heading()
	case gallery.OfStory:
		return fmt.Sprintf("Scene %d of %d", i+1, p.total())
	}
	return fmt.Sprintf("Video %d of %d", p.From+i+1, p.total())
}

// listName names the list of videos.
func (p Page) listName() string {
	if p.Target == gallery.OfStory {
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
	return !p.Discussion.Writes && (!p.several() || p.Target == gallery.OfStory)
}

// A Clip is one video of a shared page.
type Clip struct {
	TaskID       int64
	ID           string // of its file
	Hash         string // of its file
	Size         int64  // of its file, in bytes
	Video, Cover string // addresses; Cover is empty if there is none
	Thumb        string // address of a small picture; empty if there is none
	Type         string // MIME type of Video
	Film         db.Film
	Shape        string // class of its ratio
	Seconds      int    // its requested length
	Width        int    // in pixels; 0 if it is not known
	Height       int
	First, Last  int           // frames between which a storyline shows it; Last is 0 for its end
	From, To     time.Duration // their times; To is 0 for the whole video
}

// length says how long the clip is; empty if that is not known.
func (c Clip) length() string {
	if c.Seconds == 0 {
		return ""
	}
	return format.Plural(c.Seconds, "%s second", "%s seconds")
}

// picture says how large the picture is; empty if that is not known.
func (c Clip) picture() string {
	if c.Width == 0 || c.Height == 0 {
		return ""
	}
	return fmt.Sprintf("%d × %d", c.Width, c.Height)
}

// download returns the address from which the clip is downloaded.
func (c Clip) download() string { return c.Video + "?download=1" }

// source returns the URL to play. Without a cover, playback begins slightly
// later, so that the player shows a picture instead of a possibly black first
// frame.
func (c Clip) source() string {
	if c.Cover == "" {
		return c.Video + "#t=0.1"
	}
	return c.Video
}

// unplayable returns what stands over the clip in a browser that cannot play it.
func (p Page) unplayable(c Clip) part.Unplayable {
	u := part.Unplayable{Film: c.Film}
	if p.Download {
		u.Download = c.download()
	}
	return u
}

// playing returns the attributes from which a script plays the clip.
func (c Clip) playing() templ.Attributes {
	all := templ.Attributes{
		"data-src": c.source(), "data-poster": c.Cover, "data-shape": c.Shape, "data-length": strconv.Itoa(c.Seconds),
		"data-task": strconv.FormatInt(c.TaskID, 10), "data-download": c.download(),
	}
	for name, value := range (part.Unplayable{Film: c.Film}).Attributes() {
		all[name] = value
	}
	if c.To > 0 {
		all["data-from"], all["data-to"] = seconds(c.From), seconds(c.To)
	}
	return all
}

// seconds returns the time for scripts.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 4, 64) }

// A Sender is what guests are told about the team that sent them a link.
type Sender struct {
	TeamName string // the team's name; empty if it has none, or is not told
	Maker    string // the name of the person who sent the link; empty if it is not told
	Logo     Logo
	Style    string    // path of the style sheet with the team's colour; empty without one
	Until    time.Time // when the link ends
	Now      time.Time
	Quiet    bool // they are not told that videos are made with AI
}

// A Logo is the picture of a team.
type Logo struct {
	Address       string // path; empty without a logo
	Width, Height int    // in pixels
}

// until says when the link ends.
func (h Sender) until() string {
	end, now := h.Until.UTC(), h.Now.UTC()
	switch {
	case end.Sub(now) < 24*time.Hour && end.Day() == now.Day():
		return fmt.Sprintf("Ends today, %s UTC", end.Format("15:04"))
	case end.Year() == now.Year():
		return fmt.Sprintf("Until %s", end.Format("2 January"))
	}
	return fmt.Sprintf("Until %s", end.Format("2 January 2006"))
}

// maker returns the first name of the person who sent the link; empty if it is not told.
func (h Sender) maker() string {
	first, _, _ := strings.Cut(naming.Clean(h.Maker), " ")
	return naming.Isolated(first)
}

// NameMissing asks for the name of a guest who writes.
func (h Sender) NameMissing() string {
	if h.maker() == "" {
		return part.NameMissing
	}
	return fmt.Sprintf("Add your name, so that %s knows who wrote this.", h.maker())
}

// NoPassword asks for the password that was left out.
const NoPassword = "Enter the password."

// WrongPassword tells a guest that the password was not right.
func (h Sender) WrongPassword() string {
	if h.Maker == "" {
		return "That’s not it. Check for capitals."
	}
	return fmt.Sprintf("That’s not it. Check for capitals, or ask %s.", naming.Isolated(h.Maker))
}

// A MailPage is the page on which a guest turns the mails of a link on and off.
type MailPage struct {
	Sender
	Title string // of the link
	Path  string // of the page of the link
	// Sub is zero if the page was not opened from a mail, and the browser remembers no guest
	// who gave an address.
	Sub    review.Subscription
	Action string // where the form is sent
	// Proven says that the page was opened from a mail. Only then can mails be turned on.
	Proven bool
}

// isUnconfirmed reports whether the address is to be confirmed.
func (p MailPage) isUnconfirmed() bool { return p.Sub.ConfirmedAt.IsZero() && p.Sub.StoppedAt.IsZero() }

// heading says whether the guest gets mails.
func (p MailPage) heading() string {
	switch {
	case p.Sub.ID == 0:
		return "Emails about this link"
	case p.Sub.IsOn():
		return "Emails are on"
	case p.isUnconfirmed():
		return "Is this your address?"
	}
	return "Emails are off"
}

// says says which mails the guest gets, and where.
func (p MailPage) says() string {
	switch {
	case p.Sub.ID == 0:
		return "Open this page from one of our emails, or give your address with a note."
	case p.Sub.IsOn():
		return fmt.Sprintf("%s gets emails about replies to you and new takes.", p.Sub.Address)
	case p.isUnconfirmed() && !p.Proven:
		return fmt.Sprintf("We sent an email to %s. Open this page from there.", p.Sub.Address)
	case p.isUnconfirmed():
		return fmt.Sprintf("Confirm it, and %s gets emails about replies to you and new takes.", p.Sub.Address)
	case !p.Proven:
		return fmt.Sprintf("%s gets no emails about this link. To turn them on, open this page from one of our emails.", p.Sub.Address)
	}
	return fmt.Sprintf("%s gets no emails about this link.", p.Sub.Address)
}

// title returns the title of the document.
func (p MailPage) title() string {
	if p.Title == "" {
		return p.heading()
	}
	return fmt.Sprintf("%s · %s", p.heading(), naming.Isolated(p.Title))
}

// UsualStyle is the style sheet of a team without a colour.
const UsualStyle = "/* The usual colours. */\n"

// Style returns the style sheet that gives the pages of a link the colour, in a shade for
// each theme.
func Style(c team.Colour) string {
	light, dark := c.Shades(team.Light), c.Shades(team.Dark)
	return fmt.Sprintf(`:root{--brand:light-dark(%s,%s);--on-brand:light-dark(%s,%s);--brand-soft:light-dark(%s,%s)}
.guest{--accent:var(--brand);--accent-soft:var(--brand-soft);--glow:var(--brand)}
@layer pages{.guest .btn.primary{background:var(--brand);border-color:var(--brand);color:var(--on-brand)}
.guest .btn.primary:hover{background:color-mix(in oklab,var(--brand),var(--ink) 16%%)}}
`, light.Text, dark.Text, light.On, dark.On, light.Soft, dark.Soft)
}

// take returns the index of the current clip among its takes, and their number; 0 if it has no
// others.
func (p Page) take() (n, of int) {
	if p.At >= len(p.Takes) {
		return 0, 0
	}
	takes := p.Takes[p.At]
	return slices.IndexFunc(takes, func(c Clip) bool { return c.TaskID == p.current().TaskID }), len(takes)
}

// Several reports whether the current clip has several takes.
func (p Page) Several() bool {
	_, of := p.take()
	return of > 1
}

// takePath returns the address of the page with a take of the current clip.
func (p Page) takePath(i int) string { return p.pathOf(p.Takes[p.At][i]) }

func (p Page) pathOf(take Clip) string {
	return p.Path + "?take=" + strconv.FormatInt(take.TaskID, 10)
}

// takeName names a take by its index.
func takeName(i int) string { return fmt.Sprintf("Take %d", i+1) }

// comparePath returns the address of the comparison of the current take with the one before
// or, of the first, with the one after.
func (p Page) comparePath() string {
	n, _ := p.take()
	other := max(0, n-1)
	if n == 0 {
		other = 1
	}
	first, second := p.Takes[p.At][min(n, other)], p.Takes[p.At][max(n, other)]
	return fmt.Sprintf("%s/compare?take=%d&take=%d", p.Path, first.TaskID, second.TaskID)
}

// Compare chooses the takes to compare: those of the videos, or else the current take and
// the one before. The page then is about the newer one. It returns false if there are none.
func (p *Page) Compare(ids []int64) bool {
	for i, takes := range p.Takes {
		if len(takes) < 2 {
			continue
		}
		at := func(id int64) int {
			return slices.IndexFunc(takes, func(c Clip) bool { return c.TaskID == id })
		}
		n := max(1, at(p.Clips[i].TaskID))
		pair := [2]int{n - 1, n}
		if len(ids) > 0 {
			if len(ids) != 2 || ids[0] == ids[1] || at(ids[0]) < 0 || at(ids[1]) < 0 {
				continue
			}
			pair = [2]int{min(at(ids[0]), at(ids[1])), max(at(ids[0]), at(ids[1]))}
		}
		p.At, p.Compared, p.Clips[i] = i, pair, takes[pair[1]]
		return true
	}
	return false
}

// Answer says which takes were made to answer the notes, as far as guests see them. answers
// are the IDs of their videos, by the ID of the note.
func (p *Page) Answer(answers map[int64][]int64) {
	p.Discussion.Answered = map[int64][]part.TakeRef{}
	for note, ids := range answers {
		for i, take := range p.Takes[p.At] {
			if slices.Contains(ids, take.TaskID) {
				p.Discussion.Answered[note] = append(p.Discussion.Answered[note], part.TakeRef{
					Number: i + 1, Path: p.takePath(i), Ready: true,
				})
			}
		}
	}
}

// hasTakes reports whether any of the videos has several takes.
func (p Page) hasTakes() bool {
	return slices.ContainsFunc(p.Takes, func(takes []Clip) bool { return len(takes) > 1 }) ||
		slices.ContainsFunc(p.Files, func(f gallery.ShownFile) bool { return f.Of != 0 })
}

// compared returns the two takes that are compared.
func (p Page) compared() []Clip {
	return []Clip{p.Takes[p.At][p.Compared[0]], p.Takes[p.At][p.Compared[1]]}
}
