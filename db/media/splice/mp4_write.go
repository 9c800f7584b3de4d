package splice

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// An mp4Out is a track of the film while it is laid out. Its packets are in decoding
// order.
type mp4Out struct {
	kind    string // vide or soun
	from    *track
	scale   int64
	packets []placed
	decode  []int64 // decoding time of each packet
	shift   []int64 // composition offset of each packet; nil if all are 0
	end     int64   // end of the last packet
	edits   []edit
	chunks  []chunk
}

// A chunk is a sequence of contiguous packets of one track.
type chunk struct {
	count int
	at    int64 // offset from the first packet in the file
}

// mp4 lays the film out, with the index before the packets.
func (p *plan) mp4(f *Film) error {
	tracks := []*mp4Out{p.pictureTrack()}
	if len(p.audio) > 0 {
		tracks = append(tracks, p.soundTrack())
	}
	for _, t := range tracks {
		if t.end > math.MaxUint32 || p.end() > math.MaxUint32 {
			return unsupported("the film is too long")
		}
	}
	order, size := interleave(tracks)
	header := append(pack("ftyp", []byte("isom"), words(512), []byte("isomiso2mp41")), p.marks.xmp...)
	wide := size > math.MaxUint32-(1<<30)
	mdat := pack("mdat")
	binary.BigEndian.PutUint32(mdat, uint32(size+8))
	if wide {
		mdat = append(words(1), "mdat"...)
		mdat = binary.BigEndian.AppendUint64(mdat, uint64(size+16))
	}
	moov := p.moov(tracks, 0, wide) // only its length is used
	moov = p.moov(tracks, int64(len(header)+len(moov)+len(mdat)), wide)
	f.add(slices.Concat(header, moov, mdat), nil)
	for _, q := range order {
		f.add(nil, q)
	}
	return nil
}

// pictureTrack computes the times of the frames in the video track. Hidden frames are
// decoded where others need them, but presented for one tick each after the end of the
// film. A single edit, which most players support, cuts that part off.
func (p *plan) pictureTrack() *mp4Out {
	t := &mp4Out{kind: "vide", from: p.cuts[0].Clip.video, scale: p.scale, packets: p.video}
	var shown []int64
	for _, q := range p.video {
		if !q.hidden {
			shown = append(shown, q.time)
		}
	}
	slices.Sort(shown)
	t.end = p.end()
	late, now := int64(0), int64(-1)
	times := make([]int64, len(p.video))
	for i, q := range p.video {
		if q.hidden {
			now++
			times[i] = t.end
			t.end++
		} else {
			now = max(now+1, shown[0])
			shown = shown[1:]
			times[i] = q.time
			late = max(late, now-q.time)
		}
		t.decode = append(t.decode, now)
	}
	plain := true
	for i := range times {
		t.shift = append(t.shift, times[i]+late-t.decode[i])
		plain = plain && t.shift[i] == 0
	}
	if plain {
		t.shift = nil
	}
	t.end = max(t.end, now+1)
	t.edits = []edit{{p.end(), late}}
	return t
}

// soundTrack shifts the times of the audio so that they begin at zero. An edit selects
// the part that is heard.
func (p *plan) soundTrack() *mp4Out {
	clip := p.cuts[0].Clip
	t := &mp4Out{kind: "soun", from: clip.audio, scale: clip.audio.scale, packets: p.audio}
	first := p.audio[0].time
	for _, q := range p.audio {
		t.decode = append(t.decode, q.time-first)
		t.end = q.end() - first
	}
	late := int64(0)
	if first > 0 {
		late = min(rescale(first, t.scale, p.scale), p.end()-1)
		t.edits = append(t.edits, edit{late, -1})
	}
	heard := rescale(t.end-max(0, -first), t.scale, p.scale)
	t.edits = append(t.edits, edit{max(1, min(heard, p.end()-late)), max(0, -first)})
	return t
}

// interleave groups the packets that are decoded in the same half second into chunks.
// It returns all packets in file order, and their total size.
func interleave(tracks []*mp4Out) (order []*placed, size int64) {
	next := make([]int, len(tracks))
	for {
		end := int64(math.MaxInt64)
		for k, t := range tracks {
			if next[k] < len(t.packets) {
				end = min(end, rescale(t.decode[next[k]], t.scale, int64(time.Second))+int64(time.Second/2))
			}
		}
		if end == math.MaxInt64 {
			return order, size
		}
		for k, t := range tracks {
			c := chunk{at: size}
			until := rescale(end, int64(time.Second), t.scale)
			for i := next[k]; i < len(t.packets) && t.decode[i] < until; i++ {
				order = append(order, &t.packets[i])
				size += int64(t.packets[i].size)
				c.count++
			}
			if next[k] += c.count; c.count > 0 {
				t.chunks = append(t.chunks, c)
			}
		}
	}
}
