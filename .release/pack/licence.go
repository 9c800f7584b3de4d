package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A licence is a file with the licence of a part, or with a notice that the licence
// requires.
type licence struct {
	id   string // from the SPDX list, or publicDomain; empty for a notice
	file string
	text []byte
}

// publicDomain is the name of SQLite's licence, which is not on the SPDX list.
const publicDomain = "SQLite Is Public Domain"

var termsFile = regexp.MustCompile(`(?i)licen[cs]e|copying|notice|patents|unlicense`)

// terms lists the phrases by which licences are recognised. The first entry whose phrases
// all occur applies. A space in a phrase stands for any white space.
var terms = []struct {
	id    string
	words []string
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}},
	{"MPL-2.0", []string{"Mozilla Public License", "2.0"}},
	{"MIT", []string{"Permission is hereby granted, free of charge"}},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "endorse or promote products"}},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}},
	{"ISC", []string{"Permission to use, copy, modify", "provided that the above copyright notice"}},
	{"0BSD", []string{
		"Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted.",
	}},
	{"blessing", []string{"May you do good and not evil"}},
	{publicDomain, []string{publicDomain}},
	{"Unlicense", []string{"This is free and unencumbered software released into the public domain"}},
}

// licencesIn reads the licences in the folder of a part. It returns an error if it
// recognises none.
func licencesIn(folder string) ([]licence, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []licence
	known := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !termsFile.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		id := licenceOf(text)
		known = known || id != ""
		found = append(found, licence{id, e.Name(), text})
	}
	if !known {
		return nil, fmt.Errorf("no licence that is known in %s", folder)
	}
	return found, nil
}

// licenceOf returns the ID of the licence with the text, or "" if it is unknown.
func licenceOf(text []byte) string {
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, t := range terms {
		fits := true
		for _, w := range t.words {
			fits = fits && strings.Contains(words, w)
		}
		if fits {
			return t.id
		}
	}
	return ""
}

// writeLicences writes the texts of all licences into one file.
func writeLicences(name string, parts []part) error {
	var b bytes.Buffer
	b.WriteString("Dailies contains the work of others, whose terms follow.\n")
	for _, p := range parts {
		for _, l := range p.licences {
			fmt.Fprintf(&b, "\n%s\n%s %s: %s\n\n%s\n", strings.Repeat("=", 72), p.name, p.version, l.file, bytes.TrimSpace(l.text))
		}
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}
