package splice

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
)

// The kinds of the boxes that a uuid names: C2PA 2.1, section A.5, and XMP part 3.
var (
	credentialsUUID = []byte("\xd8\xfe\xc3\xd6\x1b\x0e\x48\x3c\x92\x97\x58\x28\x87\x7e\xc4\x81")
	xmpUUID         = []byte("\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac")
)

// iTunesKeys maps the kinds of iTunes' entries to keys, as ffmpeg does.
var iTunesKeys = map[string]string{
	"\xa9nam": "title", "\xa9ART": "artist", "aART": "album_artist", "\xa9wrt": "composer", "\xa9alb": "album",
	"\xa9day": "date", "\xa9too": "encoder", "\xa9cmt": "comment", "\xa9gen": "genre", "cprt": "copyright",
	"\xa9grp": "grouping", "\xa9lyr": "lyrics", "desc": "description", "ldes": "synopsis",
}

// readMP4Marks reads the metadata of an MP4 file: the boxes moov/udta/meta and moov/meta,
// and those at the top level whose kind is a uuid.
func readMP4Marks(m *marks, r io.ReaderAt, size int64) error {
	return eachBox(r, size, func(kind string, start, at, end int64) error {
		switch kind {
		case "uuid":
			return m.uuid(r, at, end)
		case "moov":
			return m.lenient(eachBoxIn(r, at, end, func(kind string, _, at, end int64) error {
				return m.inMovie(r, kind, at, end)
			}))
		}
		return nil
	})
}

// inMovie reads a child of the moov box.
func (m *marks) inMovie(r io.ReaderAt, kind string, at, end int64) error {
	switch kind {
	case "meta":
		return m.lenient(m.meta(r, at, end))
	case "udta":
		return m.lenient(eachBoxIn(r, at, end, func(kind string, _, at, end int64) error {
			switch kind {
			case "meta":
				return m.lenient(m.meta(r, at, end))
			case "XMP_":
				return m.packet(r, at, end)
			}
			return nil
		}))
	}
	return nil
}

// uuid reads a box whose kind is a uuid.
func (m *marks) uuid(r io.ReaderAt, at, end int64) error {
	var id [16]byte
	if end-at < int64(len(id)) {
		return nil
	}
	if _, err := r.ReadAt(id[:], at); err != nil {
		return err
	}
	switch {
	case bytes.Equal(id[:], credentialsUUID):
		m.credentials = true
	case bytes.Equal(id[:], xmpUUID):
		return m.packet(r, at+int64(len(id)), end)
	}
	return nil
}

// packet reads a packet of XMP. A film has it at the top level, where all programs find it.
func (m *marks) packet(r io.ReaderAt, at, end int64) error {
	if end-at > maxMark {
		m.partial = true
		return nil
	}
	b := make([]byte, end-at)
	if _, err := r.ReadAt(b, at); err != nil {
		return err
	}
	if m.xmp == nil || labelledXMP(b) {
		m.xmp = pack("uuid", xmpUUID, b)
	}
	return nil
}

// meta reads a meta box with a handler, with a list of keys unless the handler is iTunes',
// and with a list of items. In QuickTime, its children follow the header at once, in MP4
// they follow a version.
func (m *marks) meta(r io.ReaderAt, at, end int64) error {
	var head [8]byte
	if end-at < int64(len(head)) {
		return nil
	}
	if _, err := r.ReadAt(head[:], at); err != nil {
		return err
	}
	if string(head[4:]) != "hdlr" {
		at += 4
	}
	if end-at <= maxMarkBytes { // read at once, because the storage may be far away
		b := make([]byte, end-at)
		if _, err := r.ReadAt(b, at); err != nil {
			return err
		}
		r, at, end = inMemory(b), 0, int64(len(b))
	}
	keyed := false
	var keys []entry
	return eachBoxIn(r, at, end, func(kind string, _, at, end int64) error {
		switch kind {
		case "hdlr":
			b, err := atMost(r, at, end)
			keyed = len(b) >= 12 && string(b[8:12]) == "mdta"
			return err
		case "keys":
			b, err := atMost(r, at, end)
			keys = keyList(b)
			return err
		case "ilst":
			m.keyed = m.keyed || keyed
			return m.items(r, at, end, func(kind string, item, body []byte) {
				if keyed {
					m.addKeyed(keys, kind, body)
				} else {
					m.addITunes(kind, item, body)
				}
			})
		}
		return nil
	})
}

