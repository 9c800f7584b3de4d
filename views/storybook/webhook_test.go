package storybook_test

import (
	"strings"
	"testing"

	"dailies/views/account"
)

func TestDeliveriesSayHowTheyWent(t *testing.T) {
	text := words(parse(t, account.ShowSettings(frame("Settings", "/settings"), settings())))
	text = strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"Ready just now Waiting",
		"Did not work 1 h ago It answered with HTTP 500. Tried 3 times. The next try is in 1 min 30 s. Tried again soon",
		"Stopped 3 days ago It could not be reached. Tried 10 times. Given up",
		"Test 3 days ago Arrived",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the settings do not say %q: %s", want, text)
		}
	}
}
