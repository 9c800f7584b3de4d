package part

import (
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
)

// An Unplayable is what stands over a film that a browser may not be able to show.
type Unplayable struct {
	Film     db.Film
	Download string // address from which the film is downloaded; empty if that is not allowed
}

// UnplayableOf is what stands over a film of the team.
func UnplayableOf(m db.Media) Unplayable {
	return Unplayable{Film: m.Film, Download: MediaPath(m) + "?download=1"}
}

// AskForAnother is said to guests in place of a download.
const AskForAnother = "Ask for another file where the link came from."

// defect returns the sentence about a film that no browser shows, empty for any other.
func (u Unplayable) defect() string {
	switch {
	case u.Film.IsBlind():
		return "This file has sound but no picture."
	case u.Film.Cut:
		return "This file isn’t whole: it breaks off."
	}
	return ""
}

// Says returns the sentence for a browser that cannot play the film.
func (u Unplayable) Says() string {
	if defect := u.defect(); defect != "" {
		return defect
	}
	if kind := filmKind(u.Film); kind != "" {
		return fmt.Sprintf("This browser can’t play this file (%s).", kind)
	}
	return "This browser can’t play this file."
}

// may returns the sentence for a page without script, which cannot ask the browser.
func (u Unplayable) may() string {
	if defect := u.defect(); defect != "" {
		return defect
	}
	return fmt.Sprintf("Some browsers can’t play this file (%s).", filmKind(u.Film))
}

// Attributes returns what a script judges the film by.
func (u Unplayable) Attributes() templ.Attributes {
	all := templ.Attributes{"data-unplayable": u.Says(), "data-type": u.Film.ContentType()}
	if u.defect() != "" {
		all["data-sure"] = "true"
	}
	return all
}

// badge returns the sentence on a tile, empty for a film that every browser shows.
func (u Unplayable) badge() string {
	switch {
	case u.Film.IsCommon():
		return ""
	case u.Film.IsBlind():
		return "Sound only"
	case u.Film.Cut:
		return "Not whole"
	}
	return "Can’t play here"
}

// mayBadge is badge for a page without script.
func (u Unplayable) mayBadge() string {
	if u.defect() != "" {
		return u.badge()
	}
	return "May not play"
}

// filmKind names what keeps a browser from playing the film: its format, or its codec.
func filmKind(f db.Film) string {
	if f.Format == db.MKV || f.Format == db.TS {
		return strings.ToUpper(string(f.Format))
	}
	family, _, _ := strings.Cut(f.Video, ".")
	switch family {
	case "avc1", "avc3":
		return "H.264"
	case "hvc1", "hev1", "dvh1", "dvhe":
		return "H.265"
	case "av01":
		return "AV1"
	case "vp8":
		return "VP8"
	case "vp9", "vp09":
		return "VP9"
	case "apco", "apcs", "apcn", "apch", "ap4h", "ap4x":
		return "ProRes"
	case "mp4v":
		return "MPEG-4"
	case "mp2v":
		return "MPEG-2"
	}
	return strings.ToUpper(family)
}
