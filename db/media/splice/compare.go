package splice

import (
	"bytes"
	"fmt"
)

// An Aspect is a property in which all clips of a film must agree.
type Aspect int

// The aspects, in the order in which they are compared.
const (
	InContainer Aspect = iota
	InCodec
	InSize
	InConfig // encoder settings for which the decoder would have to be reconfigured
	InAudio
)

// A Difference says why clips cannot be joined.
type Difference struct {
	Aspect Aspect
	Clip   int    // index of the clip that differs from the first one
	First  string // value of the first clip, for display
	Other  string // value of the other clip, which may look the same, such as "AAC"
}

// Compare returns the first Difference because of which the clips cannot be joined
// into one film, nil if they can.
func Compare(clips []*Clip) *Difference {
	for i, c := range clips {
		if d := clips[0].differs(c); d != nil {
			d.Clip = i
			return d
		}
	}
	return nil
}

func (c *Clip) differs(o *Clip) *Difference {
	v, w := c.video, o.video
	switch {
	case c.Container != o.Container:
		return &Difference{Aspect: InContainer, First: string(c.Container), Other: string(o.Container)}
	case v.codec != w.codec:
		return &Difference{Aspect: InCodec, First: v.codec, Other: w.codec}
	case v.width != w.width || v.height != w.height:
		return &Difference{Aspect: InSize, First: v.size(), Other: w.size()}
	case !bytes.Equal(v.config, w.config) || !bytes.Equal(v.matrix, w.matrix):
		return &Difference{Aspect: InConfig, First: v.codec, Other: w.codec}
	case !c.audio.sameAudio(o.audio):
		return &Difference{Aspect: InAudio, First: c.audio.audioName(), Other: o.audio.audioName()}
	}
	return nil
}

func (t *track) size() string { return fmt.Sprintf("%d × %d", t.width, t.height) }

// sameAudio reports whether both audio tracks are missing, or the same decoder
// configuration plays both.
func (t *track) sameAudio(o *track) bool {
	if t == nil || o == nil {
		return t == o
	}
	return t.codec == o.codec && t.rate == o.rate && t.channels == o.channels && t.delay == o.delay && bytes.Equal(t.config, o.config)
}

// audioName describes an audio track for display, such as "AAC, 48000 Hz, stereo". It
// returns "" if there is none.
func (t *track) audioName() string {
	switch {
	case t == nil:
		return ""
	case t.channels == 1:
		return fmt.Sprintf("%s, %d Hz, mono", t.codec, t.rate)
	case t.channels == 2:
		return fmt.Sprintf("%s, %d Hz, stereo", t.codec, t.rate)
	}
	return fmt.Sprintf("%s, %d Hz, %d channels", t.codec, t.rate, t.channels)
}
