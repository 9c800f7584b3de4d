package library

import (
	"fmt"

	"dailies/views/part"
)

// A SharePart is where a link for people without an account is made, and where
// the ones that were given away are listed.
type SharePart struct {
	Action     string // where the form goes
	Next       string // where taking a link back leads
	Collection bool   // it is about a collection, not about one video
	Able       bool   // there is something that a link would show
	Title      string // as typed
	Days       int
	Errors     part.Errors // "title", "days"
	Links      []part.ShareLink
}

// open reports whether the form is unfolded at first.
func (p SharePart) open() bool { return len(p.Errors) > 0 }

func (p SharePart) why() string {
	if p.Collection {
		return "A link works once there is a finished video in the collection that the whole team sees."
	}
	return "A link can be made once the video is finished and kept here."
}

func (p SharePart) promise() string {
	if p.Collection {
		return "You can leave it empty. Whoever has the link sees this title, the note and the videos that are in the collection at the time, without an account. Nothing else: no names, no prompts. Private videos stay out."
	}
	return "You can leave it empty. Whoever has the link sees the video and this title, without an account. Nothing else: no names, no prompt."
}

// A SharedPage is all that somebody without an account sees.
type SharedPage struct {
	Title      string
	Note       string // of a collection
	Collection bool
	Clips      []SharedClip
	Address    string // of the page, whole
	Preview    SharedPreview
}

// A SharedClip is one video of a shared page.
type SharedClip struct {
	Video, Cover string // addresses, Cover empty without one
	Type         string // of Video
	Ratio        string // as it was asked for
}

// A SharedPreview is the picture that goes with the link where it is posted.
type SharedPreview struct {
	Image, ImageType string // whole address; empty without one
	Width, Height    int    // pixels, if known
	Video, VideoType string // whole address; empty for a collection
}

// description goes with the title where the link is posted.
func (p SharedPage) description() string {
	switch {
	case p.Collection && len(p.Clips) == 1:
		return "One video, made with Dailies"
	case p.Collection:
		return fmt.Sprintf("%d videos, made with Dailies", len(p.Clips))
	}
	return "A video, made with Dailies"
}

func (p SharedPage) kind() string {
	if p.Collection {
		return "website"
	}
	return "video.other"
}

func (p SharedPage) card() string {
	if p.Preview.Image == "" {
		return "summary"
	}
	return "summary_large_image"
}

// heading is the title, or what the page is where it has none.
func (p SharedPage) heading() string {
	switch {
	case p.Title != "":
		return p.Title
	case p.Collection:
		return "Videos for you"
	}
	return "A video for you"
}

// name is what a clip of the page is called.
func (p SharedPage) name(i int) string {
	if !p.Collection {
		return p.heading()
	}
	return fmt.Sprintf("Video %d of %d", i+1, len(p.Clips))
}

// source is the address to play: without a cover, from where there is a
// picture to be seen.
func (c SharedClip) source() string {
	if c.Cover == "" {
		return c.Video + "#t=0.1"
	}
	return c.Video
}
