package option_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"strings"
	"testing"

	"dailies/db/option"
)

func ptr[T any](v T) *T { return &v }

// full offers every option, bare none.
var (
	full = option.Offer{
		Durations: []int{5, 10}, Duration: 5, Resolutions: []string{"480p", "720p"}, Resolution: "720p", Ratios: []string{"16:9", option.AutoRatio}, Ratio: "16:9",
		Sound: option.SoundOn, Camera: option.FixedCamera, Safety: true, Seed: &option.Seed{Min: -1, Max: 9, Default: ptr(int64(-1))},
	}
	bare = option.Offer{}
)

// everything returns values in which no field is zero.
func everything() option.Values {
	return option.Values{
		Duration: 10, AspectRatio: "16:9", Resolution: "480p", CameraFixed: ptr(true), Seed: ptr(int64(7)), SafetyChecker: ptr(false), Audio: ptr(false),
	}
}

func TestEachFieldIsInTheTableUnderItsNameInJSON(t *testing.T) {
	var names []string
	for f := range reflect.TypeFor[option.Values]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Type == reflect.TypeFor[option.Shape]() { // says what the aspect ratio follows
			continue
		}
		names = append(names, name)
	}
	v := everything()
	text := v.Text()
	for _, name := range names {
		if text[name] == "" {
			t.Errorf("%s is not in the table", name)
		}
	}
	if len(option.Names()) != len(names) || len(text) != len(names) {
		t.Errorf("the table has %v, the struct %v", option.Names(), names)
	}
	if again := text.Values(); !reflect.DeepEqual(again, v) {
		t.Errorf("read back: %+v", again)
	}
	const kept = `{"duration":10,"aspect_ratio":"16:9","resolution":"480p","camera_fixed":true,"seed":7,"enable_safety_checker":false,"generate_audio":false}`
	if b, err := json.Marshal(v); err != nil || string(b) != kept {
		t.Errorf("kept as %s, %v", b, err)
	}
}

func TestCheckRefusesWhatAModelDoesNotOffer(t *testing.T) {
	if problems := full.Check("Full", everything().Text()); problems != nil {
		t.Errorf("full: %v", problems)
	}
	if problems := full.Check("Full", nil); problems != nil {
		t.Errorf("nothing chosen: %v", problems)
	}
	always := option.Offer{Sound: option.AlwaysSound}
	for name, tt := range map[string]struct {
		offer       option.Offer
		field, text string
		want        string // empty: accepted
	}{
		"another length":         {full, "duration", "7", `M can make 5 or 10 here, not "7".`},
		"no length":              {full, "duration", "0", `M can make 5 or 10 here, not "0".`},
		"a length, none offered": {bare, "duration", "5", "M doesn’t let you choose the length."},
		"another shape":          {full, "aspect_ratio", "2:1", `M can make 16:9 or Auto here, not "2:1".`},
		"long junk":              {full, "resolution", strings.Repeat("x", 100), `M can make 480p or 720p here, not "` + strings.Repeat("x", 20) + `".`},
		"a switch with junk":     {full, "camera_fixed", "maybe", "Choose on or off."},
		"on, not offered":        {bare, "camera_fixed", "true", "M can’t keep the camera still."},
		"off, not offered":       {bare, "camera_fixed", "false", ""},
		"sound, never":           {bare, "generate_audio", "true", "M can’t make sound."},
		"silence, never":         {always, "generate_audio", "false", "M always makes sound."},
		"sound, always":          {always, "generate_audio", "true", ""},
		"the safety check":       {bare, "enable_safety_checker", "true", "M can’t switch the safety check."},
		"the last seed":          {full, "seed", "9", ""},
		"the first seed":         {full, "seed", "-1", ""},
		"a seed beyond":          {full, "seed", "10", "Enter a whole number from -1 to 9, or leave it empty."},
		"a seed of letters":      {full, "seed", "lucky", "Enter a whole number from -1 to 9, or leave it empty."},
		"a seed, none offered":   {bare, "seed", "1", "M takes no seed. Leave it empty."},
	} {
		problems := tt.offer.Check("M", option.Text{tt.field: tt.text})
		if problems[tt.field] != tt.want || len(problems) > 1 || tt.want == "" && problems != nil {
			t.Errorf("%s: %q", name, problems)
		}
	}
}

// parse returns the options, and those that are not of their type.
func parse(texts option.Text) (v option.Values, unread option.Text) {
	unread = option.Text{}
	for name, text := range texts {
		ok := false
		if v, ok = v.With(name, text); !ok {
			unread[name] = text
		}
	}
	return v, unread
}

func fit(o option.Offer, texts option.Text) (fitted option.Text, notes []string) {
	v, unread := parse(texts)
	v, left, notes := o.Fit("M", v, unread)
	fitted = v.Text()
	maps.Copy(fitted, left)
	return fitted, notes
}

