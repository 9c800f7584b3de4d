package handlers

import (
	"net/http"

	"dailies/static"
	"dailies/web"
)

// Routes joins the rows of all rooms, and adds what belongs to none of them.
func (a *App) Routes() *web.Mux {
	mux := web.NewMux(a.site.Failures.Show)
	for _, room := range a.rooms {
		for _, route := range room.Routes() {
			mux.Handle(route.Pattern, route.Guard(route.Handler))
		}
	}
	open := a.site.Guard.Open
	mux.Handle("GET /healthz", open(a.health.Live))
	mux.Handle("GET /readyz", open(a.health.Ready))
	mux.Handle("GET /static/", open(serveStatic))
	mux.Handle("GET /favicon.ico", open(a.favicon))
	mux.Handle("GET /dev/storybook", a.site.Guard.DevOnly(a.showStorybook))
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
