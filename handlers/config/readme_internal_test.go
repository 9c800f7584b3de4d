package config

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const readme = "../../README.md"

// code matches what the README shows as code: addresses, variables and flags.
var code = regexp.MustCompile(`[a-z0-9]+://[^\s;,]*[^\s;,:]|DAILIES_\w+|-tags storybook|\B-[a-z]{2,}(?:-[a-z]+)*|/[a-z/]+storybook|NAME=value`)

// readmeTable returns the README's table of the app's settings.
func readmeTable() string {
	rows := new(App).settings()
	rows = append(rows, setting{name: "env", help: envHelp, define: func(*flag.FlagSet, string, string) {}})
	slices.SortStableFunc(rows, func(a, b setting) int { return strings.Compare(rowOrder(a), rowOrder(b)) })
	f := flagSet("", new(App).flags)
	var table strings.Builder
	table.WriteString("| flag | environment | default | |\n|---|---|---|---|\n")
	for _, row := range rows {
		one := &flag.Flag{Name: row.name, Usage: row.help}
		if found := f.Lookup(row.name); found != nil {
			one = found
		}
		_, help := flag.UnquoteUsage(one)
		if help = code.ReplaceAllString(help, "`$0`"); row.guide != "" {
			help += fmt.Sprintf("; [more](.github/OPERATING.md#%s)", row.guide)
		}
		usual := row.usual
		switch {
		case usual != "":
		case one.DefValue == "false":
			usual = "off"
		case one.DefValue != "":
			usual = "`" + strings.TrimSuffix(one.DefValue, "0m0s") + "`"
		}
		if row.define == nil {
			fmt.Fprintf(&table, "| | `%s` | %s | %s |\n", row.name, usual, help)
		} else {
			fmt.Fprintf(&table, "| `-%s` | `%s` | %s | %s |\n", row.name, variable(row.name), usual, help)
		}
	}
	return strings.ReplaceAll(table.String(), "|  |", "| |")
}

// rowOrder sorts settings by their flags, and secrets without a flag behind them.
func rowOrder(s setting) string {
	if s.define == nil {
		return "~" + s.name
	}
	return s.name
}

// The README's table of settings is that of the program. DAILIES_WRITE_README=1 writes it.
func TestTheReadmeListsTheSettings(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	want := []byte(readmeTable())
	table := regexp.MustCompile(`(?m)^\| flag \| environment .*\n(?:\|.*\n)+`)
	got := table.Find(text)
	if bytes.Equal(got, want) {
		return
	}
	if os.Getenv("DAILIES_WRITE_README") == "" || got == nil {
		t.Fatalf("the README's table of settings is not current. DAILIES_WRITE_README=1 go test ./handlers/config writes it:\n%s", want)
	}
	if err := os.WriteFile(readme, bytes.Replace(text, got, want, 1), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each section that the README leads to is in OPERATING.md.
func TestTheGuideHasEachSectionOfTheSettings(t *testing.T) {
	text, err := os.ReadFile("../../.github/OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	var sections []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllSubmatch(text, -1) {
		sections = append(sections, strings.ToLower(strings.ReplaceAll(string(heading[1]), " ", "-")))
	}
	for _, s := range new(App).settings() {
		if s.guide != "" && !slices.Contains(sections, s.guide) {
			t.Errorf("-%s leads to %q, which is no section", s.name, s.guide)
		}
	}
}
