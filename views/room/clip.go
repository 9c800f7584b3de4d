package room

import (
	"fmt"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/format"
	"dailies/views/part"
)

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
	all := templ.Attributes{"data-src": c.source(), "data-poster": c.Cover, "data-shape": c.Shape, "data-length": strconv.Itoa(c.Seconds), "data-task": strconv.FormatInt(c.TaskID, 10), "data-download": c.download()}
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
