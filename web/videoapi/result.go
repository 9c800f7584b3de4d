package videoapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"dailies/web/address"
)

// Results holds the URLs of the files that a finished task made.
type Results struct {
	Videos []string // the most plausible ones, without duplicates, at most maxVideos; empty if none was found
	Cover  string   // a still picture of the video; empty if there is none
}

// Results finds the URLs in the record, whatever its shape, and repairs them as
// address.Repair does. It ignores the inputs, which are the URLs that the request contained.
//
// API.md: "Internal structure of taskInfo and taskResult: not shown." So known
// field names count most, and the look of a URL second. All videos are taken from
// one source, because taskInfo, taskResult and the undocumented fields often name
// the same video under different URLs: the first source that contains the best
// rank of URL.
func (r Record) Results(inputs ...string) Results {
	var found Results
	best := noVideo
	skip := slices.Clone(inputs)
	for _, in := range inputs {
		if repaired, ok := address.Repair(in); ok {
			skip = append(skip, repaired)
		}
	}
	for _, source := range []string{r.TaskInfo, r.TaskResult, r.Rest} {
		w := walk{skip: skip}
		w.text(source, nil, 0)
		if found.Cover == "" {
			found.Cover = w.cover
		}
		if w.best > best {
			best, found.Videos = w.best, w.videos
		}
	}
	return found
}

// rank says how likely a URL is to be the video.
type rank int

const (
	noVideo  rank = iota
	odd           // the URL has the extension of a sound or of an animated picture
	guess         // a URL under an unknown field name
	lesser        // marked as a preview, an original or a watermarked copy
	byEnding      // the URL has the extension of a video file
	byName        // a known field name says that it is a video
)

// walk visits all values of a JSON text, including JSON in its strings, and
// collects the URLs of the videos and the cover.
type walk struct {
	skip   []string
	best   rank
	videos []string // of rank best
	cover  string
	seen   int // texts that were looked at as addresses
}

// maxVideos bounds the video URLs taken from one record, so that a service that
// lists thousands does not make the server fetch all of them.
const maxVideos = 8

// maxDepth bounds the nesting of values, including JSON in strings. Deeper values
// are ignored.
const maxDepth = 24

// maxAddresses bounds the texts of one source that may be addresses, and maxKey the
// bytes of a field name that are, so that no answer keeps the program busy.
const (
	maxAddresses = 2000
	maxKey       = 100
)

func (w *walk) text(s string, keys []string, depth int) {
	s = strings.TrimSpace(s)
	if s == "" || depth > maxDepth {
		return
	}
	if strings.ContainsRune(`{["`, rune(s[0])) {
		d := json.NewDecoder(bytes.NewReader([]byte(s)))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			w.value(v, keys, depth+1)
			return
		}
	}
	if !strings.ContainsAny(s, `/\`) {
		return
	}
	if w.seen++; w.seen > maxAddresses {
		return
	}
	if one, ok := address.Repair(s); ok {
		w.address(one, keys)
	} else if found := address.In(s, maxVideos); len(found) > 0 && len(keys) > 0 && slices.ContainsFunc(found, isVideo) {
		for _, one := range slices.DeleteFunc(found, func(one string) bool { return !isVideo(one) }) {
			w.address(one, keys)
		}
	}
}

func (w *walk) value(v any, keys []string, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case string:
		w.text(v, keys, depth)
	case []any:
		for _, e := range v {
			w.value(e, keys, depth+1)
		}
	case map[string]any:
		// Sorted, so that the same answer always gives the same order.
		for _, k := range slices.Sorted(maps.Keys(v)) {
			w.value(v[k], append(slices.Clip(keys), plain(k)), depth+1)
		}
	}
}

// isVideo reports whether the address has the extension of a video file.
func isVideo(address string) bool { return slices.Contains(videoEndings, ending(address)) }

func (w *walk) address(s string, keys []string) {
	if slices.Contains(w.skip, s) {
		return
	}
	if w.cover == "" && isCover(s, keys) {
		w.cover = s
	}
	switch rank := rankOf(s, keys); {
	case rank == noVideo || rank < w.best:
	case rank > w.best:
		w.best, w.videos = rank, []string{s}
	case len(w.videos) < maxVideos && !slices.Contains(w.videos, s):
		w.videos = append(w.videos, s)
	}
}

// Field names (videoNames) and parts of field names, in lower case
// and without separators, and file extensions.
var (
	neverVideo = []string{"cover", "thumb", "poster", "frame", "callback", "webhook", "input", "param", "request",
		"avatar", "logo", "audio", "music", "subtitle"}
	picture     = []string{"image", "img", "pic"}
	lesserVideo = []string{"preview", "origin", "watermark", "source"}
	videoNames  = []string{"videourl", "videourls", "resulturl", "resulturls", "videos", "video", "output",
		"outputs", "downloadurl", "mp4", "mp4url", "resultvideourl", "works"}
	videoEndings = []string{".mp4", ".webm", ".mov", ".m4v", ".mkv"}
	oddEndings   = []string{".gif", ".mp3", ".m4a", ".wav", ".ogg", ".aac", ".flac"} // what came instead of a video
	otherEndings = []string{".jpg", ".jpeg", ".png", ".webp", ".avif", ".bmp", ".svg", ".json", ".html", ".vtt", ".srt", ".txt"}
	coverNames   = []string{"cover", "thumb", "poster"}
)

func rankOf(address string, keys []string) rank {
	end := ending(address)
	if slices.Contains(otherEndings, end) || anyKey(keys, neverVideo) {
		return noVideo
	}
	isVideo := slices.Contains(videoEndings, end)
	if !isVideo && anyKeyWithout(keys, picture, "video") {
		return noVideo
	}
	named := slices.ContainsFunc(keys, func(k string) bool { return slices.Contains(videoNames, k) })
	switch {
	case slices.Contains(oddEndings, end):
		return odd
	case anyKey(keys, lesserVideo):
		return lesser
	case named:
		return byName
	case isVideo:
		return byEnding
	}
	return guess
}

func isCover(address string, keys []string) bool {
	return anyKey(keys, coverNames) && !anyKey(keys, []string{"input", "param", "request"}) &&
		!slices.Contains(videoEndings, ending(address))
}

func anyKey(keys, words []string) bool { return anyKeyWithout(keys, words, "\x00") }

// anyKeyWithout reports whether a key contains one of the words and does not
// contain other.
func anyKeyWithout(keys, words []string, other string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		return !strings.Contains(k, other) && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(k, w) })
	})
}

// plain returns a field name in lower case and without separators, cut to maxKey bytes.
func plain(key string) string {
	if len(key) > maxKey {
		key = strings.ToValidUTF8(key[:maxKey], "")
	}
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}

func ending(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(path.Ext(u.Path))
}
