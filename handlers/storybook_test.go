package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/views/storybook"
)

// TestEveryRouteHasItsGuard checks that without -dev nobody finds the page.
func TestStorybookIsForEverybodyWithDev(t *testing.T) {
	h := handlerstest.New(t)
	c := h.Config
	c.Dev, c.Storybook = true, storybook.ShowStorybook()
	handler, err := handlers.New(c).Handler()
	must(t, err)
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/dev/storybook", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Cards in the gallery") {
		t.Errorf("got %d: %.300s", w.Code, w.Body)
	}
	if strings.Contains(w.Body.String(), "hx-") {
		t.Error("something in the storybook asks the server")
	}
}
