package review_test

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"dailies/db/review"
)

func TestRatesAreThoseOfFilms(t *testing.T) {
	for _, tt := range []struct {
		frames int
		length time.Duration
		want   review.Rate
	}{
		{120, 5 * time.Second, review.Rate{24, 1}}, {120, 5005 * time.Millisecond, review.Rate{24000, 1001}}, {121, 5 * time.Second, review.Rate{24, 1}},
		{150, 5005 * time.Millisecond, review.Rate{30000, 1001}}, {75, 5 * time.Second, review.Rate{15, 1}}, {1, time.Hour, review.Rate{1, 1}}, {0, 0, review.Rate{25, 1}},
	} {
		if got := review.RateOf(tt.frames, tt.length); got != tt.want {
			t.Errorf("%d frames in %v: %v, not %v", tt.frames, tt.length, got, tt.want)
		}
	}
}

// A film whose frames are not shown evenly has a marker where the file shows the frame.
func TestMarkersStandWhereTheFileShowsTheFrame(t *testing.T) {
	film := review.Film{Rate: review.Rate{24, 1}, Frames: 49}
	for i := range 24 { // 12 frames at 24 a second, then 12 at 8 a second
		at := time.Duration(i) * time.Second / 24
		if i >= 12 {
			at = time.Second/2 + time.Duration(i-12)*time.Second/8
		}
		film.Times = append(film.Times, at)
	}
	notes := []review.Note{
		{ID: 1, Position: review.Position{At: 250, Frame: 6}, Body: "a"}, {ID: 2, Position: review.Position{At: 1260, Frame: 18}, Body: "b"},
		{ID: 3, Position: review.Position{At: 1260, Frame: -1}, Body: "c"},
	}
	for _, start := range []review.Start{0, 1} {
		var out bytes.Buffer
		film.Start = start
		if err := review.WriteEDL(&out, film, notes); err != nil {
			t.Fatal(err)
		}
		for i, want := range []string{"00:06 0", "01:06 0", "01:06 0"} { // the frame 18 is shown at 1.25 s
			if event := fmt.Sprintf("%03d  001      V     C        0%d:00:%s", i+1, start, want); !strings.Contains(out.String(), event) {
				t.Errorf("%q is missing in\n%s", event, out.String())
			}
		}
	}
}

// examples are notes whose texts try to leave their fields.
var examples = []review.Note{
	{ID: 1, Author: review.Author{GuestID: 1, Name: "Mara", Number: 2}, Position: review.Position{At: 2417, Frame: 57}, Body: "Larger |C:x\r\n\r\n002 sail <b>&amp;\"'"},
	{ID: 2, ParentID: 1, Author: review.Author{UserID: 1, Name: "Ana"}, Position: review.Position{At: 2417, Frame: 57}, Body: "Yes"},
	{ID: 3, Author: review.Author{UserID: 1, Name: "Ana"}, Position: review.Position{At: 1000, Until: 2050, Frame: 23}, Body: "Slow", Internal: true, DoneAt: time.Unix(1, 0)},
	{ID: 4, Position: review.Position{At: 5_900_000, Frame: -1}, Body: "\x00 after the end"},
}

var rates = []review.Rate{{24000, 1001}, {24, 1}, {25, 1}, {30000, 1001}, {60000, 1001}, {15, 1}}

