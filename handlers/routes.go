package handlers

import (
	"net/http"

	"dailies/handlers/create"
	"dailies/handlers/library"
	"dailies/handlers/site"
	"dailies/handlers/team"
	"dailies/static"
	"dailies/web"
)

// maxPoster and maxBrand limit the size of a request with a cover, and with a logo.
const (
	maxPoster = library.MaxPoster
	maxBrand  = team.MaxBrand
)

// Routes returns the only route table: pattern, guard, handler.
func (a *App) Routes() *web.Mux {
	mux := web.NewMux(a.site.Failures.Show)
	account, library, room, team := a.account, a.library, a.room, a.team
	open, signedOut, signedIn, maker, admin, dev := a.site.Guard.Open, a.site.Guard.SignedOut, a.site.Guard.SignedIn, a.site.Guard.Maker, a.site.Guard.Admin, a.site.Guard.DevOnly
	forms, orders, latest, retries := a.create.Forms, a.create.Orders, a.create.Latest, a.create.Retries
	pictures, uploads, uploaded := a.create.Pictures, a.create.Uploads, a.create.UploadList
	members, member := a.create.Cast, a.create.CastEditor
	recipes, editor, saving, use := a.create.Recipes, a.create.RecipeEditor, a.create.RecipeSaving, a.create.RecipeUse
	batches, batchForm := a.create.Batches, a.create.BatchForm
	outside, look, talk, decide := room.Guard.Outside, room.Guard.Look, room.Guard.Talk, room.Guard.Decide
	byID, openly := site.ByID, a.site.Guard.AdminOpenly
	sure := account.Reauth.Require // asks for the password again, unless the user has just signed in

	mux.Handle("GET /healthz", open(a.health.Live))
	mux.Handle("GET /readyz", open(a.health.Ready))
	mux.Handle("GET /static/", open(serveStatic))
	mux.Handle("GET /favicon.ico", open(a.favicon))

	mux.Handle("GET /setup", open(account.Setup.Show))
	mux.Handle("POST /setup", open(account.Setup.Create))
	mux.Handle("GET /login", signedOut(account.SignIn.Show))
	mux.Handle("POST /login", signedOut(account.SignIn.Begin))
	mux.Handle("GET /login/code", signedOut(account.Second.Show))
	mux.Handle("POST /login/code", signedOut(account.Second.Begin))
	mux.Handle("POST /login/passkey", signedOut(account.PasskeySignIn.SignIn))
	mux.Handle("POST /login/passkey/options", signedOut(account.PasskeySignIn.AskProof))
	mux.Handle("GET /login/oidc", open(account.ProviderVisit.Begin))
	mux.Handle("GET /login/oidc/callback", open(account.ProviderReturn.Finish))
	mux.Handle("POST /logout", open(account.SignOut.End))
	mux.Handle("GET /join/{token}", signedOut(account.Join.Show))
	mux.Handle("POST /join/{token}", signedOut(account.Join.Create))
	mux.Handle("GET /forgot", signedOut(account.Forgot.Show))
	mux.Handle("POST /forgot", signedOut(account.Forgot.Send))
	mux.Handle("GET /reset/{token}", open(account.Reset.Show))
	mux.Handle("POST /reset/{token}", open(account.Reset.Save))

	mux.Handle("GET /{$}", signedIn(forms.Home))
	mux.Handle("GET /create/{scene}", maker(forms.Show))
	mux.Handle("POST /create/{scene}", maker(orders.Create))
	mux.Handle("GET /create/{scene}/options", maker(forms.Options))
	mux.Handle("POST /create/{scene}/cast", maker(a.create.CastInForm.Show))
	mux.Handle("GET /create/picture", maker(web.FromSameOrigin(pictures.ShowNote)))
	mux.Handle("POST /pictures", maker(web.UpTo(create.MaxUpload, uploads.Add)))
	mux.Handle("GET /pictures", maker(uploaded.List))
	mux.Handle("GET /pictures/linked", signedIn(web.FromSameOrigin(a.create.Linked.Show)))
	mux.Handle("POST /pictures/{id}/delete", maker(byID(uploaded.Delete)))
	mux.Handle("GET /p/{token}", a.site.Guard.Known(pictures.Show))
	mux.Handle("GET /p/{token}/small", signedIn(web.FromSameOrigin(a.create.Thumbnails.Show)))

	mux.Handle("GET /cast", signedIn(members.List))
	mux.Handle("GET /cast/find", signedIn(members.Find))
	mux.Handle("GET /cast/new", maker(member.New))
	mux.Handle("POST /cast/new", maker(web.UpTo(create.MaxUpload, member.Add)))
	mux.Handle("GET /cast/{id}", signedIn(byID(library.Cast.Show)))
	mux.Handle("POST /cast/{id}", maker(web.UpTo(create.MaxUpload, byID(member.Save))))
	mux.Handle("GET /cast/{id}/edit", maker(byID(member.Edit)))
	mux.Handle("POST /cast/{id}/delete", maker(byID(members.Delete)))
	mux.Handle("POST /cast/{id}/restore", maker(byID(members.Restore)))

	mux.Handle("GET /tasks/latest", signedIn(latest.Show))
	mux.Handle("GET /tasks/{id}", signedIn(library.Tasks.Show))
	mux.Handle("GET /tasks/{id}/status", signedIn(library.Tasks.ShowStatus))
	mux.Handle("POST /tasks/{id}/again", maker(retries.Again))
	mux.Handle("POST /tasks/{id}/hide", maker(latest.Hide))
	mux.Handle("POST /tasks/{id}/resend", maker(retries.Resend))
	mux.Handle("POST /tasks/{id}/title", maker(library.Tasks.SaveTitle))
	mux.Handle("POST /tasks/{id}/drop", maker(library.Dropping.Drop))
	mux.Handle("POST /tasks/{id}/leave", maker(library.Tasks.Leave))
	mux.Handle("POST /tasks/{id}/follow", maker(library.Follow.Save))
	mux.Handle("POST /tasks/{id}/keep", maker(library.Tasks.Keep))
	mux.Handle("POST /tasks/star", signedIn(library.Organise.Star))
	mux.Handle("POST /tasks/tag", maker(library.Organise.Tag))
	mux.Handle("POST /tasks/private", maker(library.Organise.Hide))
	mux.Handle("POST /tasks/delete", maker(library.Deletion.Delete))
	mux.Handle("POST /tasks/restore", maker(library.Deletion.Restore))
	mux.Handle("GET /tasks/download", signedIn(library.Downloads.Videos))
	mux.Handle("GET /tasks/{id}/recipe", signedIn(library.Downloads.Making))
	mux.Handle("POST /tasks/{id}/poster", maker(web.UpTo(maxPoster, library.Posters.Add)))
	mux.Handle("POST /tasks/{id}/poster/remove", maker(library.Posters.Remove))
	mux.Handle("GET /media/{id}", room.Earlier.OrGuarded(signedIn(byID(library.Media.Show))))
	mux.Handle("GET /tasks/{id}/notes", signedIn(library.Notes.Show))
	mux.Handle("POST /tasks/{id}/notes", signedIn(library.Notes.Add))
	mux.Handle("GET /tasks/{id}/notes.csv", signedIn(library.NoteFiles.CSV))
	mux.Handle("GET /tasks/{id}/notes.edl", signedIn(library.NoteFiles.EDL))
	mux.Handle("GET /tasks/{id}/notes.fcpxml", signedIn(library.NoteFiles.FCPXML))
	mux.Handle("GET /notes", signedIn(library.NoteList.Show))
	mux.Handle("POST /notes/seen", signedIn(library.NoteList.See))
	mux.Handle("POST /notes/{id}", signedIn(byID(library.Note.Change)))
	mux.Handle("POST /notes/{id}/delete", signedIn(byID(library.Note.Delete)))
	mux.Handle("POST /notes/{id}/done", maker(byID(library.Note.Close)))
	mux.Handle("POST /tasks/{id}/stack", maker(library.Stacks.Save))
	mux.Handle("POST /tasks/{id}/next", maker(web.UpTo(create.MaxUpload, a.create.Next.Begin)))
	mux.Handle("GET /story/{id}", signedIn(library.Stories.Show))
	mux.Handle("POST /story/{id}", maker(library.Stories.Save))
	mux.Handle("GET /story/{id}/film", signedIn(library.StoryDownloads.Film))
	mux.Handle("GET /story/{id}/download", signedIn(library.StoryDownloads.Archive))
	mux.Handle("GET /gallery", signedIn(library.Gallery.Show))
	mux.Handle("GET /gallery/counts", signedIn(library.GalleryCounts.ShowCounts))
	mux.Handle("GET /gallery/tile", signedIn(library.GalleryTile.ShowTile))
	mux.Handle("GET /gallery/menu", signedIn(library.GalleryTile.ShowMenu))
	mux.Handle("GET /go", signedIn(library.Go.Show))
	mux.Handle("GET /compare", signedIn(library.Compare.Show))
	mux.Handle("GET /bin", maker(library.Bin.Show))
	mux.Handle("POST /bin/empty", maker(library.Bin.Empty))

	mux.Handle("GET /collections", signedIn(library.Collections.ShowAll))
	mux.Handle("POST /collections", maker(library.Collections.Create))
	mux.Handle("POST /collections/add", maker(library.Collected.Add))
	mux.Handle("GET /collections/find", signedIn(library.Collections.Find))
	mux.Handle("GET /collections/{id}", signedIn(library.Collection.Show))
	mux.Handle("POST /collections/{id}", maker(library.Collection.Save))
	mux.Handle("POST /collections/{id}/remove", maker(library.Collected.Remove))
	mux.Handle("POST /collections/{id}/move", maker(library.Collected.Move))
	mux.Handle("POST /collections/{id}/delete", maker(byID(library.Collections.Delete)))
	mux.Handle("POST /collections/{id}/restore", maker(byID(library.Collections.Restore)))
	mux.Handle("GET /collections/{id}/share", signedIn(library.Collection.ShowShare))
	mux.Handle("POST /collections/{id}/share", maker(library.Collection.Share))
	mux.Handle("GET /tasks/{id}/share", signedIn(library.Tasks.ShowShare))
	mux.Handle("POST /tasks/{id}/share", maker(library.Tasks.Share))
	mux.Handle("GET /story/{id}/share", signedIn(library.Stories.ShowShare))
	mux.Handle("POST /story/{id}/share", maker(library.Stories.Share))
	mux.Handle("POST /shares/{id}", maker(byID(library.Links.Change)))
	mux.Handle("POST /shares/{id}/revoke", maker(byID(library.Links.Revoke)))
	mux.Handle("GET /share/{token}", outside(room.Page.Show))
	mux.Handle("POST /share/{token}/enter", outside(room.Entry.Enter))
	mux.Handle("GET /share/{token}/brand.css", outside(room.Brand.Style))
	mux.Handle("GET /share/{token}/logo", outside(room.Brand.Logo))
	mux.Handle("GET /share/{token}/state", look(room.Page.State))
	mux.Handle("POST /share/{token}/name", talk(room.Notes.Name))
	mux.Handle("GET /share/{token}/notes", talk(room.Notes.Show))
	mux.Handle("POST /share/{token}/notes", talk(room.Notes.Add))
	mux.Handle("POST /share/{token}/notes/{id}", talk(room.Notes.Change))
	mux.Handle("POST /share/{token}/notes/{id}/delete", talk(room.Notes.Delete))
	mux.Handle("POST /share/{token}/verdict", decide(room.Notes.Decide))
	mux.Handle("GET /share/{token}/media/{id}", look(room.Files.Show))

	mux.Handle("GET /usage", signedIn(account.Usage.Show))
	mux.Handle("GET /usage.csv", signedIn(account.Usage.Export))
	mux.Handle("GET /limit", signedIn(account.Limit.Show))
	mux.Handle("POST /limit", maker(account.Limit.SaveOwn))
	mux.Handle("POST /limit/ask", maker(account.Limit.Ask))
	mux.Handle("POST /limit/seen", signedIn(account.Limit.Seen))
	mux.Handle("POST /announcement/close", signedIn(account.Announcement.Close))
	mux.Handle("GET /keys", signedIn(account.Keyboard.Show))

	mux.Handle("POST /drafts/discard", maker(a.create.Drafts.Discard))
	mux.Handle("GET /recipes", maker(recipes.List))
	mux.Handle("POST /recipes", maker(web.UpTo(create.MaxUpload, saving.Add)))
	mux.Handle("GET /recipes/new", maker(editor.New))
	mux.Handle("GET /recipes/options", maker(editor.Options))
	mux.Handle("GET /recipes/{id}", maker(use.Show))
	mux.Handle("POST /recipes/{id}/cast", maker(use.ShowCast))
	mux.Handle("POST /recipes/{id}", maker(web.UpTo(create.MaxUpload, use.Use)))
	mux.Handle("GET /recipes/{id}/edit", maker(editor.Edit))
	mux.Handle("POST /recipes/{id}/edit", maker(web.UpTo(create.MaxUpload, saving.Save)))
	mux.Handle("POST /recipes/{id}/delete", maker(recipes.Delete))
	mux.Handle("POST /recipes/{id}/restore", maker(recipes.Restore))
	mux.Handle("GET /recipes/{id}/batch", maker(batchForm.Show))
	mux.Handle("POST /recipes/{id}/batch", maker(batchForm.Send))
	mux.Handle("GET /batches", maker(batches.List))
	mux.Handle("GET /batches/{batch}", maker(batches.Made))

	mux.Handle("GET /settings", signedIn(account.Settings.Show))
	mux.Handle("POST /settings", signedIn(account.Profile.SaveName))
	mux.Handle("POST /settings/password", signedIn(account.Password.Save))
	mux.Handle("POST /settings/mail", signedIn(account.Mails.SaveMail))
	mux.Handle("POST /settings/mail/ready", signedIn(account.Mails.MailReady))
	mux.Handle("POST /settings/playing", signedIn(account.Profile.SavePlaying))
	mux.Handle("POST /settings/theme", signedIn(account.Theme.SaveTheme))
	mux.Handle("POST /settings/key", maker(account.Key.Save))
	mux.Handle("POST /settings/key/test", maker(account.Key.Test))
	mux.Handle("POST /settings/key/delete", maker(account.Key.Delete))
	mux.Handle("POST /settings/webhook", maker(account.Webhook.Save))
	mux.Handle("POST /settings/webhook/secret", maker(account.Webhook.RenewSecret))
	mux.Handle("POST /settings/webhook/test", maker(account.Webhook.Test))
	mux.Handle("POST /settings/webhook/delete", signedIn(account.Webhook.Delete))
	mux.Handle("GET /settings/programs", signedIn(account.OwnPrograms.Show))
	mux.Handle("POST /settings/programs", signedIn(sure("Make a token?", "Make token", account.OwnPrograms.Add)))
	mux.Handle("POST /settings/programs/{id}/end", signedIn(byID(account.OwnPrograms.End)))
	mux.Handle("POST /settings/programs/{id}/continue", maker(byID(account.OwnPrograms.Continue)))
	mux.Handle("POST /settings/sandbox/key", maker(account.Sandbox.AddKey))
	mux.Handle("POST /settings/sandbox/credits", maker(account.Sandbox.AddCredits))
	mux.Handle("GET /settings/second", signedIn(account.CodeSetup.ShowNeeded))
	mux.Handle("GET /settings/codes", signedIn(account.CodeSetup.Show))
	mux.Handle("POST /settings/codes", signedIn(sure("Turn on the second step?", "Turn on", account.CodeSetup.Save)))
	mux.Handle("POST /settings/codes/renew", signedIn(account.Codes.Renew))
	mux.Handle("POST /settings/codes/off", signedIn(account.Codes.Drop))
	mux.Handle("GET /settings/passkeys", signedIn(account.Passkeys.Show))
	mux.Handle("POST /settings/passkeys", signedIn(sure("Add a passkey?", "Add passkey", account.Passkeys.Add)))
	mux.Handle("POST /settings/passkeys/options", signedIn(account.Passkeys.AskNew))
	mux.Handle("POST /settings/passkeys/{id}", signedIn(byID(account.Passkeys.Rename)))
	mux.Handle("POST /settings/passkeys/{id}/delete", signedIn(sure("Delete this passkey?", "Delete passkey", byID(account.Passkeys.Delete))))
	mux.Handle("POST /settings/identities", signedIn(sure("Connect your company account?", "Continue", account.Connections.Connect)))
	mux.Handle("POST /settings/identities/{id}/remove", signedIn(sure("Disconnect this account?", "Disconnect", byID(account.Connections.Disconnect))))
	mux.Handle("POST /settings/sessions/{id}/end", signedIn(byID(account.OwnSessions.EndSession)))
	mux.Handle("POST /settings/sessions/end-others", signedIn(account.OwnSessions.EndOtherSessions))

	mux.Handle("GET /team", admin(team.Members.ShowTeam))
	mux.Handle("GET /members", admin(team.Members.Show))
	mux.Handle("POST /members/zone", admin(team.Zone.Save))
	mux.Handle("GET /members/invite", admin(team.Invites.Show))
	mux.Handle("POST /members/invites", admin(team.Invites.Add))
	mux.Handle("POST /members/invites/{id}/revoke", admin(byID(team.Invites.Revoke)))
	mux.Handle("GET /members/{id}", admin(byID(team.Member.Show)))
	mux.Handle("POST /members/{id}/role", admin(byID(team.Member.SetRole)))
	mux.Handle("POST /members/{id}/second/remove", admin(sure("Remove the second step?", "Remove", byID(team.MemberSignIn.DropSecondStep))))
	mux.Handle("POST /members/{id}/reset", admin(sure("Make a link for a new password?", "Make link", byID(team.MemberReset.Make))))
	mux.Handle("POST /members/{id}/sessions/end", admin(byID(team.MemberSignIn.EndSessions)))
	mux.Handle("GET /members/{id}/leave", admin(byID(team.Leaving.Show)))
	mux.Handle("POST /members/{id}/deactivate", admin(byID(team.Leaving.Deactivate)))
	mux.Handle("POST /members/{id}/activate", admin(byID(team.Member.Activate)))

	mux.Handle("GET /team/spending", admin(team.Limits.Show))
	mux.Handle("GET /team/limits", admin(leadTo("/team/spending")))
	mux.Handle("POST /team/limits", admin(team.Limits.Save))
	mux.Handle("POST /team/provider", admin(team.Service.SaveProvider))
	mux.Handle("GET /team/service", openly(team.Connection.Show))
	mux.Handle("POST /team/service", openly(team.Connection.Proven(sure("Change the video service?", "Continue", team.Connection.Save))))
	mux.Handle("POST /members/{id}/limit", admin(byID(team.Limits.SavePerson)))
	mux.Handle("POST /asks/{id}/answer", admin(byID(team.Limits.Answer)))
	mux.Handle("GET /team/keys", admin(team.Keys.Show))
	mux.Handle("POST /team/keys", admin(team.Keys.Add))
	mux.Handle("POST /team/keys/standard", admin(team.KeyUse.Standardise))
	mux.Handle("POST /team/keys/assign", admin(team.KeyUse.Assign))
	mux.Handle("POST /team/keys/free", admin(team.KeyCalls.Free))
	mux.Handle("POST /team/keys/rule", admin(team.KeyUse.SaveRule))
	mux.Handle("GET /team/keys/{id}", admin(team.Keys.ShowOne))
	mux.Handle("POST /team/keys/{id}/key", admin(team.Keys.Replace))
	mux.Handle("POST /team/keys/{id}/name", admin(team.Keys.Rename))
	mux.Handle("POST /team/keys/{id}/test", admin(team.Keys.Test))
	mux.Handle("POST /team/keys/{id}/delete", admin(team.Keys.Delete))
	mux.Handle("GET /team/security", admin(team.SignOn.Show))
	mux.Handle("GET /team/sign-on", admin(leadTo("/team/security")))
	mux.Handle("POST /team/sign-on", admin(sure("Change how people sign in?", "Save", team.SignOn.Save)))
	mux.Handle("GET /team/brand", admin(team.Brand.Show))
	mux.Handle("POST /team/brand", admin(web.UpTo(maxBrand, team.Brand.Save)))
	mux.Handle("POST /team/labels", admin(team.Brand.SaveLabels))
	mux.Handle("GET /team/logo", admin(team.Brand.ShowLogo))
	mux.Handle("GET /team/announcement", admin(leadTo("/team/brand")))
	mux.Handle("POST /team/announcement", admin(team.Brand.Announce))
	mux.Handle("POST /team/announcement/remove", admin(team.Brand.Remove))
	mux.Handle("GET /team/mail", admin(leadTo("/team/brand#mail")))
	mux.Handle("POST /team/mail/test", admin(team.Brand.TestMail))
	mux.Handle("GET /team/programs", admin(account.OwnPrograms.ShowAll))
	mux.Handle("GET /audit", admin(team.Audit.Show))
	mux.Handle("GET /audit.csv", admin(team.Audit.Export))
	mux.Handle("POST /audit/keep", admin(team.Audit.SaveDays))

	mux.Handle("GET /dev/storybook", dev(a.showStorybook))
	return mux
}

func serveStatic(w http.ResponseWriter, r *http.Request) error {
	web.AsIs(w)
	static.Handler().ServeHTTP(w, r)
	return nil
}

// leadTo leads from the address of an earlier page to the one that has taken its place.
func leadTo(path string) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error { return web.SeeOther(w, r, path) }
}

// favicon answers the path that browsers request on their own.
func (a *App) favicon(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, static.URL("favicon.svg"), http.StatusFound)
	return nil
}
