package format_test

import (
	"testing"

	"dailies/db/format"
)

func TestNoCellIsAFormula(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a=b": "a=b", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "'\t=1", "\r=1": "'\r=1", "＝1": "'＝1", "＠x": "'＠x", "\xff": "\xff", "ü": "ü",
	} {
		if got := format.Cell(text); got != want {
			t.Errorf("%q: got %q", text, got)
		}
	}
}
