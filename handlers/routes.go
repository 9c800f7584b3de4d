package handlers

import (
	"net/http"

	"dailies/handlers/api"
	"dailies/handlers/site"
	"dailies/handlers/video"
	"dailies/static"
	"dailies/web"
)

// maxPoster limits the size of a request with a cover.
const maxPoster = video.MaxPoster

// Routes returns the only route table: pattern, guard, handler.
func (a *App) Routes() *web.Mux {
	mux := web.NewMux(a.site.Failures.Show)
	for _, room := range a.rooms {
		for _, route := range room.Routes() {
			mux.Handle(route.Pattern, route.Guard(route.Handler))
		}
	}
	open, signedIn, maker, dev := a.site.Guard.Open, a.site.Guard.SignedIn, a.site.Guard.Maker, a.site.Guard.DevOnly
	byID := site.ByID

	mux.Handle("GET /healthz", open(a.health.Live))
	mux.Handle("GET /readyz", open(a.health.Ready))
	mux.Handle("GET /static/", open(serveStatic))
	mux.Handle("GET /favicon.ico", open(a.favicon))

	mux.Handle("GET /tasks/{id}", signedIn(a.video.Tasks.Show))
	mux.Handle("GET /tasks/{id}/status", signedIn(a.video.Tasks.ShowStatus))
	mux.Handle("POST /tasks/{id}/title", maker(a.video.Tasks.SaveTitle))
	mux.Handle("POST /tasks/{id}/drop", maker(a.video.Dropping.Drop))
	mux.Handle("POST /tasks/{id}/leave", maker(a.video.Tasks.Leave))
	mux.Handle("POST /tasks/{id}/follow", maker(a.video.Follow.Save))
	mux.Handle("POST /tasks/{id}/keep", maker(a.video.Tasks.Keep))
	mux.Handle("POST /tasks/{id}/poster", maker(web.UpTo(maxPoster, a.video.Posters.Add)))
	mux.Handle("POST /tasks/{id}/poster/remove", maker(a.video.Posters.Remove))
	mux.Handle("GET /media/{id}", signedIn(byID(a.video.Media.Show)))
	mux.Handle("GET /tasks/{id}/notes", signedIn(a.video.Notes.Show))
	mux.Handle("POST /tasks/{id}/notes", signedIn(a.video.Notes.Add))
	mux.Handle("GET /tasks/{id}/notes.csv", signedIn(a.video.NoteFiles.CSV))
	mux.Handle("GET /tasks/{id}/notes.edl", signedIn(a.video.NoteFiles.EDL))
	mux.Handle("GET /tasks/{id}/notes.fcpxml", signedIn(a.video.NoteFiles.FCPXML))
	mux.Handle("GET /notes", signedIn(a.video.NoteList.Show))
	mux.Handle("GET /notes/people", signedIn(a.video.Notes.People))
	mux.Handle("POST /notes/seen", signedIn(a.video.NoteList.See))
	mux.Handle("POST /notes/{id}", signedIn(byID(a.video.Note.Change)))
	mux.Handle("POST /notes/{id}/delete", signedIn(byID(a.video.Note.Delete)))
	mux.Handle("POST /notes/{id}/done", maker(byID(a.video.Note.Close)))
	mux.Handle("POST /tasks/{id}/stack", maker(a.video.Stacks.Save))

	mux.Handle("GET /tasks/{id}/share", signedIn(a.video.Tasks.ShowShare))
	mux.Handle("POST /tasks/{id}/share", maker(a.video.Tasks.Share))
	mux.Handle("POST /shares/{id}", maker(byID(a.video.Links.ChangeLink)))
	mux.Handle("POST /shares/{id}/back", maker(byID(a.video.Links.ReopenLink)))
	mux.Handle("POST /shares/{id}/guests/{guest}/remove", maker(byID(a.video.Links.RemoveGuest)))
	mux.Handle("POST /shares/{id}/takes", maker(byID(a.video.Links.AddTake)))
	mux.Handle("POST /shares/{id}/revoke", maker(byID(a.video.Links.RevokeLink)))

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
