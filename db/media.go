package db

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db/naming"
)

// A Media is one file that is kept in the data folder. Two tasks with the same
// bytes share one blob, but each has its own Media.
type Media struct {
	ID       int64
	TaskID   int64
	Kind     MediaKind
	Position int    // 0 for the first video of a task
	Hash     string // SHA-256 of the content, in hex; names the blob
	Type     string // MIME type, detected from the bytes
	Size     int64  // bytes
	Width    int    // pixels; 0 unless it is a thumbnail
	Height   int
	Source   string // the address it was copied from
	Marks    Marks  // of its origin
	Film     Film   // what a video contains; empty for pictures
	// ServedHash is the Hash of the file as it was delivered, if a label was added to it;
	// else it is empty.
	ServedHash string
	CreatedAt  time.Time
	LostAt     time.Time // when it was found missing or truncated in the data folder; zero if it is intact
}

// A MediaKind says what a kept file is for.
type MediaKind string

const (
	Video MediaKind = "video"
	Cover MediaKind = "cover"
	Thumb MediaKind = "thumb" // the cover, scaled down; its content never changes

	// Refused is a result beside the videos that is not stored, because it is none. It keeps
	// its place among them.
	Refused MediaKind = "refused"
)

// Files holds what the service delivered for a finished task, and what is kept of
// it.
type Files struct {
	Results []Result // the addresses that the service gave
	Keeping Keeping  // how far copying them has got
	Media   []Media  // the files that are kept here; new ones have ID 0
	// RefreshedAt is when the service was asked for fresh addresses, because the
	// old ones had expired before the files were copied.
	RefreshedAt time.Time
	// FailingSince is when the first of the current series of failed attempts to
	// copy was made. Fresh addresses begin a new series.
	FailingSince time.Time
}

// Video returns the first kept video whose file is not lost.
func (f Files) Video() (Media, bool) { return f.first(Video) }

// Cover returns the kept cover picture, unless its file is lost.
func (f Files) Cover() (Media, bool) { return f.first(Cover) }

// Thumb returns the thumbnail of the cover, unless its file is lost.
func (f Files) Thumb() (Media, bool) { return f.first(Thumb) }

func (f Files) first(kind MediaKind) (Media, bool) {
	for _, m := range f.Media {
		if m.Kind == kind && m.LostAt.IsZero() {
			return m, true
		}
	}
	return Media{}, false
}

// Drawn reports whether the cover was drawn by a browser from the video.
func (f Files) Drawn() bool {
	cover, has := f.Cover()
	return has && cover.Source == ""
}

// Wanted returns the files that are not stored here yet, or no longer: at most
// MaxVideos videos, then one cover.
func (f Files) Wanted() []Media {
	var videos, covers []Media
	place := 0
	for _, r := range f.Results {
		m := Media{Kind: r.Kind, Source: r.URL}
		switch {
		case r.Kind == Cover && len(covers) == 0:
			covers = append(covers, m)
		case r.Kind == Refused:
			place++
		case r.Kind == Video && place < MaxVideos:
			m.Position = place
			videos = append(videos, m)
			place++
		}
	}
	return slices.DeleteFunc(append(videos, covers...), func(m Media) bool {
		return slices.ContainsFunc(f.Media, func(have Media) bool {
			return have.Kind == m.Kind && have.Position == m.Position && have.LostAt.IsZero()
		})
	})
}

// put adds the file. If it replaces a lost file, it takes over that file's ID, and
// so its URL.
func (f *Files) put(m Media) {
	for i, old := range f.Media {
		if old.Kind == m.Kind && old.Position == m.Position && !old.LostAt.IsZero() {
			m.ID = old.ID
			f.Media[i] = m
			return
		}
	}
	f.Media = append(f.Media, m)
}

func videos(results []Result) (n int) {
	for _, r := range results {
		if r.Kind == Video {
			n++
		}
	}
	return n
}

// NeedsCover reports whether the video is stored but has no cover, because the
// service delivered none.
func (t Task) NeedsCover() bool {
	_, video := t.Video()
	_, cover := t.Cover()
	return t.State == Success && t.Keeping == Kept && video && !cover && t.PurgedAt.IsZero()
}

// TakeCover adds a cover that somebody's browser has drawn from the stored video.
// If there is a cover already, that one stays.
func (t *Task) TakeCover(m Media) error {
	if err := t.expect(t.NeedsCover()); err != nil {
		return err
	}
	m.ID, m.TaskID, m.Kind, m.Position = 0, t.ID, Cover, 0
	t.put(m)
	return nil
}

