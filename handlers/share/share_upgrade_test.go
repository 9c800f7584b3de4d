package share_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

func TestLinksOfYesterdayGoOnAndAreCopiedAgain(t *testing.T) {
	l := handlerstest.Yesterday(t)
	for range 2 { // the second start has nothing left to upgrade
		h := handlerstest.NewAt(t, l.Dir)
		page := handlerstest.OldBrowser(t, h, l.Person(t, "admin")).Get("/settings").Is(200)
		for _, s := range l.Shares {
			if s.Title != "Taken back" {
				page.Shows("/share/" + s.Token)
			}
		}
		must(t, errors.Join(h.Store.Close(), h.Sandbox.Close()))
	}
	for _, name := range []string{"dailies.db", "dailies.db-wal"} {
		content, err := os.ReadFile(l.Dir + "/" + name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, s := range l.Shares {
			if bytes.Contains(content, []byte(s.Token)) {
				t.Errorf("%s: the token of link %d is in the clear", name, s.ID)
			}
		}
	}
}

func TestTitleOfYesterdayIsNotThePrompt(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	cleared := 0
	for _, s := range l.Shares {
		if s.Title == "Taken back" {
			continue
		}
		page := h.Stranger(t).Get("/share/" + s.Token).Is(200)
		begins := false
		for _, task := range l.Tasks {
			begins = begins || strings.HasPrefix(task.Prompt, strings.TrimSuffix(s.Title, "…"))
		}
		if begins {
			cleared++
			page.Shows(">A video for you</h1>").Hides(strings.TrimSuffix(s.Title, "…"))
		} else {
			page.Shows(">" + s.Title)
		}
	}
	if cleared == 0 {
		t.Error("no title of the folder begins its prompt")
	}
}
