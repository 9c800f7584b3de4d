package splice

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// credentialTypes are the MIME types of an attachment with Content Credentials.
var credentialTypes = []string{"application/c2pa", "application/x-c2pa-manifest-store"}

// measured lists the tags with which programs note facts about a file, such as its length.
// They are not true of a film.
var measured = []string{"DURATION", "BPS", "NUMBER_OF_FRAMES", "NUMBER_OF_BYTES"}

// readWebMMarks reads the tags of a WebM file, and which files are attached.
func readWebMMarks(m *marks, r io.ReaderAt, size int64) error {
	w := &webm{clip: &Clip{file: r}}
	return w.each(element{end: size}, func(e element) error {
		if e.id != idSegment {
			return nil
		}
		err := w.each(e, func(e element) error {
			switch e.id {
			case idInfo:
				return m.lenient(m.info(w, e))
			case idTags:
				return m.lenient(m.tags(w, e))
			case idAttachments:
				return m.lenient(m.attachments(w, e))
			}
			return nil
		})
		if err != nil {
			return err
		}
		return io.EOF
	})
}

// info reads the title, which ffmpeg shows like a tag.
func (m *marks) info(w *webm, e element) error {
	b, err := e.content(w.clip.file, maxMark)
	if err != nil {
		return err
	}
	found, err := fields(b)
	for _, f := range found {
		if f.id == idTitle {
			m.add(entry{key: "TITLE", data: put(idTagString, f.body), value: string(f.body)})
		}
	}
	return err
}

// tags reads the tags. If they are not many bytes, they are read at once, because the
// storage may be far away.
func (m *marks) tags(w *webm, e element) error {
	if e.end-e.at <= maxMarkBytes {
		b, err := e.content(w.clip.file, maxMarkBytes)
		if err != nil {
			return err
		}
		w, e = &webm{clip: &Clip{file: inMemory(b)}}, element{end: int64(len(b))}
	}
	return w.each(e, func(e element) error {
		if e.id != idTag {
			return nil
		}
		return m.lenient(m.tag(w, e))
	})
}

// tag reads a tag: what it is about, and values under names.
func (m *marks) tag(w *webm, tag element) error {
	var target []byte
	whole := true
	err := w.each(tag, func(e element) error {
		if e.id != idTargets {
			return nil
		}
		b, err := e.content(w.clip.file, maxMark)
		if err != nil {
			return err
		}
		inside, err := fields(b)
		for _, t := range inside {
			about := slices.Contains([]uint32{idTagTrack, idTagEdition, idTagChapter, idTagAttachment}, t.id)
			whole = whole && (!about || t.uint() == 0)
			if !about && t.id != idCRC {
				target = append(target, t.all...)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.each(tag, func(e element) error {
		if e.id != idSimpleTag {
			return nil
		}
		b, err := e.content(w.clip.file, maxMark)
		if err == nil {
			err = m.simpleTag(b, target, whole)
		}
		return m.lenient(err)
	})
}

// simpleTag reads a value. One that is about a track, not about the whole file, only counts
// if it is a label.
func (m *marks) simpleTag(b, target []byte, whole bool) error {
	found, err := fields(b)
	if err != nil {
		return err
	}
	e := entry{target: target}
	for _, f := range found {
		switch f.id {
		case idTagName:
			e.key = strings.ToValidUTF8(strings.TrimRight(string(f.body), "\x00"), "?")
		case idCRC:
		default:
			if e.data = append(e.data, f.all...); f.id == idTagString {
				e.value = string(f.body)
			}
		}
	}
	if e.value == "" {
		e.value = string(e.data)
	}
	if slices.Contains(measured, strings.ToUpper(e.key)) || strings.HasPrefix(e.key, "_STATISTICS") || !whole && !e.isLabel() {
		return nil
	}
	m.add(e)
	return nil
}

// attachments looks for a file with Content Credentials, by its type and by its first bytes:
// it is a JUMBF box.
func (m *marks) attachments(w *webm, e element) error {
	return w.each(e, func(e element) error {
		if e.id != idAttachedFile {
			return nil
		}
		return w.each(e, func(e element) error {
			switch e.id {
			case idFileType:
				b, err := e.content(w.clip.file, 100)
				m.credentials = m.credentials || slices.Contains(credentialTypes, strings.ToLower(string(bytes.TrimRight(b, "\x00"))))
				return m.lenient(err)
			case idFileData:
				var head [8]byte
				n, _ := w.clip.file.ReadAt(head[:min(8, e.end-e.at)], e.at)
				m.credentials = m.credentials || n == len(head) && string(head[4:]) == "jumb"
			}
			return nil
		})
	})
}

// webm returns a Tags element with all entries, nil if there are none.
func (m *marks) webm() []byte {
	var tags []byte
	for left := m.entries; len(left) > 0; {
		target := left[0].target
		parts := [][]byte{put(idTargets, target)}
		var later []entry
		for _, e := range left {
			if bytes.Equal(e.target, target) {
				parts = append(parts, put(idSimpleTag, put(idTagName, []byte(e.key)), e.data))
			} else {
				later = append(later, e)
			}
		}
		tags, left = append(tags, put(idTag, parts...)...), later
	}
	if tags == nil {
		return nil
	}
	return put(idTags, tags)
}
