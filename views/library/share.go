package library

import (
	"fmt"
	"time"

	"dailies/views/part"
)

// A SharePart holds the form that makes a link for people without an account,
// and the existing links.
type SharePart struct {
	Action     string // where the form goes
	Next       string // the page that follows the revocation of a link
	Collection bool   // it is about a collection, not about one video
	Able       bool   // there is something that a link would show
	LookOnly   bool   // the viewer makes no links
	Title      string // as typed
	Days       int
	Errors     part.Errors // "title", "days"
	Links      []part.ShareLink
}

// why says why no link can be made now.
func (p SharePart) why() string {
	if p.Collection {
		return "A link works once there is a finished video in the collection that the whole team sees."
	}
	return "A link can be made once the video is finished and kept here."
}

// promise says what a person with the link sees.
func (p SharePart) promise() string {
	if p.Collection {
		return "A link shows the title, the note and the videos that are in the collection at the time to somebody without an account. Nothing else: no names, no prompts. Private videos stay out."
	}
	return "A link shows this video and a title of yours to somebody without an account. Nothing else: no names, no prompt."
}

// A SharedPage holds all that a person without an account sees.
type SharedPage struct {
	Title      string
	Note       string // of a collection
	Collection bool
	Clips      []SharedClip
	Address    string // of the page, absolute
	Preview    SharedPreview
	Until      time.Time // the link works
}

// A SharedClip is one video of a shared page.
type SharedClip struct {
	Video, Cover string // addresses, Cover empty without one
	Type         string // of Video
	Ratio        string // as it was asked for
}

// A SharedPreview holds what other programs show where the link is posted.
type SharedPreview struct {
	Image, ImageType string // absolute address; empty without one
	Width, Height    int    // pixels, if known
	Video, VideoType string // absolute address; empty for a collection
}

// description returns the text that accompanies the title where the link is
// posted.
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

// heading returns the title, or a substitute where there is none.
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

// source returns the address to play. Without a cover it begins a little later,
// where there is a picture to see.
func (c SharedClip) source() string {
	if c.Cover == "" {
		return c.Video + "#t=0.1"
	}
	return c.Video
}
