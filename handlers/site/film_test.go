package site

import (
	"net/url"
	"strings"
	"testing"

	"dailies/db/review"
	"dailies/views/part"
)

func TestWordsHaveALimit(t *testing.T) {
	form, long := part.NewNoteForm(), strings.Repeat("é", review.MaxBody)
	for typed, want := range map[string]string{
		"": part.NoteEmpty, " \n ": part.NoteEmpty, "x": "", long: "",
		long + "x": "A note has 2,000 characters at most. This one has 2,001.",
	} {
		if ReadInputs(url.Values{"body": {typed}}, &form.Body); form.Body.Error != want {
			t.Errorf("%d bytes: %q", len(typed), form.Body.Error)
		}
	}
	if ReadInputs(url.Values{"body": {" one\r\ntwo\u202e "}}, &form.Body); form.Body.Value != "one\ntwo" {
		t.Errorf("got %q", form.Body.Value)
	}
	for typed, want := range map[string]string{
		" Mara \n Lind\u202e": "", "": part.NameMissing, strings.Repeat("x", review.MaxName+1): part.NameLong,
	} {
		if ReadInputs(url.Values{"name": {typed}}, &form.Name); form.Name.Error != want || want == "" && form.Name.Value != "Mara Lind" {
			t.Errorf("the name %q is read as %q: %q", typed, form.Name.Value, form.Name.Error)
		}
	}
}

func TestASpanEndsAfterItsBeginning(t *testing.T) {
	form := part.NewNoteForm()
	for _, tt := range []struct{ at, until, atError, untilError string }{
		{"0:02.4", "", "", ""}, {"2400", "0:02.4", "", ""}, {"0:02.4", "2399", "", part.NoteBackwards},
		{"", "", part.NoteNoTime, ""}, {"now", "", part.NoteNoTime, ""}, {"0", "later", "", part.NoteNoTime},
	} {
		ReadInputs(url.Values{"at": {tt.at}, "until": {tt.until}}, &form.At, &form.Until)
		if form.At.Error != tt.atError || form.Until.Error != tt.untilError {
			t.Errorf("from %q until %q: %q, %q", tt.at, tt.until, form.At.Error, form.Until.Error)
		}
	}
}
