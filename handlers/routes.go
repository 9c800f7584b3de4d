package handlers

import (
	"net/http"

	"dailies/handlers/api"
	"dailies/static"
	"dailies/web"
)

// Routes returns the only route table: pattern, guard, handler.
func (a *App) Routes() *web.Mux {
	mux := web.NewMux(a.site.Failures.Show)
	for _, room := range a.rooms {
		for _, route := range room.Routes() {
			mux.Handle(route.Pattern, route.Guard(route.Handler))
		}
	}
	open, signedIn, dev := a.site.Guard.Open, a.site.Guard.SignedIn, a.site.Guard.DevOnly

	mux.Handle("GET /healthz", open(a.health.Live))
	mux.Handle("GET /readyz", open(a.health.Ready))
	mux.Handle("GET /static/", open(serveStatic))
	mux.Handle("GET /favicon.ico", open(a.favicon))

	programs := a.api.Guard
	mux.Handle("GET /api", signedIn(a.api.Guide.Show))
	mux.Handle("GET /api/v1/openapi.json", programs.Anybody(api.Document))
	mux.Handle("GET /api/v1/me", programs.Look(a.api.Person.Me))
	mux.Handle("GET /api/v1/limits", programs.Look(a.api.Person.Limits))
	mux.Handle("GET /api/v1/usage", programs.Look(a.api.Person.Usage))
	mux.Handle("GET /api/v1/models", programs.Look(a.api.Lists.Models))
	mux.Handle("GET /api/v1/recipes", programs.Look(a.api.Lists.Recipes))
	mux.Handle("GET /api/v1/cast", programs.Look(a.api.Lists.Cast))
	mux.Handle("GET /api/v1/collections", programs.Look(a.api.Lists.Collections))
	mux.Handle("POST /api/v1/quotes", programs.Look(a.api.Quotes.Quote))
	mux.Handle("GET /api/v1/videos", programs.Look(a.api.Videos.List))
	mux.Handle("POST /api/v1/videos", programs.Spend(a.api.Orders.Make))
	mux.Handle("GET /api/v1/videos/{id}", programs.Look(a.api.Show.Video))
	mux.Handle("PATCH /api/v1/videos/{id}", programs.Make(a.api.Changes.Save))
	mux.Handle("DELETE /api/v1/videos/{id}", programs.Change(a.api.Changes.Delete))
	mux.Handle("GET /api/v1/videos/{id}/file", programs.Look(a.api.Videos.File))
	mux.Handle("GET /api/v1/videos/{id}/notes", programs.Look(a.api.Notes.List))
	mux.Handle("POST /api/v1/pictures", programs.Make(a.api.Pictures.Add))
	mux.Handle("POST /api/v1/recipes/{id}/videos", programs.Spend(a.api.Recipes.Make))
	mux.Handle("GET /api/v1/webhooks", programs.Look(a.api.Hooks.List))
	mux.Handle("POST /api/v1/webhooks", programs.Change(a.api.Hooks.Add))
	mux.Handle("DELETE /api/v1/webhooks/{id}", programs.Change(a.api.Hooks.Delete))
	mux.Handle("POST /api/v1/webhooks/{id}/secret", programs.Change(a.api.Hooks.Renew))
	mux.Handle("POST /api/v1/webhooks/{id}/test", programs.Change(a.api.Hooks.Test))
	mux.Handle("GET /api/v1/webhooks/{id}/deliveries", programs.Look(a.api.Hooks.Deliveries))
	mux.Handle("POST /api/v1/webhooks/{id}/deliveries/{delivery}/again", programs.Change(a.api.Hooks.SendAgain))
	mux.Handle("/api/v1/", programs.Look(api.Nothing))
	mux.Handle("POST /api/ai/generate", programs.Generate(a.api.Dialect.Generate))
	mux.Handle("POST /api/ai/query", programs.Query(a.api.Dialect.Query))
	mux.Handle("GET /api/ai/files/{file}", open(a.api.Signed.Show))
	mux.Handle("/api/ai/", open(api.NoSuchCall))

	mux.Handle("GET /dev/storybook", dev(a.showStorybook))
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