func TestFitChangesWhatAModelDoesNotTakeAndSaysSo(t *testing.T) {
	for name, tt := range map[string]struct {
		offer  option.Offer
		before option.Text
		after  option.Text
		notes  string
	}{
		"defaults": {full, option.Text{}, option.Text{
			"duration": "5", "aspect_ratio": "16:9", "resolution": "720p", "generate_audio": "true", "camera_fixed": "false", "enable_safety_checker": "true",
		}, ""},
		"what fits stays": {full, everything().Text(), everything().Text(), ""},
		"nothing offered": {
			bare, everything().Text(), option.Text{},
			"M doesn’t let you choose the length.\nM lets the picture decide the shape.\nM doesn’t let you choose the resolution.\nM can’t keep the camera still.\nM takes no seed.",
		},
		"sound, never":  {bare, option.Text{"generate_audio": "true"}, option.Text{}, "M makes no sound."},
		"sound, always": {option.Offer{Sound: option.AlwaysSound}, option.Text{"generate_audio": "true"}, option.Text{}, ""},
		"another length": {
			option.Offer{Durations: []int{5}, Duration: 5},
			option.Text{"duration": "7"}, option.Text{"duration": "5"}, "M makes 5 s only, so we set 5 s.",
		},
		"a wrong seed is told elsewhere": {option.Offer{Seed: &option.Seed{Max: 9}}, option.Text{"seed": "lucky"}, option.Text{"seed": "lucky"}, ""},
	} {
		after, told := fit(tt.offer, tt.before)
		if notes := strings.Join(told, "\n"); notes != tt.notes || !maps.Equal(after, tt.after) {
			t.Errorf("%s: %v, %q", name, after, notes)
		}
	}
}

func TestUnreadReturnsTextOfTheWrongType(t *testing.T) {
	if _, unread := parse(everything().Text()); len(unread) != 0 {
		t.Errorf("of what is well typed: %v", unread)
	}
	junk := option.Text{"duration": "0", "seed": "lucky", "camera_fixed": "maybe", "resolution": "anything", "aspect_ratio": ""}
	_, unread := parse(junk)
	if want := (option.Text{"duration": "0", "seed": "lucky", "camera_fixed": "maybe"}); !maps.Equal(unread, want) {
		t.Errorf("of junk: %v", unread)
	}
}

func TestCompleteFillsInDefaultsAndDropsTheRest(t *testing.T) {
	if v := full.Complete(everything()); !reflect.DeepEqual(v, everything()) {
		t.Errorf("what was chosen: %+v", v.Text())
	}
	v := full.Complete(option.Values{})
	if v.Duration != 5 || v.Resolution != "720p" || v.AspectRatio != option.AutoRatio || !v.HasSound() || *v.CameraFixed || !*v.SafetyChecker || *v.Seed != -1 {
		t.Errorf("defaults: %+v", v.Text())
	}
	if v := bare.Complete(everything()); !reflect.DeepEqual(v, option.Values{}) {
		t.Errorf("not offered: %+v", v)
	}
	if v := (option.Offer{Seed: &option.Seed{Max: 9}}).Complete(option.Values{Seed: ptr(int64(-1))}); v.Seed != nil {
		t.Errorf("a seed of the service's choice is sent as %d", *v.Seed)
	}
}

func TestWireSendsTheCameraUnderTheModelsName(t *testing.T) {
	for camera, want := range map[option.Camera][2]bool{option.MovingCamera: {}, option.FixedCamera: {true, false}, option.FixedLens: {false, true}} {
		v, lens := option.Offer{Camera: camera, FixedDuration: camera == ""}.Wire(option.Values{Duration: 8, AspectRatio: "auto", CameraFixed: ptr(true)})
		if got := [2]bool{v.CameraFixed != nil, lens != nil}; got != want || v.AspectRatio != "" || (v.Duration == 0) != (camera == "") {
			t.Errorf("%q: %v, %+v", camera, got, v)
		}
	}
}

func TestTidyUnifiesSpellings(t *testing.T) {
	text := option.Text{"generate_audio": "ON", "camera_fixed": "0", "enable_safety_checker": "maybe", "aspect_ratio": "auto", "seed": "1"}
	full.Tidy(text)
	if want := (option.Text{"generate_audio": "true", "camera_fixed": "false", "enable_safety_checker": "maybe", "aspect_ratio": "Auto", "seed": "1"}); !maps.Equal(text, want) {
		t.Errorf("%v", text)
	}
	empty := option.Text{"aspect_ratio": ""}
	full.Tidy(empty)
	if empty["aspect_ratio"] != option.AutoRatio {
		t.Error("an empty shape is not Auto where the model has it")
	}
	bare.Tidy(option.Text{})
}

func TestNextSeedBeginsAnewAfterTheLastOne(t *testing.T) {
	for _, tt := range []struct{ seed, after, want int64 }{{7, 1, 8}, {9, 1, 0}, {8, 3, 1}, {-1, 2, -1}} {
		if got := full.NextSeed(&tt.seed, tt.after); *got != tt.want {
			t.Errorf("%d after %d: %d", tt.after, tt.seed, *got)
		}
	}
	if full.NextSeed(nil, 1) != nil {
		t.Error("no seed has a next one")
	}
}
