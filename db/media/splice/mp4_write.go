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

// unity is the transformation matrix that leaves the picture as it is.
var unity = words(1<<16, 0, 0, 0, 1<<16, 0, 0, 0, 1<<30)

// moov returns the film's index. The packets begin at the offset start in the file.
// With wide, offsets have 64 bits.
func (p *plan) moov(tracks []*mp4Out, start int64, wide bool) []byte {
	parts := [][]byte{pack("mvhd", words(0, 0, 0, uint32(p.scale), uint32(p.end()), 1<<16, 1<<24, 0, 0), unity,
		make([]byte, 24), words(uint32(len(tracks)+1)))}
	for i, t := range tracks {
		parts = append(parts, t.trak(uint32(i+1), uint32(p.end()), start, wide))
	}
	if entries := p.marks.mp4(); entries != nil {
		parts = append(parts, pack("udta", entries))
	}
	return pack("moov", parts...)
}

// trak describes one track of a film that is length ticks long.
func (t *mp4Out) trak(id, length uint32, start int64, wide bool) []byte {
	name, kind := "VideoHandler\x00", pack("vmhd", words(1, 0, 0))
	volume, matrix := uint32(0), t.from.matrix
	if t.kind == "soun" {
		name, kind, volume = "SoundHandler\x00", pack("smhd", words(0, 0)), 1<<24
	}
	if len(matrix) != len(unity) {
		matrix = unity
	}
	return pack("trak",
		pack("tkhd", words(3, 0, 0, id, 0, length, 0, 0, 0, volume), matrix, words(uint32(t.from.width)<<16, uint32(t.from.height)<<16)),
		pack("edts", t.elst()),
		pack("mdia",
			pack("mdhd", words(0, 0, 0, uint32(t.scale), uint32(t.end), 0x55c4<<16)),
			pack("hdlr", words(0, 0), []byte(t.kind), make([]byte, 12), []byte(name)),
			pack("minf", kind,
				pack("dinf", pack("dref", words(0, 1), pack("url ", words(1)))),
				t.stbl(start, wide))))
}

func (t *mp4Out) elst() []byte {
	rows := words(0, uint32(len(t.edits)))
	for _, e := range t.edits {
		rows = append(rows, words(uint32(e.length), uint32(e.from), 1<<16)...)
	}
	return pack("elst", rows)
}

// stbl returns the tables of the packets' durations, sizes and offsets.
func (t *mp4Out) stbl(start int64, wide bool) []byte {
	var keys, sizes []uint32
	var times, shifts runs
	for i, p := range t.packets {
		end := t.end
		if i+1 < len(t.packets) {
			end = t.decode[i+1]
		}
		times.add(uint32(end - t.decode[i]))
		if t.shift != nil {
			shifts.add(uint32(t.shift[i]))
		}
		sizes = append(sizes, uint32(p.size))
		if p.key {
			keys = append(keys, uint32(i+1))
		}
	}
	parts := [][]byte{
		pack("stsd", words(0, 1), t.from.entry),
		pack("stts", times.rows()),
	}
	if t.shift != nil {
		parts = append(parts, pack("ctts", shifts.rows()))
	}
	if len(keys) < len(t.packets) {
		parts = append(parts, pack("stss", words(0, uint32(len(keys))), words(keys...)))
	}
	parts = append(parts, pack("stsc", t.perChunk()), pack("stsz", words(0, 0, uint32(len(sizes))), words(sizes...)))
	places := words(0, uint32(len(t.chunks)))
	for _, c := range t.chunks {
		if wide {
			places = binary.BigEndian.AppendUint64(places, uint64(start+c.at))
		} else {
			places = binary.BigEndian.AppendUint32(places, uint32(start+c.at))
		}
	}
	if wide {
		return pack("stbl", append(parts, pack("co64", places))...)
	}
	return pack("stbl", append(parts, pack("stco", places))...)
}

// perChunk returns the table of the numbers of packets per chunk (stsc).
func (t *mp4Out) perChunk() []byte {
	var rows []uint32
	last := 0
	for i, c := range t.chunks {
		if c.count != last {
			rows = append(rows, uint32(i+1), uint32(c.count), 1)
			last = c.count
		}
	}
	return append(words(0, uint32(len(rows)/3)), words(rows...)...)
}

// runs is a run-length encoding of numbers.
type runs []struct{ count, value uint32 }

func (r *runs) add(value uint32) {
	if n := len(*r); n > 0 && (*r)[n-1].value == value {
		(*r)[n-1].count++
		return
	}
	*r = append(*r, struct{ count, value uint32 }{1, value})
}

func (r runs) rows() []byte {
	rows := words(0, uint32(len(r)))
	for _, run := range r {
		rows = append(rows, words(run.count, run.value)...)
	}
	return rows
}