func TestMarkersOfAnEDLAreWholeFrames(t *testing.T) {
	event := regexp.MustCompile(`^(\d{3})  001      V     C        (\d\d:\d\d:\d\d:\d\d) (\S+) (\S+) (\S+)$`)
	note := regexp.MustCompile(`^ \|C:ResolveColor(Yellow|Green) \|M:([^|]*) \|D:(\d+)$`)
	for _, rate := range rates {
		var out bytes.Buffer
		if err := review.WriteEDL(&out, review.Film{Title: "A boat\r\n001", Rate: rate, Frames: 120}, examples); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\r\n"), "\r\n")
		if lines[0] != "TITLE: A boat 001" || lines[1] != "FCM: NON-DROP FRAME" || len(lines) != 2+3*3 {
			t.Fatalf("%q", lines)
		}
		whole := (rate.Frames + rate.Seconds/2) / rate.Seconds
		frames := func(code string) int64 {
			var h, m, s, f int64
			if _, err := fmt.Sscanf(code, "%d:%d:%d:%d", &h, &m, &s, &f); err != nil || f >= whole {
				t.Errorf("%q at %v, %v", code, rate, err)
			}
			return ((h*60+m)*60+s)*whole + f
		}
		for i := range 3 {
			e, n := event.FindStringSubmatch(lines[3+3*i]), note.FindStringSubmatch(lines[4+3*i])
			if e == nil || n == nil || e[1] != fmt.Sprintf("%03d", i+1) || e[2] != e[4] || e[3] != e[5] {
				t.Fatalf("%q, %q", lines[3+3*i], lines[4+3*i])
			}
			if long := frames(e[3]) - frames(e[2]); fmt.Sprint(long) != n[3] || long < 1 || frames(e[3]) > 120 {
				t.Errorf("%q lasts %d frames, and says %s", e[0], long, n[3])
			}
		}
		if want := `Mara 2: Larger /C:x 002 sail <b>&amp;"' Ana: Yes`; note.FindStringSubmatch(lines[4])[2] != want {
			t.Errorf("%q", lines[4])
		}
		if from := event.FindStringSubmatch(lines[3])[2]; frames(from) != 57 {
			t.Errorf("frame 57 is at %s", from)
		}
		if n := note.FindStringSubmatch(lines[7]); n[1] != "Green" || n[2] != "Ana (only for us): Slow" {
			t.Errorf("%q", n)
		}
	}
}

// A timed element of FCPXML, at any depth.
type timed struct {
	Name     xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []timed    `xml:",any"`
}

func TestTimesOfFCPXMLAreWholeFrames(t *testing.T) {
	for _, rate := range rates {
		var out bytes.Buffer
		if err := review.WriteFCPXML(&out, review.Film{Title: "A <boat> & \"sea\"", File: "a boat.webm", Rate: rate, Frames: 120, Width: 1280, Height: 720}, examples); err != nil {
			t.Fatal(err)
		}
		var root timed
		if err := xml.Unmarshal(out.Bytes(), &root); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		frame := big.NewRat(rate.Seconds, rate.Frames)
		seen := 0
		var check func(timed)
		check = func(e timed) {
			for _, a := range e.Attrs {
				switch a.Name.Local {
				case "start", "duration", "offset", "tcStart", "frameDuration":
					at, ok := new(big.Rat).SetString(strings.TrimSuffix(a.Value, "s"))
					if !ok || !strings.HasSuffix(a.Value, "s") || !new(big.Rat).Quo(at, frame).IsInt() {
						t.Errorf("%s is %q, with frames of %v s", a.Name.Local, a.Value, frame)
					}
					seen++
				}
			}
			for _, c := range e.Children {
				check(c)
			}
		}
		check(root)
		if seen != 8+2*3 {
			t.Errorf("%d times in %s", seen, out.String())
		}
		for _, part := range []string{`<fcpxml version="1.10">`, `completed="1"`, `Mara 2: Larger |C:x`, `src="./a%20boat.webm"`, `width="1280"`} {
			if !strings.Contains(out.String(), part) {
				t.Errorf("no %s in %s", part, out.String())
			}
		}
		lint(t, out.Bytes())
	}
}

// lint has xmllint read the document, if this machine has it, and compare it with Apple's
// definition of the format, if DAILIES_FCPXML_DTD names that file (FCPXMLv1_10.dtd).
func lint(t *testing.T, document []byte) {
	t.Helper()
	path, err := exec.LookPath("xmllint")
	if err != nil {
		t.Log("xmllint is not here, so only encoding/xml has read the document")
		return
	}
	args := []string{"--noout", "-"}
	if dtd := os.Getenv("DAILIES_FCPXML_DTD"); dtd != "" {
		args = append([]string{"--dtdvalid", dtd}, args...)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdin = bytes.NewReader(document)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
