package media_test

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"dailies/db/media"
)

func TestAScratchIsBoundedAndLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s, err := media.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	file, err := s.Scratch(t.Context(), strings.NewReader("0123456789"), 4)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(file); string(b) != "0123" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	broken := errors.New("the line broke")
	if _, err := s.Scratch(t.Context(), iotest.ErrReader(broken), 4); !errors.Is(err, broken) {
		t.Errorf("the reader's error: %v", err)
	}
	if entries, err := os.ReadDir(dir); len(entries) > 0 || err != nil {
		t.Errorf("%d files are left, %v", len(entries), err)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Scratch(t.Context(), strings.NewReader("0123456789"), 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a folder: %v", err)
	}
}
