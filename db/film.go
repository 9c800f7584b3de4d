package db

import (
	"fmt"
	"strings"
)

// A Film describes the content of a stored video, as read from the index of its file. It is
// empty until the file has been read.
type Film struct {
	Read     bool       `json:"read,omitempty"`     // the file has been read; the rest is empty if its format is not known
	Format   FilmFormat `json:"format,omitempty"`   // empty if it is not known
	Video    string     `json:"video,omitempty"`    // codec of the pictures, as in RFC 6381; empty if there are none
	Sound    string     `json:"sound,omitempty"`    // codec of the sound; empty if it is silent
	Width    int        `json:"width,omitempty"`    // pixels, before the rotation
	Height   int        `json:"height,omitempty"`   // pixels
	Rotation int        `json:"rotation,omitempty"` // degrees by which players turn the picture clockwise
	Frames   int        `json:"frames,omitempty"`   // 0 if their times are not known
	Length   int64      `json:"length,omitempty"`   // milliseconds; 0 if it is not known
	Varies   bool       `json:"varies,omitempty"`   // the frame rate is variable
	Cut      bool       `json:"cut,omitempty"`      // the file breaks off
}

// A FilmFormat is the file format of a video, by the usual ending of its name.
type FilmFormat string

// The formats of videos that are stored.
const (
	MP4  FilmFormat = "mp4"
	MOV  FilmFormat = "mov"
	WebM FilmFormat = "webm"
	MKV  FilmFormat = "mkv"
	TS   FilmFormat = "ts"
)

// IsBlind reports whether the file has sound and no pictures.
func (f Film) IsBlind() bool { return f.Format != "" && f.Video == "" && f.Sound != "" }

// IsCommon reports whether every browser in use shows the film, as far as is known of it.
func (f Film) IsCommon() bool {
	if f.Format == "" {
		return true // nothing is known against it
	}
	if f.Format == MKV || f.Format == TS || f.Cut {
		return false
	}
	family, profile, _ := strings.Cut(strings.ToLower(f.Video), ".")
	switch family {
	case "avc1", "avc3": // in the profiles 7a and f4 are more colours than most decoders know
		return !strings.HasPrefix(profile, "7a") && !strings.HasPrefix(profile, "f4")
	case "vp8", "vp9", "vp09", "av01":
		return true
	}
	return false
}

// ContentType returns the MIME type with the codecs by which a browser says whether it can
// play the film, empty if that would not tell. QuickTime is asked about as MP4, because
// browsers that play it do not say so.
func (f Film) ContentType() string {
	kind := map[FilmFormat]string{MP4: "video/mp4", MOV: "video/mp4", WebM: "video/webm", MKV: "video/x-matroska", TS: "video/mp2t"}[f.Format]
	if kind == "" || f.Video == "" {
		return ""
	}
	if f.Sound == "" || f.Format == MOV { // without its sound, most browsers show a QuickTime film nevertheless
		return fmt.Sprintf("%s; codecs=%q", kind, f.Video)
	}
	return fmt.Sprintf(`%s; codecs="%s, %s"`, kind, f.Video, f.Sound)
}

// BrokenOff is the message for a task whose file came, but is not whole.
const BrokenOff = "The file that came isn’t whole. We’ll fetch it again."

// Unstorable returns the message for a task whose file is of a kind that cannot be stored as
// a video, with the MIME type or empty if that is not known.
func Unstorable(kind string) string {
	family, _, _ := strings.Cut(kind, "/")
	switch {
	case kind == "image/gif":
		return "A GIF came, not a video."
	case kind == "application/vnd.apple.mpegurl", kind == "application/dash+xml":
		return "A playlist came, not a video."
	case kind == "text/html":
		return "A web page came, not a video."
	case kind == "application/pdf":
		return "A PDF came, not a video."
	case kind == "application/zip":
		return "A ZIP file came, not a video."
	case kind == "video/avi":
		return "An AVI file came."
	case kind == "application/ogg":
		return "An Ogg file came."
	case family == "audio":
		return "Only sound came, no video."
	case family == "image":
		return "A picture came, not a video."
	case family == "text", kind == "application/json", kind == "application/xml":
		return "Text came, not a video."
	}
	return "A file of an unknown kind came."
}
