package handlers

import (
	"net/http"

	"dailies/handlers/site"
	"dailies/static"
	"dailies/web"
)

// Routes joins the rows of all rooms, and adds what belongs to none of them.
func (a *App) Routes() (all []site.Route) {
	for _, room := range a.rooms {
		all = append(all, room.Routes()...)
	}
	open := a.site.Guard.Open
	return append(all,
		site.On("GET /healthz", open, a.health.Live, site.ForAnybody),
		site.On("GET /readyz", open, a.health.Ready, site.ForAnybody),
		site.On("GET /static/", open, serveStatic, site.ForAnybody).At("app.css").Gets(200, "app.css"),
		site.On("GET /favicon.ico", open, a.favicon, site.ForAnybody).Gets(302, ""),
		site.On("GET /dev/storybook", a.site.Guard.DevOnly, a.showStorybook, site.ForAnybody).Gets(404, ""), // without -dev
	)
}

// mux returns what passes each request to the handler of its row, through the guard.
func (a *App) mux() *web.Mux {
	mux := web.NewMux(a.site.Failures.Show)
	for _, route := range a.Routes() {
		mux.Handle(route.Pattern, route.Guard(route.Handler))
	}
	return mux
}

func serveStatic(w http.ResponseWriter, r *http.Request) error {
	web.AsIs(w)
	static.Handler().ServeHTTP(w, r)
	return nil
}

// favicon answers the path that browsers request on their own.
func (a *App) favicon(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, static.URL("favicon.svg"), http.StatusFound)
	return nil
}
