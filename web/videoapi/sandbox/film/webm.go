package film

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/at-wat/ebml-go"
	"github.com/at-wat/ebml-go/webm"
)

// A muxer writes frames into a WebM file with one cluster a second. Seek
// head and cues stand before the clusters, so that a browser can seek
// without reading the end of the file first; their numbers have fixed
// widths and are filled in at the end, when the clusters have their places.
type muxer struct {
	w       io.WriteSeeker
	head    head
	headLen int
	pos     int64 // bytes written so far
	body    int64 // offset of the segment's first byte, from which cues count
	total   int
	next    int // number of the frame that comes next
	cluster cluster
	buf     bytes.Buffer
}

// head is everything before the first cluster.
type head struct {
	Header  webm.EBMLHeader `ebml:"EBML"`
	Segment segmentHead     `ebml:"Segment,size=unknown"`
}

type segmentHead struct {
	SeekHead seekHead  `ebml:"SeekHead"`
	Info     webm.Info `ebml:"Info"`
	Tracks   tracks    `ebml:"Tracks"`
	Cues     cues      `ebml:"Cues"`
}

type seekHead struct {
	Seek []seek `ebml:"Seek"`
}

type seek struct {
	ID       []byte `ebml:"SeekID"`
	Position uint64 `ebml:"SeekPosition,size=4"`
}

type tracks struct {
	Entry track `ebml:"TrackEntry"`
}

type track struct {
	Number   uint64 `ebml:"TrackNumber"`
	UID      uint64 `ebml:"TrackUID"`
	Type     uint64 `ebml:"TrackType"`
	Lacing   uint64 `ebml:"FlagLacing"`
	Codec    string `ebml:"CodecID"`
	Duration uint64 `ebml:"DefaultDuration"`
	Video    video  `ebml:"Video"`
}

type video struct {
	Width  uint64 `ebml:"PixelWidth"`
	Height uint64 `ebml:"PixelHeight"`
	Colour colour `ebml:"Colour"`
}

// colour says how the planes are to be read: players differ in what they
// assume of VP8.
type colour struct {
	Matrix    uint64 `ebml:"MatrixCoefficients"`
	Range     uint64 `ebml:"Range"`
	Transfer  uint64 `ebml:"TransferCharacteristics"`
	Primaries uint64 `ebml:"Primaries"`
}

type cues struct {
	Points []cuePoint `ebml:"CuePoint"`
}

type cuePoint struct {
	Time      uint64      `ebml:"CueTime,size=4"`
	Positions cuePosition `ebml:"CueTrackPositions"`
}

type cuePosition struct {
	Track   uint64 `ebml:"CueTrack"`
	Cluster uint64 `ebml:"CueClusterPosition,size=8"`
}

type cluster struct {
	Timecode uint64       `ebml:"Timecode"`
	Blocks   []ebml.Block `ebml:"SimpleBlock"`
}

// newMuxer begins a file that will hold total frames.
func newMuxer(w io.WriteSeeker, width, height, total int) (*muxer, error) {
	m := &muxer{w: w, total: total, head: head{Header: *webm.DefaultEBMLHeader}}
	m.head.Segment.Info = webm.Info{
		TimecodeScale: 1_000_000,
		MuxingApp:     "dailies",
		WritingApp:    "dailies sandbox",
		Duration:      float64(total) * 1000 / FrameRate,
	}
	m.head.Segment.Tracks.Entry = track{
		Number: 1, UID: 1, Type: 1, Codec: "V_VP8", Duration: 1_000_000_000 / FrameRate,
		// ITU-R BT.601 in the limited range, with the primaries of sRGB.
		Video: video{uint64(width), uint64(height), colour{Matrix: 6, Range: 1, Transfer: 6, Primaries: 1}},
	}
	for _, e := range []ebml.ElementType{ebml.ElementInfo, ebml.ElementTracks, ebml.ElementCues} {
		s := &m.head.Segment.SeekHead
		s.Seek = append(s.Seek, seek{ID: e.Bytes()})
	}
	for i := 0; i < total; i += FrameRate {
		c := &m.head.Segment.Cues
		c.Points = append(c.Points, cuePoint{timecode(i), cuePosition{Track: 1}})
	}
	if err := m.writeHead(); err != nil {
		return nil, err
	}
	m.headLen = m.buf.Len()
	m.pos = int64(m.headLen)
	return m, nil
}

// timecode returns the time of frame i in milliseconds.
func timecode(i int) uint64 {
	return uint64(math.Round(float64(i) * 1000 / FrameRate))
}

// add takes the next frame. It keeps the bytes until the cluster is written.
func (m *muxer) add(frame []byte) error {
	if m.next%FrameRate == 0 {
		if err := m.flush(); err != nil {
			return err
		}
		m.head.Segment.Cues.Points[m.next/FrameRate].Positions.Cluster = uint64(m.pos - m.body)
		m.cluster.Timecode = timecode(m.next)
	}
	m.cluster.Blocks = append(m.cluster.Blocks, ebml.Block{
		TrackNumber: 1,
		Timecode:    int16(timecode(m.next) - m.cluster.Timecode),
		Keyframe:    true,
		Data:        [][]byte{frame},
	})
	m.next++
	return nil
}

// flush writes the cluster in hand.
func (m *muxer) flush() error {
	if len(m.cluster.Blocks) == 0 {
		return nil
	}
	m.buf.Reset()
	one := struct {
		Cluster *cluster `ebml:"Cluster"`
	}{&m.cluster}
	if err := ebml.Marshal(&one, &m.buf); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	n, err := m.w.Write(m.buf.Bytes())
	m.pos += int64(n)
	m.cluster.Blocks = m.cluster.Blocks[:0]
	return err
}

// close writes the last cluster, then the head again with the places known.
func (m *muxer) close() error {
	if m.next != m.total {
		return fmt.Errorf("film: %d of %d frames", m.next, m.total)
	}
	if err := m.flush(); err != nil {
		return err
	}
	if _, err := m.w.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := m.writeHead(); err != nil {
		return err
	}
	if m.buf.Len() != m.headLen {
		return fmt.Errorf("film: the head grew from %d to %d bytes", m.headLen, m.buf.Len())
	}
	_, err := m.w.Seek(m.pos, io.SeekStart)
	return err
}

// writeHead writes the head with what is known of places and sizes so far.
// Where its own elements stand is learnt while it is being encoded, so it is
// encoded twice.
func (m *muxer) writeHead() error {
	id := ebml.ElementSegment.Bytes()
	place := func(e *ebml.Element) {
		for i, t := range []ebml.ElementType{ebml.ElementInfo, ebml.ElementTracks, ebml.ElementCues} {
			if e.Type == t && m.body > 0 {
				m.head.Segment.SeekHead.Seek[i].Position = e.Position - uint64(m.body)
			}
		}
	}
	for range 2 {
		m.buf.Reset()
		if err := ebml.Marshal(&m.head, &m.buf, ebml.WithElementWriteHooks(place)); err != nil {
			return fmt.Errorf("head: %w", err)
		}
		m.body = int64(bytes.Index(m.buf.Bytes(), id) + len(id) + 8)
	}
	b := m.buf.Bytes()
	if m.pos > 0 {
		// An eight byte size: the length marker 1, then 56 bits.
		binary.BigEndian.PutUint64(b[m.body-8:], 1<<56|uint64(m.pos-m.body))
	}
	_, err := m.w.Write(b)
	return err
}
