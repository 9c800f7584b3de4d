package signin_test

import (
	"net/url"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// added adds a webhook and returns the path of its page.
func added(p *handlerstest.Browser, address string, more ...string) string {
	form := url.Values{"webhook": {address}, "types": {"video.ready", "video.failed"}}
	for i := 0; i < len(more); i += 2 {
		form[more[i]] = strings.Fields(more[i+1])
	}
	return p.Post("/settings/webhooks", form).Is(303).Header.Get("Location")
}
