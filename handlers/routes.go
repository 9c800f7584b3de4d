package handlers

import (
	"net/http"

	"dailies/static"
	"dailies/web"
)

// Routes is the one route table: pattern, guard, handler.
func (a *App) Routes() *web.Mux {
	mux := web.NewMux(a.Fail)
	open, signedOut, signedIn, admin, dev := a.Open, a.SignedOut, a.SignedIn, a.Admin, a.DevOnly

	mux.Handle("GET /healthz", open(a.health.Live))
	mux.Handle("GET /readyz", open(a.health.Ready))
	mux.Handle("GET /static/", open(serveStatic))
	mux.Handle("GET /favicon.ico", open(a.favicon))

	mux.Handle("GET /setup", open(a.showSetup))
	mux.Handle("POST /setup", open(a.setUp))
	mux.Handle("GET /login", signedOut(a.showLogin))
	mux.Handle("POST /login", signedOut(a.logIn))
	mux.Handle("POST /logout", open(a.logOut))
	mux.Handle("GET /join/{token}", signedOut(a.showJoin))
	mux.Handle("POST /join/{token}", signedOut(a.join))
	mux.Handle("GET /reset/{token}", open(a.showReset))
	mux.Handle("POST /reset/{token}", open(a.resetPassword))

	mux.Handle("GET /{$}", signedIn(a.home))
	mux.Handle("GET /create/{scene}", signedIn(a.showCreate))
	mux.Handle("POST /create/{scene}", signedIn(a.create))
	mux.Handle("GET /create/{scene}/options", signedIn(a.showOptions))
	mux.Handle("GET /create/picture", signedIn(web.FromHere(a.showPictureNote)))
	mux.Handle("POST /pictures", signedIn(web.UpTo(maxUpload, a.addPictures)))
	mux.Handle("GET /pictures", signedIn(a.showUploads))
	mux.Handle("POST /pictures/{id}/delete", signedIn(a.deletePicture))
	mux.Handle("GET /p/{token}", open(a.showPicture))
	mux.Handle("GET /p/{token}/small", signedIn(web.FromHere(a.showThumbnail)))

	mux.Handle("GET /tasks/latest", signedIn(a.showLatest))
	mux.Handle("GET /tasks/{id}", signedIn(a.showTask))
	mux.Handle("GET /tasks/{id}/status", signedIn(a.showTaskStatus))
	mux.Handle("POST /tasks/{id}/again", signedIn(a.tryAgain))
	mux.Handle("POST /tasks/{id}/resend", signedIn(a.resendTask))
	mux.Handle("POST /tasks/{id}/leave", signedIn(a.leaveTask))
	mux.Handle("POST /tasks/{id}/follow", signedIn(a.followTask))
	mux.Handle("POST /tasks/{id}/keep", signedIn(a.keepTask))
	mux.Handle("POST /tasks/star", signedIn(a.starTasks))
	mux.Handle("POST /tasks/tag", signedIn(a.tagTasks))
	mux.Handle("POST /tasks/private", signedIn(a.hideTasks))
	mux.Handle("POST /tasks/delete", signedIn(a.deleteTasks))
	mux.Handle("POST /tasks/restore", signedIn(a.restoreTasks))
	mux.Handle("GET /tasks/download", signedIn(a.downloadTasks))
	mux.Handle("GET /tasks/{id}/recipe", signedIn(a.downloadRecipe))
	mux.Handle("POST /tasks/{id}/poster", signedIn(web.UpTo(maxPoster, a.addPoster)))
	mux.Handle("POST /tasks/{id}/poster/remove", signedIn(a.removePoster))
	mux.Handle("GET /media/{id}", a.orShared(signedIn(a.showMedia)))
	mux.Handle("POST /tasks/{id}/next", signedIn(web.UpTo(maxUpload, a.beginNext)))
	mux.Handle("GET /story/{id}", signedIn(a.showStory))
	mux.Handle("GET /story/{id}/download", signedIn(a.downloadStory))
	mux.Handle("GET /gallery", signedIn(a.showGallery))
	mux.Handle("GET /compare", signedIn(a.showCompare))
	mux.Handle("GET /bin", signedIn(a.showBin))

	mux.Handle("GET /collections", signedIn(a.showCollections))
	mux.Handle("POST /collections", signedIn(a.makeCollection))
	mux.Handle("POST /collections/add", signedIn(a.addToCollection))
	mux.Handle("GET /collections/find", signedIn(a.findCollections))
	mux.Handle("GET /collections/{id}", signedIn(a.showCollection))
	mux.Handle("POST /collections/{id}", signedIn(a.saveCollection))
	mux.Handle("POST /collections/{id}/remove", signedIn(a.removeFromCollection))
	mux.Handle("POST /collections/{id}/move", signedIn(a.moveInCollection))
	mux.Handle("POST /collections/{id}/delete", signedIn(a.deleteCollection))
	mux.Handle("POST /collections/{id}/restore", signedIn(a.restoreCollection))
	mux.Handle("POST /collections/{id}/share", signedIn(a.shareCollection))
	mux.Handle("POST /tasks/{id}/share", signedIn(a.shareTask))
	mux.Handle("POST /shares/{id}/revoke", signedIn(a.revokeShare))
	mux.Handle("GET /share/{token}", open(a.showShared))

	mux.Handle("GET /usage", signedIn(a.showUsage))
	mux.Handle("GET /keys", signedIn(a.showKeys))

	mux.Handle("POST /drafts/discard", signedIn(a.startAfresh))
	mux.Handle("GET /recipes", signedIn(a.showRecipes))
	mux.Handle("POST /recipes", signedIn(web.UpTo(maxUpload, a.addRecipe)))
	mux.Handle("GET /recipes/new", signedIn(a.showNewRecipe))
	mux.Handle("GET /recipes/options", signedIn(a.showRecipeOptions))
	mux.Handle("GET /recipes/{id}", signedIn(a.showRecipe))
	mux.Handle("POST /recipes/{id}", signedIn(web.UpTo(maxUpload, a.useRecipe)))
	mux.Handle("GET /recipes/{id}/edit", signedIn(a.showEditRecipe))
	mux.Handle("POST /recipes/{id}/edit", signedIn(web.UpTo(maxUpload, a.editRecipe)))
	mux.Handle("POST /recipes/{id}/delete", signedIn(a.deleteRecipe))
	mux.Handle("POST /recipes/{id}/restore", signedIn(a.restoreRecipe))
	mux.Handle("GET /recipes/{id}/batch", signedIn(a.showBatch))
	mux.Handle("POST /recipes/{id}/batch", signedIn(a.sendBatch))
	mux.Handle("GET /batches/{batch}", signedIn(a.showMade))

	mux.Handle("GET /settings", signedIn(a.showSettings))
	mux.Handle("POST /settings", signedIn(a.saveName))
	mux.Handle("POST /settings/password", signedIn(a.savePassword))
	mux.Handle("POST /settings/key", signedIn(a.saveKey))
	mux.Handle("POST /settings/key/test", signedIn(a.testKey))
	mux.Handle("POST /settings/key/delete", signedIn(a.deleteKey))
	mux.Handle("POST /settings/webhook", signedIn(a.saveWebhook))
	mux.Handle("POST /settings/webhook/secret", signedIn(a.renewWebhookSecret))
	mux.Handle("POST /settings/webhook/test", signedIn(a.testWebhook))
	mux.Handle("POST /settings/webhook/delete", signedIn(a.deleteWebhook))
	mux.Handle("POST /settings/sandbox/key", signedIn(a.addSandboxKey))
	mux.Handle("POST /settings/sandbox/credits", signedIn(a.addSandboxCredits))
	mux.Handle("POST /settings/sessions/{id}/end", signedIn(a.endSession))
	mux.Handle("POST /settings/sessions/end-others", signedIn(a.endOtherSessions))

	mux.Handle("GET /members", admin(a.showMembers))
	mux.Handle("POST /members/invites", admin(a.addInvite))
	mux.Handle("POST /members/invites/{id}/revoke", admin(a.revokeInvite))

	mux.Handle("GET /dev/storybook", dev(a.showStorybook))
	return mux
}

func serveStatic(w http.ResponseWriter, r *http.Request) error {
	web.AsIs(w)
	static.Handler().ServeHTTP(w, r)
	return nil
}

// favicon answers the address that browsers try by themselves.
func (a *App) favicon(w http.ResponseWriter, r *http.Request) error {
	http.Redirect(w, r, static.URL("favicon.svg"), http.StatusFound)
	return nil
}