// items calls add for every item of a list.
func (m *marks) items(r io.ReaderAt, at, end int64, add func(kind string, item, body []byte)) error {
	return eachBoxIn(r, at, end, func(kind string, start, at, end int64) error {
		b, err := atMost(r, start, end)
		if b == nil || err != nil {
			m.partial = true
			return err
		}
		add(kind, b, b[at-start:])
		return nil
	})
}

// atMost reads the bytes between the offsets, nil if they are more than maxMark.
func atMost(r io.ReaderAt, at, end int64) ([]byte, error) {
	if end-at > maxMark {
		return nil, nil
	}
	b := make([]byte, end-at)
	_, err := r.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return b, err
}

// inMemory returns a reader of bytes in memory that ends as a file does.
func inMemory(b []byte) io.ReaderAt { return bytes.NewReader(b) }

// keyList reads the list of keys.
func keyList(b []byte) (keys []entry) {
	c := cursor{b: b}
	_, n := c.table(8)
	for range n {
		size, space := int(c.u32())-8, string(c.b[:min(4, len(c.b))])
		if c.skip(4); c.broken || size < 0 || size > len(c.b) {
			return keys
		}
		keys = append(keys, entry{key: strings.ToValidUTF8(string(c.b[:size]), "?"), space: space})
		c.skip(size)
	}
	return keys
}

// addKeyed adds an item whose kind is the number of its key, from 1.
func (m *marks) addKeyed(keys []entry, kind string, body []byte) {
	n := binary.BigEndian.Uint32([]byte(kind))
	data := dataBoxes(body)
	if n == 0 || uint64(n) > uint64(len(keys)) || data == nil {
		m.partial = true
		return
	}
	e := keys[n-1]
	e.data, e.value = data, string(data)
	m.add(e)
}

// addITunes adds an item whose kind says what it is, or that has a name of its own.
func (m *marks) addITunes(kind string, item, body []byte) {
	e := entry{key: iTunesKeys[kind], space: "mdta", item: item, data: dataBoxes(body)}
	e.value = string(e.data)
	if name := child(body, "name"); kind == "----" && len(name) > 4 {
		e.key = strings.ToValidUTF8(string(name[4:]), "?")
	} else if e.key == "" {
		e.key = latin(kind)
	}
	if e.data == nil {
		m.partial = true
		return
	}
	m.add(e)
}

// latin decodes the four letters of a kind, which may be those of ISO 8859-1.
func latin(kind string) string {
	var text strings.Builder
	for _, c := range []byte(kind) {
		text.WriteRune(rune(c))
	}
	return text.String()
}

// dataBoxes returns the boxes with values of an item, nil if there are none.
func dataBoxes(item []byte) (data []byte) {
	found, err := boxes(item)
	for _, b := range found {
		if err == nil && b.kind == "data" && len(b.body) >= 8 {
			data = append(data, b.all...)
		}
	}
	return data
}

// mp4 returns a meta box with all entries, nil if there are none. If each is as iTunes has
// it, they stay so; else they get a list of keys, as a file can have only one of the two.
func (m *marks) mp4() []byte {
	if len(m.entries) == 0 {
		return nil
	}
	var keys, items []byte
	for i, e := range m.entries {
		keys = append(keys, keyOf(e)...)
		if m.keyed {
			items = append(items, pack(string(words(uint32(i+1))), e.data)...)
		} else {
			items = append(items, e.iTunes()...)
		}
	}
	if !m.keyed {
		return pack("meta", words(0), pack("hdlr", words(0, 0), []byte("mdirappl"), make([]byte, 9)), pack("ilst", items))
	}
	return pack("meta", words(0), pack("hdlr", words(0, 0), []byte("mdta"), make([]byte, 13)),
		pack("keys", words(0, uint32(len(m.entries))), keys), pack("ilst", items))
}

// keyOf returns the key of an entry for the list of keys.
func keyOf(e entry) []byte { return pack(e.space, []byte(e.key)) }

// iTunes returns the entry as iTunes has it. One with a key of its own says so.
func (e entry) iTunes() []byte {
	if e.item != nil && !e.isLabel() {
		return e.item
	}
	return pack("----", pack("mean", words(0), []byte("com.apple.iTunes")), pack("name", words(0), []byte(e.key)), e.data)
}
