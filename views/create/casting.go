package create

import (
	"fmt"
	"net/url"
	"strings"

	"dailies/db/cast"
	"dailies/db/format"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// The name under which messages about cast members are kept, and values of their fields.
const (
	CastField = "cast"
	CastThen  = "then"  // of cast_as: cast members are used as they were
	CastNow   = "now"   // of cast_as
	CastShown = "shown" // of cast_choose: the page shows the choice of pictures
	CastWords = "words" // of cast_choose: whoever has no place among the pictures is sent as words
)

// Cast is what the form says about the cast members in it. It is zero if there are none.
type Cast struct {
	cast.Script                // of the first video
	Scene       videoapi.Scene // of the form
	Model       videoapi.Model // of the form
	Strangers   []Stranger     // handles that nobody has, in all videos
	Met         []string       // those of cast members in all videos, as cast.Fold returns them
	Renamed     []Renamed      // fields in which a button has just changed a handle
	Changed     []cast.Member  // those who are not as they were in the video that the form reuses
	Then        bool           // they are used as they were
	Choosing    bool           // the page shows the choice of pictures
	Offered     []CastPicture  // these pictures
	Unagreed    []cast.Member  // people in it whose consent is not noted, if the team requires that
	Members     []cast.Member  // the whole cast, for pages without a script
}

// mostAdded is how large a cast is listed in the form of pages without a script. In a larger
// one, handles are typed.
const mostAdded = 60

// A CastPicture is a picture of a cast member that may be sent.
type CastPicture struct {
	cast.Choice
	Name    string
	Address string
	Sent    bool
}

// label names the picture for those who do not see it.
func (p CastPicture) label() string { return fmt.Sprintf("%s, picture %d", p.Name, p.Number) }

// picture returns the picture of somebody in the cast that stands in the place of an
// address.
func (c Cast) picture(text string) (p CastPicture, ok bool) {
	choice, ok := cast.ParseChoice(text)
	for _, m := range c.Script.Cast {
		if ok && cast.Fold(m.Handle) == choice.Handle && choice.Number <= len(m.Pictures) {
			return CastPicture{Choice: choice, Name: m.Name, Address: m.Pictures[choice.Number-1]}, true
		}
	}
	return p, false
}

// CastNote returns the note about a picture of a cast member.
func CastNote(c cast.Choice, m cast.Member) PictureNote {
	return PictureNote{Address: c.String(), Name: m.Name, Thumb: part.ThumbSource(m.Pictures[c.Number-1]), Good: true}
}

func castPath(s videoapi.Scene) string { return part.ScenePath(s) + "/cast" }

// shots are the pictures that are sent, in order.
func (c Cast) shots() (addresses []string) {
	for _, address := range c.Pictures {
		if part.WebAddress(address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// sent says which pictures are sent, and whom they show; empty if there are none of cast
// members.
func (c Cast) sent() string {
	var said []string
	ofCast := false
	for i, address := range c.Pictures {
		n := len(said) + 1
		switch at := c.Owners[i]; {
		case address == "":
		case at < 0:
			said = append(said, fmt.Sprintf("picture %d is yours", n))
		default:
			ofCast = true
			said = append(said, fmt.Sprintf("picture %d is %s", n, naming.Isolated(c.Cast[at].Name)))
		}
	}
	if !ofCast {
		return ""
	}
	return fmt.Sprintf("Sent: %s.", format.List(said))
}

// asWords says who is sent as words alone, and why; empty if nobody is.
func (c Cast) asWords() string {
	var names []string
	for _, m := range c.WithoutPictures() {
		names = append(names, m.Name)
	}
	switch room := c.Model.ImagesFor(c.Scene).Max; {
	case len(names) == 0 || len(c.Left) > 0:
		return ""
	case room == 0 && len(names) == 1:
		return fmt.Sprintf("“Words” takes no pictures, so %s is sent as words.", listed(names))
	case room == 0:
		return fmt.Sprintf("“Words” takes no pictures, so %s are sent as words.", listed(names))
	case len(names) == 1:
		return fmt.Sprintf("%s is sent as words.", listed(names))
	}
	return fmt.Sprintf("%s are sent as words.", listed(names))
}

// A castSlot is a picture that somebody's first picture can become with one click.
type castSlot struct {
	Name, Value string // of the button
	At, Label   string
}

// slots are the pictures that those of the cast who are sent as words could become.
func (c Cast) slots() (slots []castSlot) {
	const most = 4
	for _, m := range c.WithoutPictures() {
		if len(slots) >= most || len(m.Pictures) == 0 {
			break
		}
		name, value := naming.Isolated(m.Name), "@"+cast.Fold(m.Handle)
		switch {
		case c.Scene == videoapi.ImageToVideo || c.Scene == videoapi.FramesToVideo:
			slots = append(slots, castSlot{"cast_start", value, "start", fmt.Sprintf("Start with %s", name)})
		}
		if c.Scene == videoapi.FramesToVideo || c.Scene == videoapi.ImageToVideo && c.Model.ImagesFor(c.Scene).Max > 1 {
			slots = append(slots, castSlot{"cast_end", value, "end", fmt.Sprintf("End with %s", name)})
		}
	}
	return slots
}

// leftAsWords names the button that sends those as words for whom there is no place.
func (c Cast) leftAsWords() string {
	return fmt.Sprintf("Send %s as words", listed(namesAt(c.Script)))
}

// isEmpty reports whether there is nothing to say.
func (c Cast) isEmpty() bool { return len(c.Script.Cast) == 0 && len(c.Strangers) == 0 }

// whole reports whether the page offers the whole text that is sent: it is not what was
// typed.
func (c Cast) whole() bool { return len(c.Script.Cast) > 0 && c.Prompt != "" }

// changedWords says who has changed since the video that the form reuses.
func (c Cast) changedWords() string {
	var names []string
	for _, m := range c.Changed {
		names = append(names, m.Name)
	}
	if len(names) == 1 {
		return fmt.Sprintf("%s has changed since", listed(names))
	}
	return fmt.Sprintf("%s have changed since", listed(names))
}

// NoPlaceFor says for whom there is no place among the references.
func NoPlaceFor(s cast.Script) string {
	places := len(s.Owners)
	for _, p := range s.Pictures {
		if p == "" {
			places--
		}
	}
	return part.Plural(
		places, "Room for %s picture, and none is left for %s.", "Room for %s pictures, and none is left for %s.",
		listed(namesAt(s)),
	)
}

func namesAt(s cast.Script) (names []string) {
	for _, at := range s.Left {
		names = append(names, s.Cast[at].Name)
	}
	return names
}

// PictureOf says what is wrong with a picture of a cast member.
func PictureOf(name, why string) string {
	return fmt.Sprintf("Picture of %s: %s", naming.Isolated(name), why)
}

// TooLongSent says how many characters are sent with the names and looks of the cast.
func TooLongSent(sent, most int) string {
	return fmt.Sprintf("With the cast, %s characters are sent. %s at most.", part.Number(sent), part.Number(most))
}

// ConsentMissing says that a person has not agreed to be in videos, which the team asks for.
func ConsentMissing(m cast.Member) string {
	return fmt.Sprintf("No consent noted for %s. Your team asks for it first.", naming.Isolated(m.Name))
}

// noteLabel names the link to the form on which the consent of the person is noted.
func noteLabel(m cast.Member) string {
	return fmt.Sprintf("Note the consent of %s", naming.Isolated(m.Name))
}

// listed returns the names as a list for a sentence. Of many, it has the first few.
func listed(names []string) string {
	const most = 4
	var shown []string
	for _, name := range names[:min(len(names), most)] {
		shown = append(shown, naming.Isolated(name))
	}
	if more := len(names) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	if last := len(shown) - 1; last > 0 {
		return fmt.Sprintf("%s and %s", format.List(shown[:last]), shown[last])
	}
	return format.List(shown)
}

// RecipeCastPath returns the path of what is sent for the cast members in the recipe.
func RecipeCastPath(r ordering.Recipe) string { return part.RecipePath(r, "/cast") }

// Fields with handles, which stand as cast.Fold returns them with spaces between them.
const (
	ToldField = "cast_told" // handles of which the page says that nobody has them
	MetField  = "cast_met"  // those of the cast members whom it names
	UseField  = "cast_use"  // of a button: a handle that nobody has, and the one that takes its place
)

// A Stranger is a handle in a prompt that nobody in the cast has.
type Stranger struct {
	Typed string      // as it was typed, with the @
	Gone  cast.Member // who had it and is deleted; without an ID if that is nobody
	Near  string      // the handle that was probably meant, as cast.Fold returns it; empty if there is none
}

// Renamed is a field in which a button has put a handle in the place of another.
type Renamed struct {
	Field, Text string
}

// said says that nobody has the handle.
func (s Stranger) said() string {
	if s.Gone.ID != 0 {
		return fmt.Sprintf("%s was deleted, so %s is plain text.", naming.Isolated(s.Gone.Name), s.shown())
	}
	return NobodyCalled([]string{s.Typed})
}

func (s Stranger) shown() string { return naming.Isolated(part.Clip(s.Typed, 40)) }

// use returns the value of the button that puts the handle that was probably meant in its
// place.
func (s Stranger) use() string { return cast.KeyOf(s.Typed) + " " + s.Near }

// useLabel names that button.
func (s Stranger) useLabel() string { return fmt.Sprintf("Use %s", naming.Isolated("@"+s.Near)) }

// backLabel names the link to the page on which they are brought back.
func (s Stranger) backLabel() string {
	return fmt.Sprintf("Bring %s back", naming.Isolated(s.Gone.Name))
}

// newLabel names the link to the form for a new cast member.
func (s Stranger) newLabel() string { return fmt.Sprintf("Add %s to the cast", s.shown()) }

// newPath is the path of the form for a new cast member with the handle.
func (s Stranger) newPath() string {
	return "/cast/new?" + url.Values{"handle": {cast.KeyOf(s.Typed)}}.Encode()
}

// mostStrangers is how many handles that nobody has are explained one by one.
const mostStrangers = 3

// explained returns those that are explained one by one: if there are more, nobody who was
// meant is looked for.
func (c Cast) explained() []Stranger {
	if len(c.Strangers) > mostStrangers {
		return nil
	}
	return c.Strangers
}

// typed returns the handles as they were typed.
func typed(strangers []Stranger) (handles []string) {
	for _, s := range strangers {
		handles = append(handles, s.Typed)
	}
	return handles
}

// told returns the value of ToldField.
func told(strangers []Stranger) string {
	var keys []string
	for _, s := range strangers {
		keys = append(keys, cast.KeyOf(s.Typed))
	}
	return strings.Join(keys, " ")
}

// NobodyCalled says that nobody in the cast has these handles, which are as they were typed.
func NobodyCalled(handles []string) string {
	const most = 3
	if more := len(handles) - most; more > 0 {
		return part.Plural(
			more, "Nobody in the cast is called %[2]s or %[1]s more.", "Nobody in the cast is called %[2]s or %[1]s more.",
			format.List(shownHandles(handles[:most])),
		)
	}
	return fmt.Sprintf("Nobody in the cast is called %s.", eitherOf(handles))
}

// NobodyNow says that nobody in the cast has these handles any more, and what happens
// next. They are as they were typed.
func NobodyNow(handles []string) string {
	if len(handles) == 1 {
		return fmt.Sprintf("Nobody in the cast is called %s any more. Press again to send it as plain text.", eitherOf(handles))
	}
	return fmt.Sprintf("Nobody in the cast is called %s any more. Press again to send them as plain text.", eitherOf(handles))
}

// eitherOf lists the handles for a sentence about none of them. Of many, it has the first
// few.
func eitherOf(handles []string) string {
	const most = 6
	shown := shownHandles(handles[:min(len(handles), most)])
	last := len(shown) - 1
	if last == 0 {
		return shown[0]
	}
	return fmt.Sprintf("%s or %s", format.List(shown[:last]), shown[last])
}

func shownHandles(handles []string) (shown []string) {
	for _, h := range handles {
		shown = append(shown, naming.Isolated(part.Clip(h, 40)))
	}
	return shown
}
