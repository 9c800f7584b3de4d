package review

import (
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dailies/db/naming"
)

// A Film is a video as editing programs know it.
type Film struct {
	Title  string
	File   string // the name under which it is downloaded
	Rate   Rate
	Frames int64 // how many it has at the Rate
	Width  int
	Height int
	// Times are when its frames are shown, from the first one on. They are nil if each
	// lasts as long as the Rate says.
	Times []time.Duration
	Start Start
}

// Start is the hour with which the timecode of a film begins: 0, or 1 as in editing programs.
type Start int64

// ParseStart returns the start with the timecode, of which an empty text is 00:00:00:00.
func ParseStart(timecode string) (Start, bool) {
	switch timecode {
	case "", "00:00:00:00":
		return 0, true
	case "01:00:00:00":
		return 1, true
	}
	return 0, false
}

// place returns the frame at which a note stands in the film: the moment at which the file
// shows the note's frame, at the film's Rate.
func (f Film) place(n Note) int64 {
	if len(f.Times) == 0 && n.Frame < 0 {
		return f.Rate.FrameAt(max(0, n.At))
	}
	if len(f.Times) == 0 {
		return int64(n.Frame)
	}
	i := n.Frame
	if i < 0 {
		at := time.Duration(n.At) * time.Millisecond
		i = sort.Search(len(f.Times), func(i int) bool { return f.Times[i] > at }) - 1
	}
	return f.Rate.nearest(f.Times[max(0, min(i, len(f.Times)-1))])
}

// A marker is a note as a whole number of frames of its film.
type marker struct {
	from, frames int64
	text         string
	done         bool
}

// markers returns the notes as markers within the film. Those about no moment are at its
// beginning. Replies are added to the text of what they reply to. An approval without words is
// no marker, unless there are replies to it.
func (f Film) markers(notes []Note) (found []marker) {
	replied := map[int64]bool{}
	for _, n := range notes {
		replied[n.ParentID] = true
	}
	place := map[int64]int{}
	for _, n := range notes {
		if n.IsReply() || n.Answer == Approved && n.IsWordless() && !replied[n.ID] {
			continue
		}
		m := marker{from: f.place(n), frames: 1, text: said(n), done: n.IsDone()}
		m.from = max(0, min(m.from, f.Frames-1))
		if n.IsSpan() {
			m.frames = max(1, f.Rate.FrameAt(n.Until-n.At))
		}
		m.frames = max(1, min(m.frames, f.Frames-m.from))
		place[n.ID] = len(found)
		found = append(found, m)
	}
	for _, n := range notes {
		if at, ok := place[n.ParentID]; ok && n.IsReply() {
			found[at].text += "\n" + said(n)
		}
	}
	return found
}

// said returns who says what in the note.
func said(n Note) string {
	if n.Internal {
		return fmt.Sprintf("%s (only for us): %s", n.Author.Called(), n.Words())
	}
	return fmt.Sprintf("%s: %s", n.Author.Called(), n.Words())
}

// Called returns the author's name. Guests who gave a name that others of the link gave before
// have a number.
func (a Author) Called() string {
	name := naming.Isolated(a.Name)
	switch {
	case name == "":
		return "A guest"
	case a.IsGuest() && a.Number > 1:
		return fmt.Sprintf("%s %d", name, a.Number)
	}
	return name
}

// WriteEDL writes the notes as a list of markers in the format CMX 3600: one event for each
// note, followed by its colour, its text and its length in frames.
func WriteEDL(w io.Writer, f Film, notes []Note) error {
	text := &strings.Builder{}
	begins := 3600 * int64(f.Start) * f.Rate.whole()
	fmt.Fprintf(text, "TITLE: %s\r\nFCM: NON-DROP FRAME\r\n", edlLine(f.Title))
	for i, m := range f.markers(notes) {
		from, to := f.Rate.timecode(begins+m.from), f.Rate.timecode(begins+m.from+m.frames)
		fmt.Fprintf(text, "\r\n%03d  001      V     C        %s %s %s %s\r\n |C:%s |M:%s |D:%d\r\n",
			i+1, from, to, from, to, m.colour(), edlLine(m.text), m.frames)
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// colour names the marker's colour as editing programs do.
func (m marker) colour() string {
	if m.done {
		return "ResolveColorGreen"
	}
	return "ResolveColorYellow"
}

// edlLine returns the text in one line, without what ends a field.
func edlLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r == '|' {
			return '/'
		}
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)), " ")
}

