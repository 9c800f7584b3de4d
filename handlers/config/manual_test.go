package config_test

import (
	"bytes"
	"flag"
	"regexp"
	"strings"
	"testing"

	"dailies/handlers/config"
)

// The manual page has every command of the help and every setting of the app, and no line
// that man would take for a request that it does not know.
func TestTheManualPageNamesEverything(t *testing.T) {
	var page, help bytes.Buffer
	if err := config.Manual(&page); err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(page.String(), `\-`, "-")
	if _, err := config.ParseApp(config.Source{Args: []string{"-h"}, Help: &help}); err != flag.ErrHelp {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^  dailies (.*?)  `).FindAllStringSubmatch(help.String(), -1)
	flags := regexp.MustCompile(`(?m)^  -([a-z-]+)`).FindAllStringSubmatch(help.String(), -1)
	if len(commands) < 15 || len(flags) < 20 {
		t.Fatalf("the help has %d commands and %d settings", len(commands), len(flags))
	}
	for _, c := range commands[1:] {
		if !strings.Contains(text, "\n.B "+c[1]+"\n") {
			t.Errorf("it lacks the command %q", c[1])
		}
	}
	for _, f := range append(flags, []string{"", "into"}, []string{"", "keep"}, []string{"", "hand-to"}, []string{"", "new-secret"}) {
		if !regexp.MustCompile(`(?m)^\.B -` + f[1] + `( |$)`).MatchString(text) {
			t.Errorf("it lacks the setting -%s", f[1])
		}
	}
	for _, line := range strings.Split(page.String(), "\n") {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !regexp.MustCompile(`^\.(TH|SH|SS|TP|B|BR|I|br)( |$)`).MatchString(line) {
			t.Errorf("a line reads as a request: %q", line)
		}
	}
}
