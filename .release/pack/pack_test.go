package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestArchiveDependsOnlyOnWhatIsPacked(t *testing.T) {
	at := time.Unix(1795375637, 0).UTC()
	pack := func(form string, touched time.Time, mode os.FileMode) []byte {
		folder := t.TempDir()
		must(t, os.MkdirAll(filepath.Join(folder, "top", "tmp"), 0o755))
		file := filepath.Join(folder, "top", "program")
		must(t, os.WriteFile(file, []byte("content"), 0o600))
		must(t, os.Chmod(file, mode))
		must(t, os.Chtimes(file, touched, touched))
		name := filepath.Join(t.TempDir(), "a"+form)
		must(t, archive(folder, at, name))
		content, err := os.ReadFile(name)
		must(t, err)
		return content
	}
	for _, form := range []string{".tar.gz", ".zip"} {
		first := pack(form, time.Unix(1, 0), 0o755)
		if !bytes.Equal(first, pack(form, time.Now(), 0o755)) {
			t.Errorf("%s depends on the time of a file", form)
		}
		if bytes.Equal(first, pack(form, time.Unix(1, 0), 0o644)) {
			t.Errorf("%s has lost the permissions", form)
		}
	}
}

func TestLicencesAreKnownByTheirWords(t *testing.T) {
	own, err := os.ReadFile(filepath.Join("..", "..", "LICENSE"))
	must(t, err)
	for _, c := range []struct{ want, text string }{
		{"MIT", string(own)},
		{"Apache-2.0", "  Apache License\n  Version 2.0, January 2004"},
		{"BSD-2-Clause", "Redistribution and use in source\nand binary forms, with or without"},
		{"BSD-3-Clause", "Redistribution and use in source and binary forms … to endorse or\npromote products"},
		{"", "All rights reserved."},
	} {
		if got := licenceOf([]byte(c.text)); got != c.want {
			t.Errorf("%.40q: got %q, not %q", c.text, got, c.want)
		}
	}
	unknown := t.TempDir()
	must(t, os.WriteFile(filepath.Join(unknown, "LICENSE"), []byte("All rights reserved."), 0o600))
	if _, err := licencesIn(unknown); err == nil {
		t.Error("terms that are not known pass")
	}
	if _, err := licencesIn(t.TempDir()); err == nil {
		t.Error("a part without terms passes")
	}
}

func TestVendoredVersionIsThatOfItsReadme(t *testing.T) {
	p, err := vendored(filepath.Join("..", "..", "static", "vendor", "htmx"), "htmx.org")
	if err != nil || !strings.HasPrefix(p.purl, "pkg:npm/htmx.org@4.") {
		t.Errorf("got %+v, %v", p, err)
	}
}
