package splice

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"slices"
)

// maxSeek limits the bytes of the elements with positions: the seek head and the cues.
const maxSeek = 16 << 20

// IDs of elements with positions that are not corrected.
const (
	idClusterPosition = 0xA7
	idCueCodecState   = 0xEA
	idCueReference    = 0xDB
)

// A webmLabel adds a label to a WebM file.
type webmLabel struct {
	file    io.ReaderAt
	size    int64
	segment element
	parts   []element // of the segment
	tags    []byte    // with the label
	changes []change
}

// labelWebM returns the changes that add the label. The tags go to the end of the file if
// the seek head has room to say so; else they go before the first cluster, and positions of
// what follows are corrected.
func labelWebM(file io.ReaderAt, size int64, text string) ([]change, error) {
	w := &webmLabel{file: file, size: size}
	if err := w.read(); err != nil {
		return nil, err
	}
	if err := w.collect(text); err != nil {
		return nil, err
	}
	if changes, ok := w.append(); ok {
		return changes, nil
	}
	return w.insert()
}

// read lists the parts of the only segment, which must reach to the end of the file.
func (w *webmLabel) read() error {
	for pos := int64(0); pos < w.size; {
		e, err := readElement(w.file, pos, w.size)
		if err != nil {
			return err
		}
		if e.open || w.segment.end > 0 {
			return unsupported("the size of its segment is not known, or something follows")
		}
		if e.id == idSegment {
			w.segment = e
		}
		pos = e.end
	}
	if w.segment.end != w.size {
		return errBroken
	}
	for pos := w.segment.at; pos < w.size; {
		e, err := readElement(w.file, pos, w.size)
		if err != nil {
			return err
		}
		if e.open || len(w.parts) == maxTopLevel || e.id == idCRC {
			return unsupported("the size of a part is not known, or it has too many or a checksum")
		}
		w.parts = append(w.parts, e)
		pos = e.end
	}
	return nil
}

// collect makes the tags of those that the file has, and of the label, and empties the
// former ones: some programs read only one Tags element.
func (w *webmLabel) collect(text string) error {
	all := [][]byte{}
	for i, e := range w.parts {
		if e.id != idTags {
			continue
		}
		b, err := e.content(w.file, maxMarkBytes)
		if err != nil {
			return err
		}
		found, err := fields(b)
		if err != nil {
			return err
		}
		for _, f := range found {
			if f.id == idTag {
				all = append(all, f.all)
			}
		}
		empty, ok := void(e.end - e.start)
		if !ok {
			return errBroken
		}
		w.changes = append(w.changes, change{e.start, e.start + int64(len(empty)), empty})
		w.parts[i].id = idVoid
	}
	label := put(idTag, put(idTargets), put(idSimpleTag, put(idTagName, []byte(labelKey)), put(idTagString, []byte(text))))
	w.tags = put(idTags, append(all, label)...)
	return nil
}

// void returns the ID and the size of an element without meaning that takes up size bytes
// in all. It reports whether there can be one.
func void(size int64) ([]byte, bool) {
	if size < 2 {
		return nil, false
	}
	if size < 9 {
		return []byte{idVoid, 0x80 | byte(size-2)}, true
	}
	return append([]byte{idVoid}, binary.BigEndian.AppendUint64(nil, 1<<56|uint64(size-9))...), true
}

// cluster returns the index of the first cluster.
func (w *webmLabel) cluster() int {
	return slices.IndexFunc(w.parts, func(e element) bool { return e.id == idCluster })
}

// resize returns the change of the size of the segment, which becomes longer.
func (w *webmLabel) resize(longer int64) (change, bool) {
	at := w.segment.start + 4 // after the ID
	width := int(w.segment.at - at)
	size := uint64(w.segment.end-w.segment.at) + uint64(longer)
	if width < 1 || width > 8 || size >= 1<<(7*width)-1 {
		return change{}, false
	}
	b := binary.BigEndian.AppendUint64(nil, size|1<<(7*width))
	return change{at, w.segment.at, b[8-width:]}, true
}

// A seekEntry is an entry of the seek head.
type seekEntry struct {
	id       uint32
	position uint64
	all      []byte
}

// seeks reads the seek head. One with a checksum is not changed.
func (w *webmLabel) seeks(head element) (list []seekEntry, err error) {
	b, err := head.content(w.file, maxSeek)
	if err != nil {
		return nil, err
	}
	found, err := fields(b)
	for _, f := range found {
		if f.id == idVoid {
			continue
		}
		inside, err := fields(f.body)
		if f.id != idSeek || err != nil {
			return nil, errBroken
		}
		e := seekEntry{all: f.all}
		for _, g := range inside {
			switch g.id {
			case idSeekID:
				e.id = uint32(g.uint())
			case idSeekPosition:
				e.position = g.uint()
			}
		}
		list = append(list, e)
	}
	return list, err
}

