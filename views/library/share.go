package library

import (
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/views/input"
	"dailies/views/part"
)

// A SharePart holds the form that makes a link for people without an account, and
// the existing links.
type SharePart struct {
	Action     string // address to which the form is sent
	Next       string // page to show after a link was revoked
	Collection bool   // the link is for a collection, not for one video
	Able       bool   // there is something that a link would show
	LookOnly   bool   // the viewer may not make links
	Form       *ShareForm
	Links      []part.ShareLink
}

// A ShareForm makes a link.
type ShareForm struct {
	Title input.Text
	Days  input.Choice
}

// NewShareForm returns an empty form. It does not suggest a title, because outsiders are
// not told what a video or a collection is called here.
func NewShareForm() *ShareForm {
	form := &ShareForm{
		Title: input.Text{Field: input.Field{Name: "title", Label: "Title on the page, if you like"}, Kind: "text", Most: db.MaxTitle, Long: LongTitle},
		Days:  input.Choice{Field: input.Field{Name: "days", Label: "Works for", Value: strconv.Itoa(gallery.UsualShareDays)}, Wrong: "Choose one of these."},
	}
	for _, days := range gallery.ShareDays() {
		form.Days.Options = append(form.Days.Options, input.Option{Value: strconv.Itoa(days), Label: part.Plural(days, "%s day", "%s days")})
	}
	return form
}

// why says why no link can be made at present.
func (p SharePart) why() string {
	if p.Collection {
		return "A link works once there is a finished video in the collection that the whole team sees."
	}
	return "A link can be made once the video is finished and kept here."
}

// promise says what people with the link can see.
func (p SharePart) promise() string {
	if p.Collection {
		return "A link shows the title, the note and the videos that are in the collection at the time to somebody without an account. Nothing else: no names, no prompts. Private videos stay out."
	}
	return "A link shows this video and a title of yours to somebody without an account. Nothing else: no names, no prompt."
}

// A SharedPage holds everything that a person without an account sees.
type SharedPage struct {
	Title      string
	Note       string // of the collection
	Collection bool
	Clips      []SharedClip
	Address    string // absolute URL of the page
	Preview    SharedPreview
	Until      time.Time // when the link expires
}

// A SharedClip is one video of a shared page.
type SharedClip struct {
	Video, Cover string // addresses; Cover is empty if there is none
	Type         string // MIME type of Video
	Ratio        string // as requested
}

// A SharedPreview holds what other programs, such as messengers, show for the
// link.
type SharedPreview struct {
	Image, ImageType string // absolute URL and MIME type; empty without a picture
	Width, Height    int    // in pixels, 0 if not known
	Video, VideoType string // absolute URL and MIME type; empty for a collection
}

// description returns the text that other programs show below the title of the
// link.
func (p SharedPage) description() string {
	switch {
	case p.Collection && len(p.Clips) == 1:
		return "One video, made with Dailies"
	case p.Collection:
		return fmt.Sprintf("%d videos, made with Dailies", len(p.Clips))
	}
	return "A video, made with Dailies"
}

// kind returns the page's Open Graph type.
func (p SharedPage) kind() string {
	if p.Collection {
		return "website"
	}
	return "video.other"
}

// card returns the page's Twitter card type.
func (p SharedPage) card() string {
	if p.Preview.Image == "" {
		return "summary"
	}
	return "summary_large_image"
}

// heading returns the title, or a default if there is none.
func (p SharedPage) heading() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.Collection:
		return "Videos for you"
	}
	return "A video for you"
}

// name returns the name of one of the page's clips.
func (p SharedPage) name(i int) string {
	if !p.Collection {
		return p.heading()
	}
	return fmt.Sprintf("Video %d of %d", i+1, len(p.Clips))
}

// source returns the URL to play. Without a cover, playback begins slightly
// later, so that the player shows a picture instead of a possibly black first
// frame.
func (c SharedClip) source() string {
	if c.Cover == "" {
		return c.Video + "#t=0.1"
	}
	return c.Video
}
