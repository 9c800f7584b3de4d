package site

import (
	"slices"
	"testing"
)

func TestSelectionsFitIntoACookie(t *testing.T) {
	var many []int64
	for id := int64(1_000_000); len(many) < 500; id += 3 {
		many = append(many, id)
	}
	for _, ids := range [][]int64{nil, {7}, {900, 3, 40}, many} {
		text := packIDs(ids)
		if len(text) > maxUndo {
			t.Errorf("%d ids take %d bytes", len(ids), len(text))
		}
		if got := unpackIDs(text); !slices.Equal(got, slices.Sorted(slices.Values(ids))) {
			t.Errorf("%v came back as %v", ids, got)
		}
	}
}

func FuzzUnpackIDs(f *testing.F) {
	f.Add("")
	f.Add("7 1 zz")
	f.Add("-1 x 99999999999999999999")
	f.Fuzz(func(_ *testing.T, text string) { unpackIDs(text) })
}
