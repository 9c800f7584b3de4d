package splice

import (
	"encoding/binary"
	"math"
	"slices"
	"time"
)

// Lengths of clusters in milliseconds. After clusterLength, the next key frame begins a
// new cluster; after longCluster, any packet does.
const (
	clusterLength = 1000
	longCluster   = 5000
)

// webmHeader is the EBML header of a WebM file.
var webmHeader = put(idEBML,
	put(0x4286, []byte{1}), put(0x42F7, []byte{1}), put(0x42F2, []byte{4}), put(0x42F3, []byte{8}),
	put(idDocType, []byte("webm")), put(0x4287, []byte{4}), put(0x4285, []byte{2}))

// A webmBlock is a packet with its time in milliseconds.
type webmBlock struct {
	*placed
	track *track
	time  int64
}

// webm lays the film out. Seek head and cues precede the clusters, so that a browser
// can seek at once.
func (p *plan) webm(f *Film) {
	var clusters [][]webmBlock
	blocks := p.blocks()
	for i, b := range blocks {
		age := int64(longCluster)
		if i > 0 {
			age = b.time - clusters[len(clusters)-1][0].time
		}
		if age >= longCluster || age >= clusterLength && b.key && b.track == p.cuts[0].Clip.video {
			clusters = append(clusters, nil)
		}
		last := &clusters[len(clusters)-1]
		*last = append(*last, b)
	}
	heads, sizes := make([][]byte, len(clusters)), make([]int64, len(clusters))
	total := int64(0)
	for i, c := range clusters {
		stamp := putUint(idTimestamp, uint64(c[0].time))
		size := int64(len(stamp))
		for _, b := range c {
			size += int64(len(b.head(c[0].time)) + b.size)
		}
		heads[i] = append(putHead(idCluster, uint64(size)), stamp...)
		sizes[i] = size + int64(len(heads[i])-len(stamp))
		total += sizes[i]
	}
	f.add(p.webmHead(clusters, sizes, total), nil)
	for i, c := range clusters {
		for k, b := range c {
			head := b.head(c[0].time)
			if k == 0 {
				head = append(heads[i], head...)
			}
			f.add(head, b.placed)
		}
	}
}

// blocks returns the packets of both tracks, merged by time.
func (p *plan) blocks() []webmBlock {
	clip := p.cuts[0].Clip
	blocks := make([]webmBlock, 0, len(p.video)+len(p.audio))
	v, a := p.video, p.audio
	last := int64(0)
	for len(v) > 0 || len(a) > 0 {
		from, t := &v, clip.video
		if len(v) == 0 || len(a) > 0 && a[0].time+clip.audio.delay < v[0].time {
			from, t = &a, clip.audio
		}
		b := webmBlock{&(*from)[0], t, 0}
		*from = (*from)[1:]
		last = max(last, rescale(b.placed.time+t.delay, webmScale, 1000))
		b.time = last
		blocks = append(blocks, b)
	}
	return blocks
}

// head returns the header of the packet's SimpleBlock in a cluster with the time.
func (b webmBlock) head(cluster int64) []byte {
	flags := byte(0)
	if b.key {
		flags |= 0x80
	}
	if b.hidden {
		flags |= 0x08
	}
	head := putHead(idSimpleBlock, uint64(4+b.size))
	head = append(head, 0x80|byte(b.track.number))
	head = binary.BigEndian.AppendUint16(head, uint16(b.time-cluster))
	return append(head, flags)
}

// webmHead returns everything before the clusters, which have total bytes. As all
// numbers in it have a fixed width, a first round determines the lengths that the
// second one needs.
func (p *plan) webmHead(clusters [][]webmBlock, sizes []int64, total int64) []byte {
	clip := p.cuts[0].Clip
	info := put(idInfo,
		putUint(idTimestampScale, uint64(time.Millisecond)),
		put(idMuxingApp, []byte("dailies")), put(idWritingApp, []byte("dailies")),
		put(idDuration, binary.BigEndian.AppendUint64(nil, math.Float64bits(float64(p.end())/float64(p.scale)*1000))))
	tracks := put(idTracks, p.webmTrack((*Clip).pictureTrack), p.webmTrack((*Clip).soundTrack))
	tags := p.marks.webm()
	var head []byte
	length := 0
	for range 2 {
		seek := func(id uint32, at int) []byte {
			return put(idSeek, put(idSeekID, binary.BigEndian.AppendUint32(nil, id)), putUint(idSeekPosition, uint64(at)))
		}
		seekTags := func(at int) []byte {
			if tags == nil {
				return nil
			}
			return seek(idTags, at)
		}
		seekHead := len(put(idSeekHead, seek(idInfo, 0), seek(idTracks, 0), seekTags(0), seek(idCues, 0)))
		var points [][]byte
		at := int64(length)
		for i, c := range clusters {
			for _, b := range c {
				if b.key && b.track == clip.video {
					points = append(points, put(idCuePoint, putUint(idCueTime, uint64(b.time)),
						put(idCuePositions, putUint(idCueTrack, clip.video.number), putUint(idCueCluster, uint64(at)))))
					break
				}
			}
			at += sizes[i]
		}
		afterTracks := seekHead + len(info) + len(tracks)
		head = put(idSeekHead, seek(idInfo, seekHead), seek(idTracks, seekHead+len(info)), seekTags(afterTracks),
			seek(idCues, afterTracks+len(tags)))
		head = slices.Concat(head, info, tracks, tags, put(idCues, points...))
		length = len(head)
	}
	segment := binary.BigEndian.AppendUint32(nil, idSegment)
	segment = binary.BigEndian.AppendUint64(segment, 1<<56|uint64(int64(length)+total))
	return append(append(append([]byte{}, webmHeader...), segment...), head...)
}

func (c *Clip) pictureTrack() *track { return c.video }
func (c *Clip) soundTrack() *track   { return c.audio }

// webmTrack returns the TrackEntry of a track, nil if there is none. It contains the
// DefaultDuration if all clips have the same.
func (p *plan) webmTrack(of func(*Clip) *track) []byte {
	first := of(p.cuts[0].Clip)
	if first == nil {
		return nil
	}
	defaultLength := first.defaultLength
	for _, c := range p.cuts {
		if of(c.Clip).defaultLength != defaultLength {
			defaultLength = 0
		}
	}
	if defaultLength == 0 {
		return put(idTrackEntry, first.entry)
	}
	return put(idTrackEntry, first.entry, putUint(idDefaultDuration, uint64(defaultLength)))
}
