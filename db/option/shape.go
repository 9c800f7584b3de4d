package option

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// aspectRatio names the option that the shape of a picture may decide.
const aspectRatio = "aspect_ratio"

// shapes returns the shapes that can be chosen. Where a picture leads, its own is the usual
// one.
func (o *Offer) shapes() choice {
	c := choice{from: o.Ratios, usual: o.Ratio}
	if o.Leads {
		c.also, c.usual = string(LikePicture), string(LikePicture)
	}
	return c
}

// completeShape returns v with a shape, if none was chosen: the model's own choice if it
// offers that, or else that of the picture that leads, or the usual one. A shape that the
// model does not take is left out.
func (o Offer) completeShape(v Values) Values {
	switch {
	case !o.Leads && v.Shape != ChosenShape:
		v.Shape = ChosenShape // of another scene
		return o.completeShape(v)
	case len(o.Ratios) == 0:
		v.AspectRatio = ""
		if o.Leads && v.Shape == ChosenShape {
			v.Shape = LikePicture
		}
	case v.AspectRatio != "" || v.Shape != ChosenShape:
	case slices.Contains(o.Ratios, AutoRatio):
		v.AspectRatio = AutoRatio
	case o.Leads:
		v.Shape = LikePicture
	default:
		v.AspectRatio = o.Ratio
	}
	return v
}

// Settle returns v with the aspect ratio that is sent for a picture of this size, as people
// see it, if v has the picture's shape or none: the nearest that the model offers. If the
// size is not known, which is 0, it is the model's usual one. v may have been settled before.
func (o Offer) Settle(v Values, width, height int) Values {
	if v = o.completeShape(v); v.Shape == ChosenShape {
		return v
	}
	v.Shape, v.AspectRatio = LikePicture, nearest(o.Ratios, width, height)
	if v.AspectRatio == "" && len(o.Ratios) > 0 {
		v.Shape, v.AspectRatio = UnseenPicture, o.Ratio
	}
	return v
}

// nearest returns the ratio that is nearest to width : height, the first of equally near
// ones; empty if there is none, or the size is not known.
func nearest(ratios []string, width, height int) (ratio string) {
	if width <= 0 || height <= 0 {
		return ""
	}
	off := math.Inf(1)
	for _, one := range ratios {
		w, h, ok := sides(one)
		if far := math.Abs(math.Log(w / h * float64(height) / float64(width))); ok && far < off {
			ratio, off = one, far
		}
	}
	return ratio
}

// sides returns the two numbers of a ratio such as "16:9".
func sides(ratio string) (w, h float64, ok bool) {
	left, right, _ := strings.Cut(ratio, ":")
	w, errW := strconv.ParseFloat(left, 64)
	h, errH := strconv.ParseFloat(right, 64)
	return w, h, errW == nil && errH == nil && w > 0 && h > 0
}
