package web_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dailies/web"
)

func TestAFaultThatLastsForDaysLeavesAShortLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var text bytes.Buffer
		log := slog.New(web.LimitRepeats(slog.NewTextHandler(&text, nil)))
		for i := range 3600 {
			log.Error("cannot read what is due", "err", fmt.Errorf("dial 127.0.0.1:%d: refused", 30000+i))
			log.With("bucket", "b").Warn("cannot be used", "err", errors.New("silent"))
			time.Sleep(time.Second)
		}
		if n := strings.Count(text.String(), "\n"); n < 100 || n > 400 {
			t.Errorf("%d lines in an hour", n)
		}
		if !strings.Contains(text.String(), `"left out"=57`) {
			t.Errorf("nothing says how many were left out:\n%.2000s", &text)
		}
	})
}

// Only messages about the same thing are alike: each answer that was paid for is named.
func TestMessagesThatDifferAreAllLogged(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(web.LimitRepeats(slog.NewTextHandler(&text, nil)))
	const each = 3000
	for i := range each {
		log.Error("cannot write down what the service answered", "task", i, "err", errors.New("full"))
		log.With("task", i).Error("cannot write it down", "err", errors.New("full"))
		log.WithGroup("g").Warn("a mail was not sent", "mail", i)
		log.Info("a video was made")
	}
	if n := strings.Count(text.String(), "\n"); n != 4*each {
		t.Errorf("%d lines of %d", n, 4*each)
	}
}

// Programs that look for attacks in the log count them.
func TestEachWrongPasswordIsLogged(t *testing.T) {
	var text bytes.Buffer
	log := slog.New(web.LimitRepeats(slog.NewTextHandler(&text, nil)))
	for range 8 {
		log.Warn("a sign-in failed", "user", 1, "address", "198.51.100.7")
	}
	if n := strings.Count(text.String(), "\n"); n != 8 {
		t.Errorf("%d lines of 8", n)
	}
}
