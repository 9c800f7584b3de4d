package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"dailies/db/store/sqlite"
)

// The SQL function has_words and the index of words find the same.
func TestHasWordsFindsWhatTheIndexFinds(t *testing.T) {
	raw, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "words.db"))
	must(t, err)
	defer raw.Close()
	_, err = raw.Exec(`CREATE VIRTUAL TABLE search USING fts5 (
		searched, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M*'", prefix = '1 2 3 4 5 6 7 8')`)
	must(t, err)
	texts := []string{
		"", "A red kite, over the sea", "KITES and kite-strings", "a_b under_score 4K 16:9", " 红 色 的 风 筝 飞", "风 在 筝", "Café crème ÉTÉ", "cafe\u0301 te\u0301",
		"ΣΊΣΥΦΟΣ σίσυφος", "Straße STRASSE", "İstanbul ısı", "красный ЗМЕЙ", "طائرة ورقية", "ว่ า ว สี", "naïve–coöperate", "x\u00a0y\u2028z", "2½ ² Ⅷ", "हिन्दी शब्द", "ko 한국어는",
	}
	for i, text := range texts {
		_, err := raw.Exec(`INSERT INTO search (rowid, searched) VALUES (?, ?)`, i+1, text)
		must(t, err)
	}
	var d sqlite.DB
	for _, terms := range [][]string{
		{"kite"}, {"ki"}, {"KITE", "red"}, {"sea", "a"}, {"kites", "str"}, {"under"}, {"score"}, {"4k"}, {"16"}, {" 风 筝"}, {" 风"}, {" 的 风", " 红"}, {"cafe"}, {"café", "ete"}, {"é"},
		{"σίσυφος"}, {"σίσυφοσ"}, {"strasse"}, {"straße"}, {"istanbul"}, {"ısı"}, {"isi"}, {"змей"}, {"طائرة"}, {" ว่ า"}, {"naive"}, {"coop"}, {"y"}, {"z"}, {"2"}, {"हिन्दी"}, {"한국"}, {"nothing"}, {"a", "nothing"},
	} {
		match := d.Match(terms)
		for i, text := range texts {
			var want bool
			must(t, raw.QueryRow(`SELECT EXISTS (SELECT 1 FROM search WHERE search MATCH ? AND rowid = ?)`, match, i+1).Scan(&want))
			if got := sqlite.Matches(match, text); got != want {
				t.Errorf("%s in %q: %t, want %t", match, text, got, want)
			}
		}
	}
}

// FuzzHasWords compares the quick way through ASCII texts with the general one.
func FuzzHasWords(f *testing.F) {
	f.Add("A red kite, over the sea", "kite red")
	f.Add("a_b 4K", "b")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, text, query string) {
		if strings.ContainsFunc(query, func(r rune) bool { return r >= 0x80 || r == '"' }) {
			t.Skip()
		}
		var d sqlite.DB
		terms := strings.Fields(query)
		if match := d.Match(terms); sqlite.Matches(match, text) != sqlite.Matches(match, text+" 中") {
			t.Errorf("%s in %q", match, text)
		}
	})
}
