package library

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
)

// A SharedPage holds everything that guests see.
type SharedPage struct {
	Title   string // of the link
	Name    string // of the collection
	Note    string // of the collection
	Of      Of
	Clips   []SharedClip
	At      int    // the clip that the page begins with
	Address string // absolute URL of the page
	Preview SharedPreview
	Until   time.Time // when the link ends
}

// A SharedClip is one video of a shared page.
type SharedClip struct {
	ID           string        // of its file
	Video, Cover string        // addresses; Cover is empty if there is none
	Thumb        string        // address of a small picture; empty if there is none
	Type         string        // MIME type of Video
	Shape        string        // class of its ratio
	Seconds      int           // its requested length
	From, To     time.Duration // the part that a storyline shows; To is 0 for the whole video
}

// A SharedPreview holds what other programs, such as messengers, show for the
// link.
type SharedPreview struct {
	Image, ImageType string // absolute URL and MIME type; empty without a picture
	Width, Height    int    // in pixels, 0 if not known
	Video, VideoType string // absolute URL and MIME type; empty unless the link shows one video
}

// description returns the text that other programs show below the title of the
// link.
func (p SharedPage) description() string {
	switch {
	case p.Of == OfStory:
		return "A film, made with AI"
	case p.Of == OfCollection && len(p.Clips) == 1:
		return "One video, made with AI"
	case p.Of == OfCollection:
		return fmt.Sprintf("%d videos, made with AI", len(p.Clips))
	}
	return "A video, made with AI"
}

// kind returns the page's Open Graph type.
func (p SharedPage) kind() string {
	if p.Of == OfCollection {
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

// heading returns the link's title, or else the collection's name, or a default. What a
// video is called here is not said.
func (p SharedPage) heading() string {
	usual := "A video for you"
	if p.Of == OfStory {
		usual = "A film for you"
	}
	return cmp.Or(p.Title, p.Name, usual)
}

// several reports whether the page has a list of videos.
func (p SharedPage) several() bool { return len(p.Clips) > 1 }

// sheet returns what the page shows at first.
func (p SharedPage) current() SharedClip { return p.Clips[p.At] }

// name returns the name of one of the page's clips.
func (p SharedPage) name(i int) string {
	switch p.Of {
	case OfVideo:
		return p.heading()
	case OfStory:
		return fmt.Sprintf("Scene %d of %d", i+1, len(p.Clips))
	}
	return fmt.Sprintf("Video %d of %d", i+1, len(p.Clips))
}

// listName names the list of videos.
func (p SharedPage) listName() string {
	if p.Of == OfStory {
		return "The scenes"
	}
	return "The videos"
}

// Start chooses the clip with the ID as the one that the page begins with.
func (p *SharedPage) Start(id string) {
	p.At = max(0, slices.IndexFunc(p.Clips, func(c SharedClip) bool { return c.ID == id }))
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

// playing returns the attributes from which a script plays the clip.
func (c SharedClip) playing() templ.Attributes {
	all := templ.Attributes{"data-src": c.source(), "data-poster": c.Cover, "data-shape": c.Shape, "data-length": strconv.Itoa(c.Seconds), "data-download": c.Video + "&download=1"}
	if c.To > 0 {
		all["data-from"], all["data-to"] = seconds(c.From), seconds(c.To)
	}
	return all
}

// seconds returns the time for scripts.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 4, 64) }
