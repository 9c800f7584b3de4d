package handlers

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"

	"dailies/db"
	"dailies/web/videoapi"
)

// formOf is the form that a task came from, to be used again.
func formOf(t db.Task, c *videoapi.Catalog) createForm {
	v := url.Values{"model": {t.Model}, "prompt": {t.Prompt}, "provider": {t.Provider}}
	pictures := t.Pictures
	if t.Scene == string(videoapi.ImageToVideo) && len(pictures) == 2 {
		v.Set("end_image_url", pictures[1])
		pictures = pictures[:1]
	}
	v["image_input"] = pictures
	o := t.Options
	if o.Duration > 0 {
		v.Set("duration", strconv.Itoa(o.Duration))
	}
	v.Set("aspect_ratio", o.AspectRatio)
	v.Set("resolution", o.Resolution)
	for name, value := range map[string]*bool{"camera_fixed": o.CameraFixed, "enable_safety_checker": o.SafetyChecker, "generate_audio": o.Audio} {
		if value != nil {
			v.Set(name, strconv.FormatBool(*value))
		}
	}
	if o.Seed != nil && *o.Seed >= 0 {
		v.Set("seed", strconv.FormatInt(*o.Seed, 10))
	}
	return readForm(videoapi.Scene(t.Scene), c, v)
}

// values are the form's fields as they would be sent again.
func (f createForm) values() url.Values {
	v := url.Values{"image_input": f.Pictures}
	if f.Use != db.NoBond {
		v.Set("from", strconv.FormatInt(f.From, 10))
		v.Set("use", string(f.Use))
	}
	if f.count() > 1 {
		v.Set("count", f.Count)
	}
	for name, value := range map[string]string{
		"model": f.Model, "prompt": f.Prompt, "end_image_url": f.EndPicture, "duration": f.Duration,
		"aspect_ratio": f.AspectRatio, "resolution": f.Resolution, "camera_fixed": f.CameraFixed, "seed": f.Seed,
		"enable_safety_checker": f.SafetyChecker, "generate_audio": f.Audio, "provider": f.Provider,
	} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v
}

// fingerprint tells forms with different fields apart.
func (f createForm) fingerprint() string {
	sum := sha256.Sum256([]byte(string(f.Scene) + "?" + f.values().Encode()))
	return hex.EncodeToString(sum[:8])
}
