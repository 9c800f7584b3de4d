package splice

import (
	"io"
	"time"
)

// isWebM reports whether an EBML file says that it is WebM.
func isWebM(file io.ReaderAt, size int64) bool {
	head, err := readElement(file, 0, size)
	if err != nil || head.id != idEBML {
		return false
	}
	b, err := head.content(file, 1<<10)
	if err != nil {
		return false
	}
	found, _ := fields(b)
	for _, f := range found {
		if f.id == idDocType {
			return string(f.body) == "webm"
		}
	}
	return false
}

// inspect selects the track for Inspect, which accepts any codec.
func (w *webm) inspect(t *track, kind uint64, id string, private []byte) error {
	t.codecs = matroskaCodec(id, private)
	switch {
	case kind == 1 && w.clip.video == nil:
		w.clip.video = t
	case kind == 2 && w.clip.audio == nil:
		w.clip.audio = t
	default:
		return nil
	}
	if t.number > 0 && t.number <= 126 {
		w.tracks[t.number] = t
	}
	return nil
}

// seekHead notes where the file says that its parts are.
func (w *webm) seekHead(e element) error {
	seeks, err := w.fields(e)
	for _, seek := range seeks {
		if seek.id != idSeek {
			continue
		}
		inside, err := fields(seek.body)
		if err != nil {
			return err
		}
		for _, f := range inside {
			if f.id == idSeekPosition && len(w.places) < maxParts {
				w.places = append(w.places, f.uint())
			}
		}
	}
	return err
}

// whole checks that each part is in the file, of size bytes, and that the packets go on until
// where the file says that it ends.
func (w *webm) whole(size int64) error {
	for _, at := range w.places {
		if at >= uint64(size-w.segment) {
			return errBroken
		}
	}
	last, any := int64(0), false
	for _, t := range w.tracks {
		for _, p := range t.packets {
			last, any = max(last, p.end()), true
		}
	}
	stated := int64(0)
	if s := w.stated * float64(w.tick); s > 0 && s < maxWebMTime {
		stated = int64(s)
	}
	if !any || endsEarly(stated, last, int64(time.Second)) {
		return errBroken
	}
	if v := w.clip.video; v != nil && v.codecs == "vp9" && len(v.packets) > 0 {
		if b := w.vp9(v.packets[0]); b != nil {
			v.codecs = vp9Codec(b[0]>>5&1 | b[0]>>4&1<<1)
		}
	}
	return nil
}
