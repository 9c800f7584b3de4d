package splice

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Limits for the metadata that is read from one file. What exceeds them is ignored, but a
// label is still found among any number of other entries.
const (
	maxMarks     = 1000      // entries that are no labels
	maxLabels    = 100       // entries that are labels
	maxMark      = 128 << 10 // bytes of an entry
	maxMarkBytes = 1 << 20   // bytes of all entries, and of those of a film
	maxMarkReads = 1 << 17   // calls of ReadAt
	maxMarkRead  = 32 << 20  // bytes read
)

// labelKey is the key under which GB 45438-2025 has a file say that it was made by AI.
// Further labels of a film are called AIGC.2, AIGC.3, and so on.
const labelKey = "AIGC"

// Marks tells which marks of its origin a file carries. Nothing says that they are valid.
type Marks struct {
	Label       bool // that the video was made by AI
	Credentials bool // Content Credentials of C2PA
}

// Marks returns which marks the file carries.
func (c *Clip) Marks() Marks { return c.marks.found() }

// ReadMarks returns which marks a video file of size bytes carries. It reads only the
// headers and the metadata. Files of any other format carry none. The error is that of the
// file: what is wrong with its structure only hides marks.
func ReadMarks(file io.ReaderAt, size int64) (Marks, error) {
	m, err := readMarks(file, size)
	return m.found(), err
}

// marks holds the metadata of a file or a film.
type marks struct {
	entries     []entry
	keyed       bool   // an MP4 file has a list of keys, unlike iTunes' fixed kinds
	partial     bool   // some of the metadata is not in entries
	xmp         []byte // the box of an MP4 file with a packet of XMP
	credentials bool
	labels      int // entries that are labels
	others      int // entries that are not
	bytes       int // of all entries
}

// An entry is a value in the metadata, under a key.
type entry struct {
	key    string // as ffmpeg calls it
	data   []byte // MP4: the data boxes; WebM: the SimpleTag without its name
	value  string // tells whether two entries are equal
	space  string // MP4: the namespace of the key in the list of keys
	item   []byte // MP4: the whole box, as iTunes has it; nil if it has a key
	target []byte // WebM: what the tag is about; empty for the whole file
}

// isLabel reports whether the entry is a label, also a further one of a film.
func (e entry) isLabel() bool {
	name, number, more := strings.Cut(e.key, ".")
	if !strings.EqualFold(name, labelKey) {
		return false
	}
	n, err := strconv.Atoi(number)
	return !more || err == nil && n > 1
}

func (m *marks) found() Marks {
	f := Marks{Credentials: m.credentials, Label: labelledXMP(m.xmp)}
	for _, e := range m.entries {
		f.Label = f.Label || e.isLabel()
	}
	return f
}

// labelledXMP reports whether a packet of XMP says that the video was made by AI: with the
// namespace of GB 45438-2025, or with the digital source types of the IPTC.
func labelledXMP(packet []byte) bool {
	for _, text := range []string{"tc260.org.cn/ns/AIGC", "trainedAlgorithmicMedia", "WithTrainedAlgorithmicMedia"} {
		if bytes.Contains(packet, []byte(text)) {
			return true
		}
	}
	return false
}

// add adds an entry that was read from a file, within the limits.
func (m *marks) add(e entry) {
	label := e.isLabel()
	count, most := &m.others, maxMarks
	if label {
		count, most = &m.labels, maxLabels
	}
	bytes := m.bytes + len(e.key) + len(e.data)
	if e.key == "" || len(e.key)+len(e.data) > maxMark || *count == most || bytes > maxMarkBytes && !label {
		m.partial = true
		return
	}
	*count, m.bytes = *count+1, bytes
	m.entries = append(m.entries, e)
}

// lenient notes that a part of the metadata cannot be read because its structure is
// damaged, and returns any other error.
func (m *marks) lenient(err error) error {
	if errors.Is(err, errBroken) {
		m.partial, err = true, nil
	}
	return err
}

// readMarks reads the metadata of a file of size bytes.
func readMarks(file io.ReaderAt, size int64) (m marks, err error) {
	fault := &faultKeeper{file: file}
	r := &meter{fault, maxMarkReads, maxMarkRead}
	var head [8]byte
	if n, _ := r.ReadAt(head[:], 0); n < len(head) {
		return m, fault.err
	}
	if string(head[:4]) == ebmlMagic {
		err = readWebMMarks(&m, r, size)
	} else if string(head[4:]) == "ftyp" {
		err = readMP4Marks(&m, r, size)
	}
	m.partial = m.partial || err != nil
	return m, fault.err
}

// A faultKeeper reads a file and keeps its last error, to tell a file that cannot be read
// from one whose structure is damaged.
type faultKeeper struct {
	file io.ReaderAt
	err  error
}

// ReadAt implements io.ReaderAt.
func (f *faultKeeper) ReadAt(p []byte, off int64) (int, error) {
	n, err := f.file.ReadAt(p, off)
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// label adds a label with the text.
func (m *marks) label(to Container, text string) {
	e := entry{key: labelKey, space: "mdta", data: put(idTagString, []byte(text))}
	if to == MP4 {
		m.keyed, e.data = true, pack("data", words(1, 0), []byte(text))
	}
	m.entries = append([]entry{e}, m.entries...)
}

// joinMarks returns the metadata of a film of the clips: of several values for one key the
// first, but of different labels all. Credentials are a signature of the whole file, so
// that a film has none.
func joinMarks(clips []*Clip) (all marks) {
	var labels, others []entry
	seen := map[string]bool{}
	bytes := 0
	keep := func(list []entry, id string, e entry) []entry {
		if bytes += len(e.key) + len(e.data) + 64; seen[id] || bytes > maxMarkBytes {
			return list
		}
		seen[id] = true
		return append(list, e)
	}
	for _, c := range clips {
		all.keyed = all.keyed || c.marks.keyed
		if all.xmp == nil || labelledXMP(c.marks.xmp) && !labelledXMP(all.xmp) {
			all.xmp = c.marks.xmp
		}
		for _, e := range c.marks.entries {
			if e.isLabel() {
				labels = keep(labels, "="+e.value, e)
			}
		}
	}
	for _, c := range clips {
		for _, e := range c.marks.entries {
			if !e.isLabel() {
				others = keep(others, "/"+e.space+"/"+string(e.target)+"/"+e.key, e)
			}
		}
	}
	for i := range labels {
		labels[i].key, labels[i].target = labelKey, nil
		if i > 0 {
			labels[i].key = labelKey + "." + strconv.Itoa(i+1)
		}
	}
	all.entries = append(labels, others...)
	return all
}
