package videoapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Results are the addresses of what a finished task made.
type Results struct {
	Videos []string // best first, none twice, at most maxVideos; empty where none was found
	Cover  string   // a still picture of the video, empty where there is none
}

// Results finds the addresses in the record, whatever shape it has. Addresses
// that the request itself brought are no results.
//
// API.md: "Internal structure of taskInfo and taskResult: not shown." So known
// names of fields count first, and what an address looks like second. The
// first of taskInfo, taskResult and the rest of the record that has the best
// kind of address gives all videos: the same video is often named in several
// of them under different addresses.
func (r Record) Results(inputs ...string) Results {
	var found Results
	best := noVideo
	for _, source := range []string{r.TaskInfo, r.TaskResult, r.Rest} {
		w := walk{skip: inputs}
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

// Reason returns why the service says that the task failed, bounded, or empty.
func (r Record) Reason() string {
	for _, source := range []string{r.TaskInfo, r.TaskResult, r.Rest} {
		w := walk{}
		w.text(source, nil, 0)
		if w.reason != "" {
			return clip(w.reason)
		}
	}
	return ""
}

// rank is how sure it is that an address is the video.
type rank int

const (
	noVideo  rank = iota
	guess         // an address under a name that says nothing
	lesser        // a video, but marked as a preview or the unfinished original
	byEnding      // it ends like a video
	byName        // a known name of a field says so
)

// walk goes through JSON, and through JSON inside its text, and collects.
type walk struct {
	skip   []string
	best   rank
	videos []string // of rank best
	cover  string
	reason string
}

// maxVideos is how many addresses of videos are taken from one record. A
// service that lists thousands would have the server fetch all of them.
const maxVideos = 8

// How deep values may lie, text that holds JSON included. Deeper is junk.
const maxDepth = 24

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
	if isAddress(s) {
		w.address(s, keys)
	} else if len(keys) > 0 && w.reason == "" && isReason(keys) {
		w.reason = s
	}
}

func (w *walk) value(v any, keys []string, depth int) {
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

// Words in the names of fields, without case and separators.
var (
	neverVideo   = []string{"cover", "thumb", "poster", "frame", "callback", "webhook", "input", "param", "request", "avatar", "logo", "audio", "music", "subtitle"}
	picture      = []string{"image", "img", "pic"}
	lesserVideo  = []string{"preview", "origin", "watermark", "source"}
	videoNames   = []string{"videourl", "videourls", "resulturl", "resulturls", "videos", "video", "output", "outputs", "downloadurl", "mp4", "mp4url", "resultvideourl", "works"}
	reasonNames  = []string{"errormessage", "failmsg", "failreason", "failmessage", "errormsg", "failurereason", "statusmessage"}
	videoEndings = []string{".mp4", ".webm", ".mov", ".m4v", ".mkv"}
	otherEndings = []string{".jpg", ".jpeg", ".png", ".webp", ".gif", ".avif", ".bmp", ".svg", ".mp3", ".wav", ".m4a", ".ogg", ".json", ".html", ".vtt", ".srt", ".txt"}
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
	return anyKey(keys, coverNames) && !anyKey(keys, []string{"input", "param", "request"}) && !slices.Contains(videoEndings, ending(address))
}

func isReason(keys []string) bool { return slices.Contains(reasonNames, keys[len(keys)-1]) }

func anyKey(keys, words []string) bool { return anyKeyWithout(keys, words, "\x00") }

// anyKeyWithout reports whether a key holds one of the words, but not the
// other one.
func anyKeyWithout(keys, words []string, other string) bool {
	return slices.ContainsFunc(keys, func(k string) bool {
		return !strings.Contains(k, other) && slices.ContainsFunc(words, func(w string) bool { return strings.Contains(k, w) })
	})
}

// plain returns a field's name without case and separators.
func plain(key string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(key))
}

func isAddress(s string) bool {
	if len(s) > 8192 || !strings.HasPrefix(strings.ToLower(s), "http") {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func ending(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(path.Ext(u.Path))
}