// The elements of FCPXML that are written.
type (
	fcpxml struct {
		XMLName   xml.Name     `xml:"fcpxml"`
		Version   string       `xml:"version,attr"`
		Resources fcpResources `xml:"resources"`
		Event     fcpEvent     `xml:"library>event"`
	}
	fcpResources struct {
		Format fcpFormat `xml:"format"`
		Asset  fcpAsset  `xml:"asset"`
	}
	fcpFormat struct {
		ID            string `xml:"id,attr"`
		FrameDuration string `xml:"frameDuration,attr"`
		Width         string `xml:"width,attr,omitempty"`
		Height        string `xml:"height,attr,omitempty"`
	}
	fcpAsset struct {
		ID       string `xml:"id,attr"`
		Name     string `xml:"name,attr"`
		Start    string `xml:"start,attr"`
		Duration string `xml:"duration,attr"`
		HasVideo string `xml:"hasVideo,attr"`
		Format   string `xml:"format,attr"`
		Media    fcpRep `xml:"media-rep"`
	}
	fcpRep struct {
		Kind string `xml:"kind,attr"`
		Src  string `xml:"src,attr"`
	}
	fcpEvent struct {
		Name    string     `xml:"name,attr"`
		Project fcpProject `xml:"project"`
	}
	fcpProject struct {
		Name     string      `xml:"name,attr"`
		Sequence fcpSequence `xml:"sequence"`
	}
	fcpSequence struct {
		Format   string  `xml:"format,attr"`
		Duration string  `xml:"duration,attr"`
		TCStart  string  `xml:"tcStart,attr"`
		TCFormat string  `xml:"tcFormat,attr"`
		Clip     fcpClip `xml:"spine>asset-clip"`
	}
	fcpClip struct {
		Ref      string      `xml:"ref,attr"`
		Offset   string      `xml:"offset,attr"`
		Name     string      `xml:"name,attr"`
		Start    string      `xml:"start,attr"`
		Duration string      `xml:"duration,attr"`
		Format   string      `xml:"format,attr"`
		TCFormat string      `xml:"tcFormat,attr"`
		Markers  []fcpMarker `xml:"marker"`
	}
	fcpMarker struct {
		Start     string `xml:"start,attr"`
		Duration  string `xml:"duration,attr"`
		Value     string `xml:"value,attr"`
		Completed string `xml:"completed,attr"`
	}
)

// WriteFCPXML writes the notes as markers on the video in the format FCPXML 1.10. A marker is a
// to-do, which is completed if the note is done.
func WriteFCPXML(w io.Writer, f Film, notes []Note) error {
	whole := f.Rate.seconds(f.Frames)
	clip := fcpClip{Ref: "r2", Offset: "0s", Name: f.Title, Start: "0s", Duration: whole, Format: "r1", TCFormat: "NDF"}
	for _, m := range f.markers(notes) {
		completed := "0"
		if m.done {
			completed = "1"
		}
		clip.Markers = append(clip.Markers,
			fcpMarker{Start: f.Rate.seconds(m.from), Duration: f.Rate.seconds(m.frames), Value: m.text, Completed: completed})
	}
	size := func(pixels int) string {
		if pixels <= 0 {
			return ""
		}
		return strconv.Itoa(pixels)
	}
	file := url.URL{Path: "./" + f.File}
	document := fcpxml{
		Version: "1.10",
		Resources: fcpResources{
			Format: fcpFormat{ID: "r1", FrameDuration: f.Rate.seconds(1), Width: size(f.Width), Height: size(f.Height)},
			Asset: fcpAsset{ID: "r2", Name: f.Title, Start: "0s", Duration: whole, HasVideo: "1", Format: "r1",
				Media: fcpRep{Kind: "original-media", Src: file.String()}},
		},
		Event: fcpEvent{Name: f.Title,
			Project: fcpProject{Name: f.Title,
				Sequence: fcpSequence{Format: "r1", Duration: whole, TCStart: "0s", TCFormat: "NDF", Clip: clip}}},
	}
	if _, err := io.WriteString(w, xml.Header+"<!DOCTYPE fcpxml>\n"); err != nil {
		return err
	}
	to := xml.NewEncoder(w)
	to.Indent("", "  ")
	if err := to.Encode(document); err != nil {
		return err
	}
	return to.Close()
}
