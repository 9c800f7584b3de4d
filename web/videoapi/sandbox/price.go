package sandbox

import (
	"math"

	"dailies/db/option"
	"dailies/web/videoapi"
)

// A tariff holds the rates of a model whose catalogue entry states no price.
type tariff struct {
	perSecond float64 // credits at 720p, without optional sound
	sound     float64 // factor if sound is a choice and has_audio is true
}

// tariffOf returns the rates of a model. Those of seedance-2.0 follow from the
// only price that API.md states, 30 credits for 5 seconds at 720p.
func tariffOf(model string) tariff {
	list := map[string]tariff{
		"seedance-2.0":                     {6, 1},
		"seedance-2.0-fast":                {4, 1},
		"veo3":                             {15, 1},
		"veo3_fast":                        {5, 1},
		"bytedance/seedance-1.5-pro":       {4, 2},
		"bytedance/v1-pro-text-to-video":   {3, 1},
		"bytedance/v1-lite-text-to-video":  {2, 1},
		"bytedance/v1-pro-image-to-video":  {3, 1},
		"bytedance/v1-lite-image-to-video": {2, 1},
	}
	if r, ok := list[model]; ok {
		return r
	}
	return tariff{4, 1.5} // a model that was added to the catalogue
}

// priceOf returns the price of a video: the one that the catalogue states, or
// else the seconds times the model's rate, halved for 480p, doubled for 1080p,
// and rounded up to whole credits.
func priceOf(m videoapi.Model, w spec, hasAudio bool) (amount, error) {
	if credits, ok := m.Price(w.Scene, option.Values{Resolution: w.Resolution, Duration: w.Seconds, Audio: &hasAudio}); ok {
		return amountOf(credits)
	}
	r := tariffOf(m.ID)
	credits := r.perSecond * float64(w.Seconds)
	switch w.Resolution {
	case "480p":
		credits /= 2
	case "1080p":
		credits *= 2
	}
	if hasAudio && m.Sound.Optional() {
		credits *= r.sound
	}
	return amountOf(math.Ceil(credits))
}
