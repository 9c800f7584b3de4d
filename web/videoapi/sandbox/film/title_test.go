package film

import (
	"strings"
	"testing"

	"golang.org/x/image/font/gofont/gomedium"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

func testFont(t *testing.T) *sfnt.Font {
	t.Helper()
	f, err := opentype.Parse(gomedium.TTF)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestOtherScriptsDrawNoBoxes(t *testing.T) {
	f := testFont(t)
	for prompt, want := range map[string]string{
		"A fox  in\tthe snow":   "A fox in the snow",
		"Žluťoučký kůň, naïve":  "Žluťoučký kůň, naïve",
		"Cafe\u0301 noir":       "Café noir",
		"Тихий океан, ёж":       "Тихий океан, ёж",
		"Ένα αστέρι πέφτει":     "Ένα αστέρι πέφτει",
		"hello 🌊 world":         "hello world",
		"love ❤\ufe0f it":       "love it",
		"a lantern 灯笼 at night": "a lantern at night",
		"静かな海":                  nothingShown,
		"طائر فوق البحر":        nothingShown,
		"海 sea 静かな海の上を飛ぶ鳥":      nothingShown,
		"🦊🦊":                    nothingShown,
		"":                      "",
		" \n ":                  "",
		"\xff\xfe broken":       "broken",
		"nul\x00byte\u202e end": "nulbyte end",
	} {
		if got, _ := legible(prompt, f); got != want {
			t.Errorf("%q: %q, not %q", prompt, got, want)
		}
	}
}

func TestMissingWordsAreNoticed(t *testing.T) {
	f := testFont(t)
	for prompt, want := range map[string]bool{"A fox": false, "A fox 🦊": false, "A bird called طائر": true, "A ship, אונייה, at sea": true} {
		if _, missing := legible(prompt, f); missing != want {
			t.Errorf("%q: %v, want %v", prompt, missing, want)
		}
	}
}

// TestEveryShownRuneHasAGlyph also checks the fixed sentences and the ellipsis.
func TestEveryShownRuneHasAGlyph(t *testing.T) {
	f := testFont(t)
	var buf sfnt.Buffer
	shown, _ := legible("Ünïcödé 漢字 тест ὦ ἄνδρες €", f)
	for _, r := range nothingShown + wordsMissing + "…SANDBOX" + shown {
		if g, err := f.GlyphIndex(&buf, r); err != nil || g == 0 && r != ' ' {
			t.Errorf("no glyph for %q", r)
		}
	}
}

func TestTitleFitsIntoItsColumn(t *testing.T) {
	f := testFont(t)
	for _, text := range []string{"x", "A fox crosses the valley", strings.Repeat("word ", 90), "a " + strings.Repeat("ß", 60)} {
		for _, width := range []float64{6, 90, 800} {
			col, err := typeset(text, f, 60, 20, width)
			if err != nil {
				t.Fatal(err)
			}
			if len(col.lines) > 5 || col.px < 20 || col.px > 60 {
				t.Errorf("%.20q in %.0f: %d lines of %.1f", text, width, len(col.lines), col.px)
			}
			if last := col.lines[len(col.lines)-1]; len(text) >= 450 && !strings.HasSuffix(last, "…") {
				t.Errorf("%.20q in %.0f ends with %q", text, width, last)
			}
		}
	}
}

// In a tiny frame, the width for words can be negative.
func TestWordsAreSetEvenWithoutRoom(t *testing.T) {
	f := testFont(t)
	fc, err := face(f, 20)
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []float64{-100, -1, 0, 1} {
		for _, text := range []string{"", "x", "A fox", strings.Repeat("ß", 60)} {
			lines := wrap(fc, text, width)
			if got := strings.Join(lines, ""); got != strings.ReplaceAll(text, " ", "") {
				t.Errorf("%q in %v: %q", text, width, lines)
			}
			if one := clamp(fc, lines, width, 1); len(one) > 1 {
				t.Errorf("%q in %v: %q", text, width, one)
			}
		}
	}
	for side := minSide; side <= 96; side += 2 {
		film := Film{Scene: TextToVideo, Prompt: "A fox crosses the valley", Model: "bytedance/v1-pro-text-to-video", Duration: minDuration, Width: side, Height: side}
		if _, err := newTitle(film); err != nil {
			t.Errorf("%d pixels: %v", side, err)
		}
	}
}

func TestWordsNameTheMood(t *testing.T) {
	for prompt, want := range map[string]mood{
		"Waves on a beach": sea, "the DESERT": dunes, "звезда": aurora, "": moods, "seashell": moods, "rain, then mountains": city,
	} {
		if kind, _ := readMood(prompt); kind != want {
			t.Errorf("%q: %d, not %d", prompt, kind, want)
		}
	}
	if kind, dark := readMood("the moon over a quiet sea"); kind != sea || !dark {
		t.Errorf("the moon over the sea: %d, %v", kind, dark)
	}
	if _, dark := readMood("a boat at midnight"); !dark {
		t.Error("midnight is not dark")
	}
}
