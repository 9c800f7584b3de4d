package handlers_test

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

func TestLinksOfYesterdayGoOnAndAreCopiedAgain(t *testing.T) {
	l := yesterday(t)
	for range 2 { // a second start finds everything done
		h := newHouseAt(t, l.dir)
		page := h.oldBrowser(t, l.person(t, "admin")).get("/settings").is(200)
		for _, s := range l.Shares {
			if s.Title != "Taken back" {
				page.shows("/share/" + s.Token)
			}
		}
		must(t, errors.Join(h.store.Close(), h.box.Close()))
	}
	for _, name := range []string{"dailies.db", "dailies.db-wal"} {
		content, err := os.ReadFile(l.dir + "/" + name)
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
	l := yesterday(t)
	h := newHouseAt(t, l.dir)
	cleared := 0
	for _, s := range l.Shares {
		if s.Title == "Taken back" {
			continue
		}
		page := h.stranger(t).get("/share/" + s.Token).is(200)
		begins := false
		for _, task := range l.Tasks {
			begins = begins || strings.HasPrefix(task.Prompt, strings.TrimSuffix(s.Title, "…"))
		}
		if begins {
			cleared++
			page.shows("<h1>A video for you").hides(strings.TrimSuffix(s.Title, "…"))
		} else {
			page.shows("<h1>" + s.Title)
		}
	}
	if cleared == 0 {
		t.Error("no title of the folder begins its prompt")
	}
}
