package videoapi_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db/option"
	"dailies/web/videoapi"
)

func TestCatalogNamesTheDocumentedModels(t *testing.T) {
	c := videoapi.DefaultCatalog()
	var ids []string
	for _, m := range c.Models {
		ids = append(ids, m.ID)
	}
	want := []string{
		"seedance-2.0", "seedance-2.0-fast", "veo3", "veo3_fast", "bytedance/seedance-1.5-pro",
		"bytedance/v1-pro-text-to-video", "bytedance/v1-lite-text-to-video", "bytedance/v1-pro-image-to-video", "bytedance/v1-lite-image-to-video",
	}
	if !slices.Equal(ids, want) {
		t.Errorf("got %q", ids)
	}
	m, _ := c.Model("seedance-2.0")
	if credits, ok := m.Price(videoapi.TextToVideo, option.Values{Resolution: "720p", Duration: 5}); !ok || credits != 30 {
		t.Errorf("price %v %v", credits, ok)
	}
	if _, ok := m.Price(videoapi.TextToVideo, option.Values{Resolution: "1080p", Duration: 5}); ok {
		t.Error("a price that nobody stated")
	}
	for _, m := range c.Models {
		if low, high := m.UsualTime(); low < 10*time.Second || high < low || high > 6*time.Minute {
			t.Errorf("%s usually takes %v to %v", m.ID, low, high)
		}
	}
	if n := m.ImagesFor(videoapi.ReferenceToVideo); n != (videoapi.Images{Min: 1, Max: 3}) {
		t.Errorf("references: %+v", n)
	}
}

// A model and the one for its drafts belong together only in scenes that both offer.
func TestDraftsAreOfferedInTheScenesOfBothModels(t *testing.T) {
	c, err := videoapi.ParseCatalog(`
		[[model]]
		id = "other"
		scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
		[[model]]
		id = "full"
		scenes = ["text-to-video", "frames-to-video"]
		draft = "quick"
		[[model]]
		id = "quick"
		scenes = ["text-to-video", "image-to-video"]`)
	if err != nil {
		t.Fatal(err)
	}
	for scene, want := range map[videoapi.Scene]bool{videoapi.TextToVideo: true, videoapi.ImageToVideo: false, videoapi.FramesToVideo: false, videoapi.ReferenceToVideo: false} {
		if draft, ok := c.Draft("full", scene); ok != want || ok && draft.ID != "quick" {
			t.Errorf("drafts of full in %s: %s, %t", scene, draft.ID, ok)
		}
		if full, ok := c.Final("quick", scene); ok != want || ok && full.ID != "full" {
			t.Errorf("quick makes drafts in %s of %s, %t", scene, full.ID, ok)
		}
		for _, id := range []string{"other", "quick", "unknown"} {
			if draft, ok := c.Draft(id, scene); ok {
				t.Errorf("drafts of %s in %s: %s", id, scene, draft.ID)
			}
		}
		for _, id := range []string{"other", "full", "unknown"} {
			if full, ok := c.Final(id, scene); ok {
				t.Errorf("%s makes drafts in %s of %s", id, scene, full.ID)
			}
		}
	}
}

func TestModelsReferToTheirReferencePictures(t *testing.T) {
	m, _ := videoapi.DefaultCatalog().Model("seedance-2.0")
	if got := m.RefersTo(videoapi.ReferenceToVideo, 2); got != "image 2" {
		t.Errorf("picture 2 is %q", got)
	}
	if got := m.RefersTo(videoapi.ImageToVideo, 1); got != "" {
		t.Errorf("the start is %q", got)
	}
}

func TestBrokenCatalogIsOneClearLine(t *testing.T) {
	whole := func(model string) string {
		return "[[model]]\nid=\"all\"\nscenes=[\"text-to-video\",\"image-to-video\",\"frames-to-video\",\"reference-to-video\"]\n" + model
	}
	for name, tt := range map[string]struct{ text, want string }{
		"empty":               {"", "lists no"},
		"not TOML":            {"[[model]\nid=", "line "},
		"a mistyped setting":  {whole("durationz=[5]"), "durationz"},
		"a default outside":   {whole("durations=[5]\nduration=7"), "duration 7"},
		"a scene unheard of":  {"[[model]]\nid=\"x\"\nscenes=[\"sideways\"]", "sideways"},
		"twice":               {whole("") + "\n" + whole(""), "twice"},
		"a scene left out":    {"[[model]]\nid=\"x\"\nscenes=[\"text-to-video\"]", "no model is for scene"},
		"a wrong type":        {whole("durations=\"5\""), "durations"},
		"one usual time":      {whole("usual=[60]"), "usual"},
		"the longer first":    {whole("usual=[60, 30]"), "usual"},
		"no id":               {"[[model]]\nscenes=[\"text-to-video\"]", "id is missing"},
		"a fixed reference":   {whole("reference=\"image 1\""), "{n}"},
		"a useless reference": {"[[model]]\nid=\"x\"\nreference=\"image {n}\"\nscenes=[\"text-to-video\"]", "reference-to-video"},
		"an impossible count": {whole("[model.images.image-to-video]\nmin=3\nmax=1"), "cannot be"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := videoapi.ParseCatalog(tt.text)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestCatalogFileReplacesTheBuiltInOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "models.toml")
	if err := os.WriteFile(path, []byte("[[model]]\nid=\"new\"\nname=\"New\"\nscenes=[\"text-to-video\",\"image-to-video\",\"frames-to-video\",\"reference-to-video\"]\nresolutions=[\"4k\"]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := videoapi.OpenCatalog(path)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := c.Model("new"); !ok || m.Resolution != "4k" || c.Name("new") != "New" || c.Name("old") != "old" {
		t.Errorf("got %+v", m)
	}
	if _, err := videoapi.OpenCatalog(path + "x"); err == nil {
		t.Error("a missing file was read")
	}
}

func FuzzCatalog(f *testing.F) {
	f.Add("[[model]]\nid=\"x\"\nscenes=[\"text-to-video\"]\ndurations=[1]")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := videoapi.ParseCatalog(text)
		if err == nil && len(c.For(videoapi.TextToVideo)) == 0 {
			t.Error("a catalogue without models was taken")
		}
	})
}

func TestTheSmallestVideo(t *testing.T) {
	got := videoapi.DefaultCatalog().Smallest()
	if got.Model != "seedance-2.0-fast" || got.Duration != 5 || got.Resolution != "480p" || got.HasPrice {
		t.Errorf("got %+v", got)
	}
	priced, err := videoapi.ParseCatalog(`
[[model]]
id = "dear"
name = "Dear"
scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
durations = [5, 10]
resolutions = ["1080p", "720p"]
ratios = ["16:9"]
  [[model.price]]
  credits = 30

[[model]]
id = "cheap"
name = "Cheap"
scenes = ["text-to-video", "image-to-video", "frames-to-video", "reference-to-video"]
durations = [4, 8, 6]
resolutions = ["720p", "480p"]
ratios = ["16:9"]
  [[model.price]]
  resolution = "480p"
  duration = 6
  credits = 12
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := priced.Smallest(); got != (videoapi.Smallest{Model: "cheap", Duration: 6, Resolution: "480p", Credits: 12, HasPrice: true}) {
		t.Errorf("got %+v", got)
	}
	if got := (&videoapi.Catalog{}).Smallest(); got.Model != "" {
		t.Errorf("an empty catalogue has %+v", got)
	}
}