// MayDrawCover reports whether the person's browser may draw the task's cover. The
// browsers of its maker and of admins may.
func (u User) MayDrawCover(t Task) bool {
	return u.Makes() && (t.UserID == u.ID || u.IsAdmin() && t.VisibleTo(u.ID))
}

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
	kind := map[FilmFormat]string{MP4: "video/mp4", MOV: "video/mp4", WebM: "video/webm", MKV: "video/x-matroska",
		TS: "video/mp2t"}[f.Format]
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

// Limits of the words in a file name, in characters and in bytes. With the rest of
// the name they fit into the 255 bytes that file systems accept.
const (
	maxFileWords = 60
	maxFileBytes = 180
)

// Name returns the file name for downloads: the task's ID, the words, which
// describe the video, and the extension of the file's type.
func (m Media) Name(words string) string {
	name := fmt.Sprintf("dailies-%d", m.TaskID)
	if m.Position > 0 {
		name += fmt.Sprintf("-%d", m.Position+1)
	}
	return FileName(name, words) + m.Ending()
}

// Title returns the file name for the download of a single video: its title or other words,
// and the extension of the file's type. Without words, or with those that Windows keeps for
// devices, it is Name.
func (m Media) Title(words string) string {
	title := FileName("", words)
	if m.Position > 0 && title != "" {
		title = fmt.Sprintf("%s %d", title, m.Position+1)
	}
	device, _, _ := strings.Cut(strings.ToLower(title), ".")
	if title == "" || strings.HasPrefix(title, ".") || slices.Contains(devices, strings.TrimSpace(device)) {
		return m.Name(words)
	}
	return title + m.Ending()
}

// devices are names that Windows keeps for itself, with any extension.
var devices = strings.Fields(
	"con prn aux nul com0 com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt0 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9 com¹ com² com³ lpt¹ lpt² lpt³ conin$ conout$",
)

// Ending returns the extension of the file's type, with its dot.
func (m Media) Ending() string {
	_, kind, _ := strings.Cut(m.Type, "/")
	switch kind {
	case "quicktime":
		return ".mov"
	case "x-matroska":
		return ".mkv"
	case "mp2t":
		return ".ts"
	case "jpeg":
		return ".jpg"
	}
	return "." + kind
}

// FileName returns the name followed by as many of the words as every file system
// accepts, in any script, without an extension and without what naming.Clean removes. The
// leading name makes the result unique, and different from the names that Windows
// reserves.
func FileName(name, words string) string {
	words = naming.Clean(strings.Map(nameable, words))
	if letters := []rune(words); len(letters) > maxFileWords {
		words = wholeWords(string(letters[:maxFileWords]))
	}
	if len(words) > maxFileBytes {
		words = wholeWords(strings.ToValidUTF8(words[:maxFileBytes], ""))
	}
	return strings.TrimRight(strings.TrimLeft(name+" "+naming.Clean(words), " "), " .")
}

// nameable returns the character if every system accepts it in a file name, else a
// space.
func nameable(r rune) rune {
	if strings.ContainsRune(`/\:*?"<>|`, r) {
		return ' '
	}
	return r
}

// wholeWords drops the truncated last word, if that leaves more than half of the
// text.
func wholeWords(cut string) string {
	if space := strings.LastIndexByte(cut, ' '); space > len(cut)/2 {
		return cut[:space]
	}
	return cut
}

// Marks lists the marks of its origin that a video carries, separated by spaces: NoMarks,
// or LabelMark, CredentialsMark or both. It is empty if the file has not been read for
// them. Nobody has checked that they are valid.
type Marks string

// The marks.
const (
	NoMarks         Marks = "none"
	LabelMark       Marks = "label"       // it says that it was made by AI
	CredentialsMark Marks = "credentials" // it has Content Credentials
)

// MarksOf returns the marks of a file that has been read.
func MarksOf(label, credentials bool) Marks {
	switch {
	case label && credentials:
		return LabelMark + " " + CredentialsMark
	case label:
		return LabelMark
	case credentials:
		return CredentialsMark
	}
	return NoMarks
}

// Has reports whether the mark is among the marks.
func (m Marks) Has(mark Marks) bool { return strings.Contains(" "+string(m)+" ", " "+string(mark)+" ") }
