package db_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"dailies/db"
)

func TestFileNamesAreValidOnEverySystem(t *testing.T) {
	for words, want := range map[string]string{
		"A paper boat":                   "dailies-7 A paper boat",
		"":                               "dailies-7",
		" ../../etc/passwd\x00\n":        "dailies-7 .. .. etc passwd",
		`a:b*c?"d"<e>|f\g`:               "dailies-7 a b c d e f g",
		"CON":                            "dailies-7 CON",
		"It ends. . .":                   "dailies-7 It ends",
		"日本の港で、夕暮れ":                      "dailies-7 日本の港で、夕暮れ",
		"قارب من ورق":                    "dailies-7 قارب من ورق",
		"txt\u202egpj.exe":               "dailies-7 txtgpj.exe",
		strings.Repeat("boat ", 30):      "dailies-7" + strings.Repeat(" boat", 12),
		strings.Repeat("𝔘", 100):         "dailies-7 " + strings.Repeat("𝔘", 45),
		strings.Repeat("Dampfschiff", 9): "dailies-7 " + strings.Repeat("Dampfschiff", 9)[:60],
	} {
		if got := db.FileName("dailies-7", words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	m := db.Media{TaskID: 7, Position: 1, Type: "video/quicktime"}
	if got := m.Name("A boat"); got != "dailies-7-2 A boat.mov" {
		t.Errorf("got %q", got)
	}
}

func TestASingleDownloadIsNamedByItsTitle(t *testing.T) {
	for words, want := range map[string]string{
		"A paper boat": "A paper boat.mp4",
		"日本の港で、夕暮れ":    "日本の港で、夕暮れ.mp4",
		"../a/b":       "dailies-7 .. a b.mp4",
		"con":          "dailies-7 con.mp4",
		"Aux.1":        "dailies-7 Aux.1.mp4",
		"":             "dailies-7.mp4",
		" . ":          "dailies-7.mp4",
	} {
		if got := (db.Media{TaskID: 7, Type: "video/mp4"}).Title(words); got != want {
			t.Errorf("%q: got %q, want %q", words, got, want)
		}
	}
	if got := (db.Media{TaskID: 7, Position: 1, Type: "video/mp4"}).Title("A boat"); got != "A boat 2.mp4" {
		t.Errorf("got %q", got)
	}
}

func FuzzFileName(f *testing.F) {
	f.Add("A paper boat / in \\ the : fog")
	f.Add("\xff\xfe\u202e\u0000 . .")
	f.Add(strings.Repeat("é", 300))
	f.Fuzz(func(t *testing.T, words string) {
		name := db.FileName("dailies-7", words)
		if len(name) > 200 || !utf8.ValidString(name) || !strings.HasPrefix(name, "dailies-7") || strings.ContainsAny(name, `/\:*?"<>|`) ||
			strings.ContainsFunc(name, unicode.IsControl) || strings.HasSuffix(name, " ") || strings.HasSuffix(name, ".") {
			t.Errorf("%q becomes %q", words, name)
		}
	})
}
