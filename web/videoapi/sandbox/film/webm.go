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

// A muxer writes frames into a WebM file with one cluster for each second. The
// cues come before the clusters, so that a browser can seek without reading the
// end of the file first. Their numbers have fixed widths and are filled in at the
// end, when the positions of the clusters are known.
type muxer struct {
	w       io.WriteSeeker
	head    webmHead
	pos     int64 // bytes written so far
	body    int64 // offset of the segment's first element, to which cues are relative
	total   int
	next    int // number of the next frame
	cluster webm.Cluster
	buf     bytes.Buffer
}

// webmHead is everything before the first cluster. It replaces types of ebml-go,
// which have no fixed widths and no colour.
type webmHead struct {
	Header  webm.EBMLHeader `ebml:"EBML"`
	Segment struct {
		Info   webm.Info `ebml:"Info"`
		Tracks struct {
			Entry webmTrack `ebml:"TrackEntry"`
		} `ebml:"Tracks"`
		Cues struct {
			Points []webmCue `ebml:"CuePoint"`
		} `ebml:"Cues"`
	} `ebml:"Segment,size=unknown"`
}

type webmTrack struct {
	Number   uint64    `ebml:"TrackNumber"`
	UID      uint64    `ebml:"TrackUID"`
	Type     uint64    `ebml:"TrackType"`
	Lacing   uint64    `ebml:"FlagLacing"`
	Codec    string    `ebml:"CodecID"`
	Duration uint64    `ebml:"DefaultDuration"`
	Video    webmVideo `ebml:"Video"`
}

type webmVideo struct {
	Width  uint64     `ebml:"PixelWidth"`
	Height uint64     `ebml:"PixelHeight"`
	Colour webmColour `ebml:"Colour"`
}

// webmColour tells players how to read the planes, because they differ in what
// they assume of VP8.
type webmColour struct {
	Matrix    uint64 `ebml:"MatrixCoefficients"`
	Range     uint64 `ebml:"Range"`
	Transfer  uint64 `ebml:"TransferCharacteristics"`
	Primaries uint64 `ebml:"Primaries"`
}

type webmCue struct {
	Time  uint64 `ebml:"CueTime,size=4"`
	Place struct {
		Track   uint64 `ebml:"CueTrack"`
		Cluster uint64 `ebml:"CueClusterPosition,size=8"`
	} `ebml:"CueTrackPositions"`
}

// newMuxer begins a file that will hold total frames.
func newMuxer(w io.WriteSeeker, width, height, total int) (*muxer, error) {
	m := &muxer{w: w, total: total, head: webmHead{Header: *webm.DefaultEBMLHeader}}
	s := &m.head.Segment
	s.Info = webm.Info{TimecodeScale: 1_000_000, MuxingApp: "dailies", WritingApp: "dailies sandbox",
		Duration: float64(total) * 1000 / FrameRate}
	s.Tracks.Entry = webmTrack{
		Number: 1, UID: 1, Type: 1, Codec: "V_VP8", Duration: 1_000_000_000 / FrameRate,
		// ITU-R BT.601 in the limited range, with the primaries of sRGB.
		Video: webmVideo{uint64(width), uint64(height), webmColour{Matrix: 6, Range: 1, Transfer: 6, Primaries: 1}},
	}
	for i := 0; i < total; i += FrameRate {
		cue := webmCue{Time: timecode(i)}
		cue.Place.Track = 1
		s.Cues.Points = append(s.Cues.Points, cue)
	}
	if err := m.writeHead(); err != nil {
		return nil, err
	}
	m.pos = int64(m.buf.Len())
	return m, nil
}

// timecode returns the time of frame i in milliseconds.
func timecode(i int) uint64 {
	return uint64(math.Round(float64(i) * 1000 / FrameRate))
}

// add adds the next frame. It keeps the slice until the cluster is written.
func (m *muxer) add(frame []byte) error {
	if m.next%FrameRate == 0 {
		if err := m.flush(); err != nil {
			return err
		}
		m.head.Segment.Cues.Points[m.next/FrameRate].Place.Cluster = uint64(m.pos - m.body)
		m.cluster.Timecode = timecode(m.next)
	}
	m.cluster.SimpleBlock = append(m.cluster.SimpleBlock, ebml.Block{
		TrackNumber: 1,
		Timecode:    int16(timecode(m.next) - m.cluster.Timecode),
		Keyframe:    true,
		Data:        [][]byte{frame},
	})
	m.next++
	return nil
}

// flush writes the cluster, if it has frames.
func (m *muxer) flush() error {
	if len(m.cluster.SimpleBlock) == 0 {
		return nil
	}
	m.buf.Reset()
	one := struct {
		Cluster *webm.Cluster `ebml:"Cluster"`
	}{&m.cluster}
	if err := ebml.Marshal(&one, &m.buf); err != nil {
		return fmt.Errorf("cluster: %w", err)
	}
	n, err := m.w.Write(m.buf.Bytes())
	m.pos += int64(n)
	m.cluster.SimpleBlock = m.cluster.SimpleBlock[:0]
	return err
}

// close writes the last cluster, and then the head again with all positions.
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
	_, err := m.w.Seek(m.pos, io.SeekStart)
	return err
}

// writeHead writes the head with the positions and sizes that are known so far.
func (m *muxer) writeHead() error {
	m.buf.Reset()
	if err := ebml.Marshal(&m.head, &m.buf); err != nil {
		return fmt.Errorf("head: %w", err)
	}
	b, id := m.buf.Bytes(), ebml.ElementSegment.Bytes()
	m.body = int64(bytes.Index(b, id) + len(id) + 8)
	if m.pos > 0 {
		// A size of eight bytes: the length marker 1, then 56 bits.
		binary.BigEndian.PutUint64(b[m.body-8:], 1<<56|uint64(m.pos-m.body))
	}
	_, err := m.w.Write(b)
	return err
}