// append puts the tags at the end, and an entry for them into the seek head, in the room of
// the seek head and of the empty elements that follow it. If that is not enough, entries of
// what comes before the first cluster anyway make room.
func (w *webmLabel) append() ([]change, bool) {
	first := w.cluster()
	at := slices.IndexFunc(w.parts, func(e element) bool { return e.id == idSeekHead })
	if at < 0 || at > first {
		return nil, false
	}
	list, err := w.seeks(w.parts[at])
	if err != nil || slices.ContainsFunc(w.parts[at+1:], func(e element) bool { return e.id == idSeekHead }) {
		return nil, false
	}
	begin, end := w.parts[at].start, w.parts[at].end
	var emptied []int64 // former tags that the seek head takes up
	for _, e := range w.parts[at+1:] {
		if e.id != idVoid {
			break
		}
		emptied = append(emptied, e.start)
		end = e.end
	}
	list = slices.DeleteFunc(list, func(e seekEntry) bool { return e.id == idTags })
	space := end - begin
	for {
		head := w.seekHead(list)
		left := space - int64(len(head))
		empty, fits := void(left)
		if left == 0 || fits {
			size, ok := w.resize(int64(len(w.tags)))
			changes := slices.DeleteFunc(slices.Clone(w.changes), func(c change) bool { return slices.Contains(emptied, c.at) })
			by := append(head, empty...)
			return append(changes, size, change{begin, begin + int64(len(by)), by}, change{w.size, w.size, w.tags}), ok
		}
		i := slices.IndexFunc(list, func(e seekEntry) bool {
			return (e.id == idInfo || e.id == idTracks) && int64(e.position) < w.parts[first].start-w.segment.at
		})
		if i < 0 {
			return nil, false
		}
		list = slices.Delete(list, i, i+1)
	}
}

// seekHead returns a seek head with the entries, and with one for tags at the end.
func (w *webmLabel) seekHead(list []seekEntry) []byte {
	var parts [][]byte
	for _, e := range list {
		parts = append(parts, e.all)
	}
	position := binary.BigEndian.AppendUint64(nil, uint64(w.segment.end-w.segment.at))
	for len(position) > 1 && position[0] == 0 {
		position = position[1:]
	}
	parts = append(parts, put(idSeek, put(idSeekID, binary.BigEndian.AppendUint32(nil, idTags)), put(idSeekPosition, position)))
	return put(idSeekHead, parts...)
}

// insert puts the tags before the first cluster.
func (w *webmLabel) insert() ([]change, error) {
	first := w.cluster()
	if first < 0 {
		return nil, errBroken
	}
	longer := int64(len(w.tags))
	size, ok := w.resize(longer)
	if !ok {
		return nil, unsupported("its segment becomes too large")
	}
	at := w.parts[first].start
	changes := append(w.changes, size, change{at, at, w.tags})
	move := mover{behind: uint64(at - w.segment.at), by: uint64(longer)}
	for _, e := range w.parts {
		var b []byte
		var err error
		switch e.id {
		case idCluster:
			err = w.unplaced(e)
		case idSeekHead:
			if b, err = e.content(w.file, maxSeek); err == nil {
				err = move.seeks(b)
			}
		case idCues:
			if b, err = e.content(w.file, maxSeek); err == nil {
				err = move.cues(b)
			}
		}
		if err != nil {
			return nil, err
		}
		if b != nil {
			changes = append(changes, change{e.at, e.end, b})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	return changes, nil
}

// unplaced returns an error if the cluster says where it is.
func (w *webmLabel) unplaced(cluster element) error {
	for pos := cluster.at; pos < cluster.end; {
		e, err := readElement(w.file, pos, cluster.end)
		if errors.Is(err, io.EOF) || e.id == idSimpleBlock || e.id == idBlockGroup {
			return nil
		}
		if err != nil {
			return err
		}
		if e.id == idClusterPosition || e.id == idCRC {
			return unsupported("its clusters say where they are")
		}
		pos = e.end
	}
	return nil
}

// A mover corrects positions in a segment, at or behind one of them.
type mover struct{ behind, by uint64 }

// move corrects a position in place.
func (m mover) move(f field) error {
	n := f.uint()
	if len(f.body) == 0 || len(f.body) > 8 {
		return errBroken
	}
	if n < m.behind {
		return nil
	}
	n += m.by
	if len(f.body) < 8 && n >= 1<<(8*len(f.body)) {
		return unsupported("a position becomes too large")
	}
	b := binary.BigEndian.AppendUint64(nil, n)
	copy(f.body, b[8-len(f.body):])
	return nil
}

// seeks corrects the content of a seek head. It no longer tells where tags are: the file
// has them before the first cluster now, where they need no entry.
func (m mover) seeks(b []byte) error {
	found, err := fields(b)
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.id == idCRC {
			return unsupported("it has a checksum")
		}
		inside, err := fields(f.body)
		if f.id != idSeek || err != nil {
			continue
		}
		tags := slices.ContainsFunc(inside, func(g field) bool { return g.id == idSeekID && g.uint() == idTags })
		for _, g := range inside {
			if g.id != idSeekPosition {
				continue
			}
			if tags {
				empty, _ := void(int64(len(f.all)))
				copy(f.all, empty)
				break
			}
			if err := m.move(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// cues corrects the content of the cues.
func (m mover) cues(b []byte) error {
	points, err := fields(b)
	if err != nil {
		return err
	}
	for _, point := range points {
		if point.id == idCRC {
			return unsupported("it has a checksum")
		}
		if point.id != idCuePoint {
			continue
		}
		inside, err := fields(point.body)
		if err != nil {
			return err
		}
		for _, place := range inside {
			if place.id != idCuePositions {
				continue
			}
			if err := m.cue(place.body); err != nil {
				return err
			}
		}
	}
	return nil
}

// cue corrects the position of a track in a cue.
func (m mover) cue(b []byte) error {
	found, err := fields(b)
	if err != nil {
		return err
	}
	for _, f := range found {
		switch f.id {
		case idCueCluster:
			if err := m.move(f); err != nil {
				return err
			}
		case idCueCodecState, idCueReference, idCRC:
			return unsupported("its cues have other positions")
		}
	}
	return nil
}
