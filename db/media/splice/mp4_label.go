package splice

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
)

// maxTopLevel limits how many boxes or elements a file has that a label is added to.
const maxTopLevel = 1 << 15

// labelMP4 returns the changes that add the label. The moov box becomes longer. If a free
// box after it is large enough, that becomes shorter, and nothing moves; else the offsets
// of everything behind it are corrected.
func labelMP4(file io.ReaderAt, size int64, before marks, text string) ([]change, error) {
	var moov, free struct{ start, at, end int64 }
	count := 0
	err := eachBox(file, size, func(kind string, start, at, end int64) error {
		count++
		switch {
		case count > maxTopLevel:
			return unsupported("too many parts")
		case kind == "moof" || kind == "mfra" || kind == "sidx":
			return unsupported("it has fragments")
		case kind == "meta":
			return unsupported("it has metadata outside of moov")
		case kind == "moov" && moov.end > 0:
			return errBroken
		case kind == "moov":
			moov.start, moov.at, moov.end = start, at, end
		case (kind == "free" || kind == "skip") && start == moov.end && moov.end > 0:
			free.start, free.at, free.end = start, at, end
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if moov.end == 0 || moov.end-moov.at > maxIndex {
		return nil, errBroken
	}
	b := make([]byte, moov.end-moov.at)
	if _, err := file.ReadAt(b, moov.at); err != nil {
		return nil, err
	}
	with, err := labelMovie(b, before, text)
	if err != nil {
		return nil, err
	}
	longer := int64(len(with)) - (moov.end - moov.start)
	if space := free.end - free.start; free.end > 0 && longer > 0 && (space == longer || space >= longer+8) && space < math.MaxUint32 {
		left := space - longer
		if left > 0 {
			with = append(with, words(uint32(left))...)
			with = append(with, "free"...)
			return []change{{moov.start, free.end - left + 8, with}}, nil
		}
		return []change{{moov.start, free.end, with}}, nil
	}
	if err := moveChunks(with[8:], moov.end, longer); err != nil {
		return nil, err
	}
	return []change{{moov.start, moov.end, with}}, nil
}

// labelMovie returns the moov box with the label, given its content.
func labelMovie(b []byte, before marks, text string) ([]byte, error) {
	// Offsets of parts of the file occur in boxes that are not corrected, too.
	for _, kind := range []string{"mvex", "cmov", "iloc", "saio", "rmra"} {
		if bytes.Contains(b, []byte(kind)) {
			return nil, unsupported("it has %s", kind)
		}
	}
	found, err := boxes(b)
	if err != nil {
		return nil, err
	}
	parts := [][]byte{}
	var udta []byte
	has := false
	for _, box := range found {
		if box.kind == "udta" && has {
			return nil, errBroken
		}
		if box.kind == "udta" {
			udta, has = box.body, true
			continue
		}
		parts = append(parts, box.all)
	}
	data := pack("data", words(1, 0), []byte(text))
	with, err := labelUserData(udta, before, entry{key: labelKey, space: "mdta", data: data})
	if err != nil {
		return nil, err
	}
	moov := pack("moov", append(parts, with)...)
	if int64(len(moov)) > maxIndex {
		return nil, unsupported("the index is too large")
	}
	return moov, nil
}

// labelUserData returns the udta box with the label, given its content. Entries as iTunes
// has them get keys, as a file can have only one of the two.
func labelUserData(b []byte, before marks, label entry) ([]byte, error) {
	found, err := boxes(b)
	if err != nil {
		return nil, err
	}
	var parts [][]byte
	rest := len(b)
	meta := []byte(nil)
	for _, box := range found {
		rest -= len(box.all)
		if box.kind != "meta" {
			parts = append(parts, box.all)
			continue
		}
		if meta != nil {
			return nil, errBroken
		}
		if meta, err = labelMeta(box.body, before, label); err != nil {
			return nil, err
		}
	}
	if meta == nil {
		if len(before.entries) > 0 {
			return nil, unsupported("it has metadata elsewhere")
		}
		all := marks{keyed: true, entries: []entry{label}}
		meta = all.mp4()
	}
	parts = append(parts, meta, b[len(b)-rest:]) // the rest is the end mark of QuickTime
	return pack("udta", parts...), nil
}

// labelMeta returns the meta box with the label, given its content.
func labelMeta(b []byte, before marks, label entry) ([]byte, error) {
	if len(b) < 12 || string(b[8:12]) != "hdlr" {
		return nil, unsupported("its metadata is as QuickTime has it")
	}
	found, err := boxes(b[4:])
	if err != nil {
		return nil, err
	}
	var keys, items []byte
	lists := 0
	parts := [][]byte{b[:4]}
	for _, box := range found {
		switch box.kind {
		case "hdlr":
			if len(box.body) < 12 {
				return nil, errBroken
			}
			if kind := string(box.body[8:12]); kind == "mdir" {
				all := marks{keyed: true, entries: append(append([]entry{}, before.entries...), label)}
				return all.mp4(), onlyITunes(found)
			} else if kind != "mdta" {
				return nil, unsupported("its metadata is of another kind")
			}
			parts = append(parts, box.all)
		case "keys":
			keys, lists = box.body, lists+1
		case "ilst":
			items, lists = box.body, lists+1
		default:
			parts = append(parts, box.all)
		}
	}
	c := cursor{b: keys}
	_, n := c.table(8)
	if c.broken || lists != 2 || len(keyList(keys)) != n {
		return nil, errBroken
	}
	list := append(words(binary.BigEndian.Uint32(keys), uint32(n+1)), keys[8:]...)
	list = append(list, keyOf(label)...)
	item := pack(string(words(uint32(n+1))), label.data)
	return pack("meta", append(parts, pack("keys", list), pack("ilst", items, item))...), nil
}

// onlyITunes returns an error unless the boxes are those whose content marks has.
func onlyITunes(found []box) error {
	for _, b := range found {
		if b.kind != "hdlr" && b.kind != "ilst" && b.kind != "free" {
			return unsupported("it has %q among its metadata", b.kind)
		}
	}
	return nil
}

// moveChunks adds by to the offsets of all chunks at or behind an offset of the file.
func moveChunks(moov []byte, behind, by int64) error {
	found, err := boxes(moov)
	if err != nil {
		return err
	}
	for _, box := range found {
		if box.kind != "trak" {
			continue
		}
		info := descend(box.body, "mdia", "minf")
		if err := inOneFile(descend(info, "dinf", "dref")); err != nil {
			return err
		}
		table := child(info, "stbl")
		narrow, wide := child(table, "stco"), child(table, "co64")
		if (narrow == nil) == (wide == nil) {
			return errBroken
		}
		if err := moveOffsets(narrow, 4, behind, by); err != nil {
			return err
		}
		if err := moveOffsets(wide, 8, behind, by); err != nil {
			return err
		}
	}
	return nil
}

// inOneFile returns an error if the list of references is not empty and one of them names
// another file.
func inOneFile(dref []byte) error {
	if len(dref) < 8 {
		return errBroken
	}
	found, err := boxes(dref[8:])
	for _, b := range found {
		if len(b.body) < 4 || b.body[3]&1 == 0 {
			return unsupported("its frames are in another file")
		}
	}
	return err
}

// moveOffsets corrects a table of offsets of width bytes each.
func moveOffsets(b []byte, width int, behind, by int64) error {
	if b == nil {
		return nil
	}
	c := cursor{b: b}
	_, n := c.table(width)
	if c.broken {
		return errBroken
	}
	for i := range n {
		row := b[8+i*width:][:width]
		at := cursor{b: row}
		offset := at.uint(width)
		if offset > math.MaxInt64-1<<40 || int64(offset) < behind {
			continue
		}
		moved := int64(offset) + by
		switch {
		case width == 8:
			binary.BigEndian.PutUint64(row, uint64(moved))
		case moved > math.MaxUint32:
			return unsupported("an offset becomes too large")
		default:
			binary.BigEndian.PutUint32(row, uint32(moved))
		}
	}
	return nil
}
