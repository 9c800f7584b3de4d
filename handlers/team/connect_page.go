package team

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	teamview "dailies/views/team"
	"dailies/web/videoapi"
)

// connectPage is the page of the video service.
type connectPage struct {
	catalog  *videoapi.Catalog
	desk     *service.Desk
	pages    *site.Pages
	services *people.Services
	webhooks *people.Webhooks
	tests    *serviceTests
}

// draw fills in the rest of the page and renders it.
func (c *connectPage) draw(w http.ResponseWriter, r *http.Request, status int, page teamview.ConnectPage) error {
	all, err := c.services.Services(r.Context())
	if err != nil {
		return err
	}
	for _, s := range all {
		page.Held = page.Held || s.Held
		switch {
		case s.Current:
			page.Service = s
		case s.Queued > 0 || s.Running > 0:
			page.Earlier = append(page.Earlier, s)
		}
	}
	if page.HeldHooks, err = c.webhooks.Held(r.Context()); err != nil {
		return err
	}
	page.Fixed, page.CanPractise, page.Try = c.desk.SettingsName(), c.desk.CanPractise(), tryVideo(c.catalog)
	before, proven, err := c.tests.kept(r)
	if err != nil {
		return err
	}
	switch {
	case page.Form.Address != nil:
	case proven:
		page.Form = teamview.NewConnectForm(before.address, secrets.LastFour(before.key))
		if before.found.Usable() {
			page.Form.Tell(before.found)
		}
	default:
		page.Form = teamview.NewConnectForm("", "")
	}
	if v, _ := site.ViewerOf(r); v.IsStale() && !page.Form.Kept {
		if page.AsksAgain = !v.AsksPassword(); !page.AsksAgain {
			page.Form.Ask()
		}
	}
	return c.pages.Draw(w, r, status, "Video service", func(f part.Frame) templ.Component { return teamview.ShowService(f, page) })
}

// tryVideo returns the smallest video that a model offers.
func tryVideo(catalog *videoapi.Catalog) teamview.TryVideo {
	s := catalog.Smallest()
	query := url.Values{"model": {s.Model}, "duration": {strconv.Itoa(s.Duration)}, "resolution": {s.Resolution}}
	return teamview.TryVideo{
		Path: "/create/" + string(videoapi.TextToVideo) + "?" + query.Encode(), Length: s.Duration, Quality: s.Resolution,
		Credits: db.Credits{Amount: s.Credits, Known: s.HasPrice},
	}
}
