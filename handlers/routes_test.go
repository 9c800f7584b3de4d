package handlers_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/team"
	"dailies/handlers/handlerstest"
	"dailies/web/scopetest"
)

// everyRoute lists all routes with the status that a browser without a session, the
// owner (an admin) and another member get. A viewer is refused the routes in
// forMakers, and a user whose account was closed gets the same status as a browser
// without a session. Names in braces in "path" are replaced with the IDs of fixtures.
var everyRoute = []struct {
	pattern                string
	path                   string
	stranger, owner, other int
}{
	{"GET /healthz", "/healthz", 200, 200, 200},
	{"GET /readyz", "/readyz", 200, 200, 200},
	{"GET /static/", "/static/app.css", 200, 200, 200},
	{"GET /favicon.ico", "/favicon.ico", 302, 302, 302},
	{"GET /setup", "/setup", 303, 303, 303},
	{"POST /setup", "/setup?token=" + handlerstest.SetupToken, 303, 303, 303},
	{"GET /login", "/login", 200, 303, 303},
	{"POST /login", "/login", 422, 303, 303},
	{"GET /login/code", "/login/code", 303, 303, 303},
	{"POST /login/code", "/login/code", 303, 303, 303},
	{"POST /login/passkey", "/login/passkey", 422, 303, 303},
	{"POST /login/passkey/options", "/login/passkey/options", 404, 303, 303}, // the server's address has no host name
	{"GET /login/oidc", "/login/oidc", 404, 404, 404},                        // no provider is configured
	{"GET /login/oidc/callback", "/login/oidc/callback", 404, 404, 404},
	{"GET /join/{token}", "/join/nonsense", 404, 303, 303},
	{"POST /join/{token}", "/join/nonsense", 404, 303, 303},
	{"GET /forgot", "/forgot", 404, 303, 303}, // without -smtp
	{"POST /forgot", "/forgot", 404, 303, 303},
	{"GET /reset/{token}", "/reset/nonsense", 404, 404, 404},
	{"POST /reset/{token}", "/reset/nonsense", 404, 404, 404},
	{"GET /{$}", "/", 303, 303, 303},
	{"GET /create/{scene}", "/create/text-to-video", 303, 200, 200},
	{"POST /create/{scene}", "/create/text-to-video", 303, 422, 422},
	{"GET /create/{scene}/options", "/create/text-to-video/options?model=veo3", 303, 200, 200},
	{"GET /create/picture", "/create/picture?url=", 303, 200, 200},
	{"POST /create/{scene}/list", "/create/text-to-video/list", 303, 200, 200},
	{"POST /create/{scene}/cast", "/create/text-to-video/cast", 303, 303, 303},
	{"POST /create/{scene}/cast", "/create/sideways/cast", 303, 404, 404},
	{"POST /pictures", "/pictures?scene=image-to-video", 303, 422, 422},
	{"GET /p/{token}", "/p/{picture}", 200, 200, 200},
	{"GET /p/{token}", "/p/nothing", 404, 404, 404},
	{"GET /p/{token}/small", "/p/{picture}/small", 303, 200, 200},
	{"GET /p/{token}/small", "/p/nothing/small", 303, 404, 404},
	{"GET /pictures/linked", "/pictures/linked", 303, 404, 404},
	{"GET /pictures/linked", "/pictures/linked?address=http://127.0.0.1:1/a.png", 303, 404, 404},
	{"GET /pictures", "/pictures", 303, 200, 200},
	{"GET /pictures", "/pictures?who=all&page=2", 303, 200, 200},
	{"POST /pictures/{id}/delete", "/pictures/99999/delete", 303, 404, 404},
	{"GET /tasks/latest", "/tasks/latest", 303, 200, 200},
	{"GET /tasks/{id}", "/tasks/{done}", 303, 200, 200},
	{"GET /tasks/{id}", "/tasks/{failed}", 303, 200, 404},
	{"GET /tasks/{id}", "/tasks/99999", 303, 404, 404},
	{"GET /tasks/{id}", "/tasks/x", 303, 404, 404},
	{"GET /tasks/{id}/status", "/tasks/{done}/status", 303, 200, 200},
	{"GET /tasks/{id}/status", "/tasks/{failed}/status", 303, 200, 404},
	{"POST /tasks/{id}/again", "/tasks/{done}/again", 303, 409, 404},
	{"POST /tasks/{id}/again", "/tasks/{failed}/again", 303, 303, 404},
	{"POST /tasks/{id}/resend", "/tasks/{done}/resend", 303, 409, 404},
	{"POST /tasks/{id}/title", "/tasks/{done}/title", 303, 422, 422},
	{"POST /tasks/{id}/title", "/tasks/{failed}/title", 303, 422, 404},
	{"POST /tasks/{id}/hide", "/tasks/{done}/hide", 303, 409, 404},
	{"POST /tasks/{id}/drop", "/tasks/{done}/drop", 303, 409, 404},
	{"POST /tasks/{id}/leave", "/tasks/{done}/leave", 303, 409, 404},
	{"POST /tasks/{id}/follow", "/tasks/{done}/follow", 303, 409, 404},
	{"POST /tasks/{id}/follow", "/tasks/{failed}/follow", 303, 409, 404},
	{"POST /tasks/{id}/follow", "/tasks/99999/follow", 303, 404, 404},
	{"POST /tasks/{id}/keep", "/tasks/{done}/keep", 303, 409, 404},
	{"POST /tasks/star", "/tasks/star", 303, 422, 422},
	{"POST /tasks/tag", "/tasks/tag", 303, 422, 422},
	{"POST /tasks/private", "/tasks/private", 303, 422, 422},
	{"POST /tasks/delete", "/tasks/delete", 303, 422, 422},
	{"POST /tasks/restore", "/tasks/restore", 303, 422, 422},
	{"GET /tasks/download", "/tasks/download?id={done}", 303, 200, 200},
	{"GET /tasks/download", "/tasks/download?id={failed}", 303, 200, 404},
	{"GET /tasks/download", "/tasks/download?id=x", 303, 404, 404},
	{"GET /tasks/{id}/recipe", "/tasks/{failed}/recipe", 303, 200, 404},
	{"POST /tasks/{id}/poster", "/tasks/{done}/poster", 303, 409, 409},
	{"POST /tasks/{id}/poster", "/tasks/{failed}/poster", 303, 409, 404},
	{"POST /tasks/{id}/poster/remove", "/tasks/{done}/poster/remove", 303, 409, 404},
	{"POST /tasks/{id}/stack", "/tasks/{done}/stack", 303, 303, 303},
	{"POST /tasks/{id}/stack", "/tasks/{failed}/stack", 303, 303, 404},
	{"GET /tasks/{id}/next-take", "/tasks/{done}/next-take", 303, 200, 200},
	{"GET /tasks/{id}/next-take", "/tasks/{failed}/next-take?note=4711", 303, 200, 404},
	{"POST /tasks/{id}/next-take", "/tasks/{done}/next-take", 303, 303, 303},
	{"POST /tasks/{id}/next-take", "/tasks/{failed}/next-take", 303, 303, 404},
	{"POST /tasks/{id}/next", "/tasks/{done}/next", 303, 409, 409},
	{"POST /tasks/{id}/next", "/tasks/{failed}/next", 303, 409, 404},
	{"GET /story/{id}", "/story/{done}", 303, 200, 200},
	{"GET /story/{id}", "/story/{failed}", 303, 200, 404},
	{"GET /story/{id}", "/story/x", 303, 404, 404},
	{"POST /story/{id}", "/story/{done}", 303, 404, 404}, // the video has no file
	{"POST /story/{id}", "/story/{failed}", 303, 404, 404},
	{"GET /story/{id}/film", "/story/{done}/film", 303, 404, 404},
	{"GET /story/{id}/film", "/story/{failed}/film", 303, 404, 404},
	{"GET /story/{id}/download", "/story/{done}/download", 303, 404, 404}, // the video has no file
	{"GET /tasks/{id}/notes", "/tasks/{done}/notes?reply=1&edit=1&at=0:01", 303, 200, 200},
	{"GET /tasks/{id}/notes", "/tasks/{failed}/notes", 303, 200, 404},
	{"POST /tasks/{id}/notes", "/tasks/{done}/notes", 303, 422, 422},
	{"POST /tasks/{id}/notes", "/tasks/{failed}/notes", 303, 409, 404},
	{"GET /tasks/{id}/notes.csv", "/tasks/{done}/notes.csv", 303, 200, 200},
	{"GET /tasks/{id}/notes.csv", "/tasks/{failed}/notes.csv", 303, 200, 404},
	{"GET /tasks/{id}/notes.edl", "/tasks/{done}/notes.edl", 303, 200, 200},
	{"GET /tasks/{id}/notes.edl", "/tasks/{failed}/notes.edl", 303, 200, 404},
	{"GET /tasks/{id}/notes.fcpxml", "/tasks/{done}/notes.fcpxml", 303, 200, 200},
	{"GET /tasks/{id}/notes.fcpxml", "/tasks/{failed}/notes.fcpxml", 303, 200, 404},
	{"GET /notes", "/notes", 303, 200, 200},
	{"GET /notes", "/notes?show=open", 303, 200, 200},
	{"GET /notes", "/notes?show=done", 303, 200, 200},
	{"POST /notes/seen", "/notes/seen", 303, 303, 303},
	{"POST /notes/{id}", "/notes/99999", 303, 404, 404},
	{"POST /notes/{id}/delete", "/notes/99999/delete", 303, 404, 404},
	{"POST /notes/{id}/done", "/notes/99999/done", 303, 404, 404},
	{"GET /media/{id}", "/media/99999", 303, 404, 404},
	{"GET /gallery", "/gallery?through=1", 303, 200, 200},
	{"GET /gallery/counts", "/gallery/counts?menu=model&scene=text-to-video&before=5", 303, 200, 200},
	{"GET /gallery/counts", "/gallery/counts?menu=date", 303, 200, 200},
	{"GET /gallery/counts", "/gallery/counts?menu=nonsense", 303, 404, 404},
	{"GET /bin", "/bin", 303, 200, 200},
	{"GET /go", "/go", 303, 200, 200},
	{"GET /go", "/go?q=%C3%28%00boat", 303, 200, 200},
	{"POST /bin/empty", "/bin/empty", 303, 303, 303},
	{"GET /gallery", "/gallery?size=l", 303, 303, 303},
	{"GET /gallery/menu", "/gallery/menu?id={done}", 303, 200, 200},
	{"GET /gallery/menu", "/gallery/menu?id={failed}", 303, 200, 404},
	{"GET /gallery/menu", "/gallery/menu?id=x", 303, 404, 404},
	{"GET /gallery/takes", "/gallery/takes?id={done}", 303, 200, 200},
	{"GET /gallery/takes", "/gallery/takes?id={failed}", 303, 200, 404},
	{"GET /gallery/tile", "/gallery/tile?id={done}&model=veo3", 303, 200, 200},
	{"GET /gallery/tile", "/gallery/tile?id={failed}", 303, 200, 404},
	{"GET /gallery", "/gallery?q=boat&who=me&scene=text-to-video&model=veo3&status=all&before=5", 303, 200, 200},
	{"GET /media/{id}", "/media/99999?share=nothing", 303, 404, 404},
	{"GET /collections", "/collections", 303, 200, 200},
	{"POST /collections", "/collections", 303, 422, 422},
	{"POST /collections/add", "/collections/add", 303, 422, 422},
	{"GET /compare", "/compare?id={done}&id=99999&id=x", 303, 200, 200},
	{"GET /collections/{id}", "/collections/{collection}", 303, 200, 200},
	{"GET /collections/{id}", "/collections/99999", 303, 404, 404},
	{"GET /collections/{id}", "/collections/x", 303, 404, 404},
	{"POST /collections/{id}", "/collections/{collection}", 303, 422, 422},
	{"POST /collections/{id}", "/collections/99999", 303, 404, 404},
	{"POST /collections/{id}/remove", "/collections/{collection}/remove", 303, 422, 422},
	{"POST /collections/{id}/move", "/collections/{collection}/move", 303, 422, 422},
	{"POST /collections/{id}/delete", "/collections/99999/delete", 303, 404, 404},
	{"GET /collections/find", "/collections/find?name=x", 303, 200, 200},
	{"POST /collections/{id}/restore", "/collections/{collection}/restore", 303, 404, 404},
	{"GET /collections/{id}/share", "/collections/{collection}/share", 303, 200, 200},
	{"GET /collections/{id}/share", "/collections/99999/share", 303, 404, 404},
	{"GET /tasks/{id}/share", "/tasks/{done}/share", 303, 200, 200},
	{"GET /tasks/{id}/share", "/tasks/{failed}/share", 303, 200, 404},
	{"GET /story/{id}/share", "/story/{done}/share", 303, 200, 200},
	{"GET /story/{id}/share", "/story/{failed}/share", 303, 200, 404},
	{"POST /story/{id}/share", "/story/{done}/share", 303, 409, 409}, // the video has no file
	{"POST /story/{id}/share", "/story/{failed}/share", 303, 409, 404},
	{"POST /shares/{id}", "/shares/99999", 303, 404, 404},
	{"POST /collections/{id}/share", "/collections/{collection}/share", 303, 409, 409},
	{"POST /collections/{id}/share", "/collections/99999/share", 303, 404, 404},
	{"POST /tasks/{id}/share", "/tasks/{done}/share", 303, 409, 409},
	{"POST /tasks/{id}/share", "/tasks/{failed}/share", 303, 409, 404},
	{"POST /shares/{id}/takes", "/shares/99999/takes", 303, 404, 404},
	{"POST /shares/{id}/revoke", "/shares/99999/revoke", 303, 404, 404},
	{"POST /shares/{id}/back", "/shares/99999/back", 303, 404, 404},
	{"POST /shares/{id}/guests/{guest}/remove", "/shares/99999/guests/1/remove", 303, 404, 404},
	{"GET /share/{token}", "/share/nothing", 404, 404, 404},
	{"POST /share/{token}/enter", "/share/nothing/enter", 404, 404, 404},
	{"GET /share/{token}/brand.css", "/share/nothing/brand.css", 404, 404, 404},
	{"GET /share/{token}/logo", "/share/nothing/logo", 404, 404, 404},
	{"GET /share/{token}/state", "/share/nothing/state", 404, 404, 404},
	{"GET /share/{token}/compare", "/share/nothing/compare", 404, 404, 404},
	{"GET /share/{token}/media/{id}", "/share/nothing/media/1", 404, 404, 404},
	{"POST /share/{token}/name", "/share/nothing/name", 404, 404, 404},
	{"GET /share/{token}/notes", "/share/nothing/notes", 404, 404, 404},
	{"POST /share/{token}/notes", "/share/nothing/notes", 404, 404, 404},
	{"POST /share/{token}/notes/{id}", "/share/nothing/notes/1", 404, 404, 404},
	{"POST /share/{token}/notes/{id}/delete", "/share/nothing/notes/1/delete", 404, 404, 404},
	{"POST /share/{token}/verdict", "/share/nothing/verdict", 404, 404, 404},
	{"POST /share/{token}/name", "{link}/name", 403, 403, 403}, // guests of this link may only watch
	{"GET /share/{token}/notes", "{link}/notes", 403, 403, 403},
	{"POST /share/{token}/notes", "{link}/notes", 403, 403, 403},
	{"POST /share/{token}/notes/{id}", "{link}/notes/1", 403, 403, 403},
	{"POST /share/{token}/notes/{id}/delete", "{link}/notes/1/delete", 403, 403, 403},
	{"POST /share/{token}/verdict", "{link}/verdict", 403, 403, 403},
	{"POST /share/{token}/notes", "{locked}/notes", 403, 403, 403},
	{"GET /share/{token}/mail", "/share/nothing/mail", 404, 404, 404},
	{"POST /share/{token}/mail", "/share/nothing/mail", 404, 404, 404},
	{"GET /share/{token}/mail", "{link}/mail", 200, 200, 200},
	{"POST /share/{token}/mail", "{link}/mail", 404, 404, 404}, // nobody has given an address
	{"GET /share/{token}/mail", "{locked}/mail", 200, 200, 200},
	{"GET /share/{token}/mail", "{locked}/mail?to=1.x", 404, 404, 404},
	{"GET /share/{token}", "{link}", 200, 200, 200},
	{"POST /share/{token}/enter", "{link}/enter", 303, 303, 303},
	{"GET /share/{token}/brand.css", "{link}/brand.css", 200, 200, 200},
	{"GET /share/{token}/logo", "{link}/logo", 404, 404, 404}, // the team has none
	{"GET /share/{token}/state", "{link}/state", 204, 204, 204},
	{"GET /share/{token}/media/{id}", "{link}/media/99999", 404, 404, 404},
	{"GET /share/{token}", "{locked}", 200, 200, 200},
	{"POST /share/{token}/enter", "{locked}/enter", 422, 422, 422},
	{"GET /share/{token}/brand.css", "{locked}/brand.css", 200, 200, 200},
	{"GET /share/{token}/logo", "{locked}/logo", 404, 404, 404},
	{"GET /share/{token}/state", "{locked}/state", 403, 403, 403},
	{"GET /share/{token}/compare", "{locked}/compare", 403, 403, 403},
	{"GET /share/{token}/compare", "{link}/compare", 404, 404, 404}, // there is one take
	{"GET /share/{token}/media/{id}", "{locked}/media/1", 403, 403, 403},
	{"POST /drafts/discard", "/drafts/discard", 303, 303, 303},
	{"GET /usage", "/usage", 303, 200, 200},
	{"GET /usage", "/usage?per=month&by=key&who=2&key=x&outcome=junk&model=veo3&month=soon", 303, 200, 200},
	{"GET /usage.csv", "/usage.csv?month=2026-11&who=1", 303, 200, 200},
	{"GET /limit", "/limit", 303, 200, 200},
	{"POST /limit", "/limit", 303, 303, 303},
	{"POST /limit/ask", "/limit/ask", 303, 422, 422},
	{"POST /limit/seen", "/limit/seen", 303, 303, 303},
	{"GET /keys", "/keys", 303, 200, 200},
	{"POST /announcement/close", "/announcement/close", 303, 303, 303},
	{"GET /cast", "/cast?q=an&kind=person&page=2", 303, 200, 200},
	{"GET /notes/people", "/notes/people?q=", 303, 200, 200},
	{"GET /cast/find", "/cast/find?q=an", 303, 200, 200},
	{"GET /cast/new", "/cast/new", 303, 200, 200},
	{"POST /cast/new", "/cast/new", 303, 422, 422},
	{"GET /cast/{id}", "/cast/{member}", 303, 200, 200},
	{"GET /cast/{id}", "/cast/99999", 303, 404, 404},
	{"GET /cast/{id}", "/cast/x", 303, 404, 404},
	{"POST /cast/{id}", "/cast/{member}", 303, 409, 409}, // no version
	{"POST /cast/{id}", "/cast/99999", 303, 404, 404},
	{"GET /cast/{id}/edit", "/cast/{member}/edit", 303, 200, 200},
	{"GET /cast/{id}/edit", "/cast/99999/edit", 303, 404, 404},
	{"POST /cast/{id}/delete", "/cast/99999/delete", 303, 404, 404},
	{"POST /cast/{id}/restore", "/cast/{member}/restore", 303, 303, 303},
	{"GET /recipes", "/recipes?deleted=7", 303, 200, 200},
	{"POST /recipes", "/recipes", 303, 422, 422},
	{"GET /recipes/new", "/recipes/new?scene=frames-to-video", 303, 200, 200},
	{"GET /recipes/new", "/recipes/new?from={failed}", 303, 200, 404},
	{"GET /recipes/options", "/recipes/options?scene=image-to-video&model=veo3", 303, 200, 200},
	{"GET /recipes/{id}", "/recipes/{recipe}", 303, 200, 200},
	{"GET /recipes/{id}", "/recipes/99999", 303, 404, 404},
	{"GET /recipes/{id}", "/recipes/x", 303, 404, 404},
	{"POST /recipes/{id}", "/recipes/{recipe}", 303, 422, 422},
	{"POST /recipes/{id}/cast", "/recipes/{recipe}/cast", 303, 200, 200},
	{"POST /recipes/{id}/cast", "/recipes/99999/cast", 303, 404, 404},
	{"GET /recipes/{id}/edit", "/recipes/{recipe}/edit", 303, 200, 404},
	{"POST /recipes/{id}/edit", "/recipes/{recipe}/edit", 303, 422, 404},
	{"POST /recipes/{id}/delete", "/recipes/99999/delete", 303, 404, 404},
	{"POST /recipes/{id}/restore", "/recipes/{recipe}/restore", 303, 409, 404},
	{"GET /recipes/{id}/batch", "/recipes/{recipe}/batch", 303, 200, 200},
	{"POST /recipes/{id}/batch", "/recipes/{recipe}/batch", 303, 422, 422},
	{"GET /batches", "/batches", 303, 200, 200},
	{"GET /batches/{batch}", "/batches/nothing", 303, 404, 404},
	{"GET /settings", "/settings", 303, 200, 200},
	{"POST /settings", "/settings", 303, 422, 422},
	{"POST /settings/password", "/settings/password", 303, 422, 422},
	{"POST /settings/mail", "/settings/mail", 303, 303, 303},
	{"POST /settings/mail/ready", "/settings/mail/ready", 303, 404, 404}, // no mail server
	{"POST /settings/playing", "/settings/playing", 303, 303, 303},
	{"POST /settings/theme", "/settings/theme", 303, 303, 303},
	{"POST /settings/key", "/settings/key", 303, 422, 422},
	{"POST /settings/key/test", "/settings/key/test", 303, 303, 303},
	{"POST /settings/webhook", "/settings/webhook", 303, 404, 404},
	{"POST /settings/webhook/secret", "/settings/webhook/secret", 303, 404, 404},
	{"POST /settings/webhook/test", "/settings/webhook/test", 303, 404, 404},
	{"POST /settings/webhook/delete", "/settings/webhook/delete", 303, 404, 404},
	{"POST /settings/webhook/standard", "/settings/webhook/standard", 303, 303, 303},
	{"GET /settings/webhooks", "/settings/webhooks", 303, 303, 303},
	{"POST /settings/webhooks", "/settings/webhooks", 303, 422, 422},
	{"GET /settings/webhooks/new", "/settings/webhooks/new", 303, 200, 200},
	{"GET /settings/webhooks/{id}", "/settings/webhooks/99999", 303, 404, 404},
	{"GET /settings/webhooks/{id}", "/settings/webhooks/{hook}", 303, 200, 404},
	{"POST /settings/webhooks/{id}", "/settings/webhooks/{hook}", 303, 422, 404},
	{"POST /settings/webhooks/{id}/secret", "/settings/webhooks/{hook}/secret", 303, 303, 404},
	{"POST /settings/webhooks/{id}/test", "/settings/webhooks/99999/test", 303, 404, 404},
	{"POST /settings/webhooks/{id}/on", "/settings/webhooks/{hook}/on", 303, 303, 404},
	{"POST /settings/webhooks/{id}/delete", "/settings/webhooks/99999/delete", 303, 404, 404},
	{"POST /settings/webhooks/{id}/deliveries/{delivery}/again", "/settings/webhooks/{hook}/deliveries/99999/again", 303, 404, 404},
	{"GET /team/webhooks", "/team/webhooks", 303, 200, 404},
	{"GET /settings/programs", "/settings/programs", 303, 200, 200},
	{"POST /settings/programs", "/settings/programs", 303, 422, 422},
	{"POST /settings/programs/{id}/end", "/settings/programs/99999/end", 303, 404, 404},
	{"POST /settings/programs/{id}/continue", "/settings/programs/99999/continue", 303, 404, 404},
	{"GET /team/programs", "/team/programs", 303, 200, 404},
	// No session opens the API. What tokens open is tested in package api.
	{"GET /api", "/api", 303, 200, 200},
	{"GET /api/v1/openapi.json", "/api/v1/openapi.json", 200, 200, 200},
	{"GET /api/v1/me", "/api/v1/me", 401, 401, 401},
	{"GET /api/v1/limits", "/api/v1/limits", 401, 401, 401},
	{"GET /api/v1/usage", "/api/v1/usage", 401, 401, 401},
	{"GET /api/v1/models", "/api/v1/models", 401, 401, 401},
	{"GET /api/v1/recipes", "/api/v1/recipes", 401, 401, 401},
	{"GET /api/v1/cast", "/api/v1/cast", 401, 401, 401},
	{"GET /api/v1/collections", "/api/v1/collections", 401, 401, 401},
	{"POST /api/v1/quotes", "/api/v1/quotes", 401, 401, 401},
	{"GET /api/v1/videos", "/api/v1/videos", 401, 401, 401},
	{"POST /api/v1/videos", "/api/v1/videos", 401, 401, 401},
	{"GET /api/v1/videos/{id}", "/api/v1/videos/{done}", 401, 401, 401},
	{"PATCH /api/v1/videos/{id}", "/api/v1/videos/{done}", 401, 401, 401},
	{"DELETE /api/v1/videos/{id}", "/api/v1/videos/{done}", 401, 401, 401},
	{"GET /api/v1/videos/{id}/file", "/api/v1/videos/{done}/file", 401, 401, 401},
	{"GET /api/v1/videos/{id}/notes", "/api/v1/videos/{done}/notes", 401, 401, 401},
	{"POST /api/v1/pictures", "/api/v1/pictures", 401, 401, 401},
	{"POST /api/v1/recipes/{id}/videos", "/api/v1/recipes/1/videos", 401, 401, 401},
	{"GET /api/v1/webhooks", "/api/v1/webhooks", 401, 401, 401},
	{"POST /api/v1/webhooks", "/api/v1/webhooks", 401, 401, 401},
	{"DELETE /api/v1/webhooks/{id}", "/api/v1/webhooks/1", 401, 401, 401},
	{"POST /api/v1/webhooks/{id}/secret", "/api/v1/webhooks/1/secret", 401, 401, 401},
	{"POST /api/v1/webhooks/{id}/test", "/api/v1/webhooks/1/test", 401, 401, 401},
	{"GET /api/v1/webhooks/{id}/deliveries", "/api/v1/webhooks/1/deliveries", 401, 401, 401},
	{"POST /api/v1/webhooks/{id}/deliveries/{delivery}/again", "/api/v1/webhooks/1/deliveries/1/again", 401, 401, 401},
	{"/api/v1/", "/api/v1/nothing", 401, 401, 401},
	// The dialect of the service says that in its envelope.
	{"POST /api/ai/generate", "/api/ai/generate", 200, 200, 200},
	{"POST /api/ai/query", "/api/ai/query", 200, 200, 200},
	{"GET /api/ai/files/{file}", "/api/ai/files/1.1.1.1.x.mp4", 404, 404, 404},
	{"/api/ai/", "/api/ai/nothing", 404, 404, 404},
	{"POST /settings/sandbox/key", "/settings/sandbox/key", 303, 303, 303},
	{"POST /settings/sandbox/credits", "/settings/sandbox/credits", 303, 303, 303},
	{"POST /settings/key/delete", "/settings/key/delete", 303, 303, 303},
	{"GET /settings/second", "/settings/second", 303, 303, 303}, // no second step is required
	{"GET /settings/codes", "/settings/codes", 303, 200, 200},
	{"POST /settings/codes", "/settings/codes", 303, 422, 422},
	{"POST /settings/codes/renew", "/settings/codes/renew", 303, 422, 422},
	{"POST /settings/codes/off", "/settings/codes/off", 303, 422, 422},
	{"GET /settings/passkeys", "/settings/passkeys", 303, 200, 200},
	{"POST /settings/passkeys", "/settings/passkeys", 303, 422, 422},
	{"POST /settings/passkeys/options", "/settings/passkeys/options", 303, 404, 404},
	{"POST /settings/passkeys/{id}", "/settings/passkeys/99999", 303, 404, 404},
	{"POST /settings/passkeys/{id}/delete", "/settings/passkeys/99999/delete", 303, 404, 404},
	{"POST /settings/identities", "/settings/identities", 303, 404, 404},
	{"POST /settings/identities/{id}/remove", "/settings/identities/99999/remove", 303, 404, 404},
	{"POST /settings/sessions/{id}/end", "/settings/sessions/99999/end", 303, 404, 404},
	{"POST /settings/sessions/end-others", "/settings/sessions/end-others", 303, 303, 303},
	{"GET /team/mail", "/team/mail", 303, 303, 404},
	{"POST /team/mail/test", "/team/mail/test", 303, 404, 404}, // without -smtp
	{"GET /audit", "/audit?person=1&noun=session&from=2026-01-01&until=2026-12-31&before=9", 303, 200, 404},
	{"GET /audit", "/audit?person=x&noun=x&from=x&until=x&before=-1", 303, 200, 404},
	{"GET /audit.csv", "/audit.csv", 303, 200, 404},
	{"POST /audit/keep", "/audit/keep", 303, 422, 404},
	{"GET /team/announcement", "/team/announcement", 303, 303, 404},
	{"POST /team/announcement", "/team/announcement", 303, 422, 404},
	{"POST /team/announcement/remove", "/team/announcement/remove", 303, 303, 404},
	{"GET /members", "/members", 303, 200, 404},
	{"GET /team", "/team", 303, 200, 404},
	{"GET /team/spending", "/team/spending", 303, 200, 404},
	{"GET /team/security", "/team/security", 303, 200, 404},
	{"GET /team/brand", "/team/brand", 303, 200, 404},
	{"POST /team/brand", "/team/brand", 303, 303, 404},
	{"POST /team/consent", "/team/consent", 303, 303, 404},
	{"POST /team/labels", "/team/labels", 303, 303, 404},
	{"GET /team/logo", "/team/logo", 303, 404, 404}, // the team has none
	{"GET /team/sign-on", "/team/sign-on", 303, 303, 404},
	{"POST /team/sign-on", "/team/sign-on?admit=x", 303, 422, 404},
	{"POST /members/invites", "/members/invites", 303, 303, 404},
	{"POST /team/provider", "/team/provider", 303, 303, 404},
	{"POST /members/zone", "/members/zone", 303, 422, 404},
	{"GET /members/invite", "/members/invite", 303, 200, 404},
	{"GET /members/{id}", "/members/2", 303, 200, 404},
	{"GET /members/{id}", "/members/4", 303, 200, 404},
	{"GET /members/{id}", "/members/99999", 303, 404, 404},
	{"GET /members/{id}", "/members/x", 303, 404, 404},
	{"POST /members/{id}/role", "/members/2/role", 303, 422, 404},
	{"POST /members/{id}/role", "/members/1/role?role=member", 303, 422, 404}, // the role in the URL is ignored
	{"POST /members/{id}/role", "/members/99999/role", 303, 404, 404},
	{"POST /members/{id}/second/remove", "/members/99999/second/remove", 303, 404, 404},
	{"POST /members/{id}/reset", "/members/99999/reset", 303, 404, 404},
	{"POST /members/{id}/reset", "/members/4/reset", 303, 303, 404},
	{"POST /members/{id}/sessions/end", "/members/99999/sessions/end", 303, 404, 404},
	{"GET /members/{id}/leave", "/members/2/leave", 303, 200, 404},
	{"GET /members/{id}/leave", "/members/99999/leave", 303, 404, 404},
	{"POST /members/{id}/deactivate", "/members/1/deactivate", 303, 409, 404},
	{"POST /members/{id}/deactivate", "/members/99999/deactivate", 303, 404, 404},
	{"POST /members/{id}/activate", "/members/2/activate", 303, 303, 404},
	{"POST /members/{id}/activate", "/members/99999/activate", 303, 404, 404},
	{"POST /members/invites/{id}/renew", "/members/invites/99999/renew", 303, 303, 404},
	{"POST /members/invites/{id}/revoke", "/members/invites/99999/revoke", 303, 303, 404},
	{"GET /team/limits", "/team/limits", 303, 303, 404},
	{"POST /team/limits", "/team/limits", 303, 303, 404},
	{"POST /members/{id}/limit", "/members/1/limit", 303, 422, 404},
	{"POST /members/{id}/limit", "/members/99999/limit", 303, 404, 404},
	{"POST /asks/{id}/answer", "/asks/99999/answer", 303, 422, 404},
	{"GET /team/service", "/team/service", 303, 200, 403},
	{"POST /team/service", "/team/service", 303, 422, 403},
	{"GET /team/keys", "/team/keys?q=a", 303, 200, 404},
	{"POST /team/keys", "/team/keys", 303, 422, 404},
	{"POST /team/keys/standard", "/team/keys/standard", 303, 404, 404},
	{"POST /team/keys/assign", "/team/keys/assign", 303, 404, 404},
	{"POST /team/keys/free", "/team/keys/free", 303, 404, 404},
	{"POST /team/keys/rule", "/team/keys/rule", 303, 422, 404},
	{"GET /team/keys/{id}", "/team/keys/{key}", 303, 200, 404},
	{"GET /team/keys/{id}", "/team/keys/x", 303, 404, 404},
	{"GET /team/keys/{id}", "/team/keys/99999", 303, 404, 404},
	{"POST /team/keys/{id}/name", "/team/keys/{key}/name", 303, 422, 404},
	{"POST /team/keys/{id}/key", "/team/keys/99999/key", 303, 404, 404},
	{"POST /team/keys/{id}/test", "/team/keys/{key}/test", 303, 303, 404},
	{"POST /team/keys/{id}/delete", "/team/keys/99999/delete", 303, 404, 404},
	{"GET /dev/storybook", "/dev/storybook", 404, 404, 404}, // without -dev
	{"POST /logout", "/logout", 303, 303, 303},
}

// forMakers lists the routes that viewers are refused. On all other routes they get
// the same status as another member.
var forMakers = []string{
	"GET /batches/{batch}",
	"GET /batches",
	"GET /cast/new",
	"POST /cast/new",
	"POST /cast/{id}",
	"GET /cast/{id}/edit",
	"POST /cast/{id}/delete",
	"POST /cast/{id}/restore",
	"GET /recipes",
	"GET /bin",
	"GET /create/{scene}",
	"POST /create/{scene}",
	"GET /create/{scene}/options",
	"GET /create/picture",
	"POST /create/{scene}/cast",
	"POST /create/{scene}/list",
	"POST /pictures",
	"GET /pictures",
	"POST /pictures/{id}/delete",
	"POST /tasks/{id}/again",
	"POST /tasks/{id}/hide",
	"POST /tasks/{id}/resend",
	"POST /tasks/{id}/title",
	"POST /tasks/{id}/drop",
	"POST /tasks/{id}/leave",
	"POST /tasks/{id}/follow",
	"POST /tasks/{id}/keep",
	"POST /tasks/tag",
	"POST /tasks/private",
	"POST /tasks/delete",
	"POST /tasks/restore",
	"POST /tasks/{id}/poster",
	"POST /tasks/{id}/poster/remove",
	"POST /tasks/{id}/stack",
	"GET /tasks/{id}/next-take",
	"POST /tasks/{id}/next-take",
	"POST /tasks/{id}/next",
	"POST /notes/{id}/done",
	"POST /story/{id}",
	"POST /bin/empty",
	"POST /collections",
	"POST /collections/add",
	"POST /collections/{id}",
	"POST /collections/{id}/remove",
	"POST /collections/{id}/move",
	"POST /collections/{id}/delete",
	"POST /collections/{id}/restore",
	"POST /collections/{id}/share",
	"POST /tasks/{id}/share",
	"POST /story/{id}/share",
	"POST /shares/{id}",
	"POST /shares/{id}/takes",
	"POST /shares/{id}/revoke",
	"POST /shares/{id}/back",
	"POST /shares/{id}/guests/{guest}/remove",
	"POST /drafts/discard",
	"POST /recipes",
	"GET /recipes/new",
	"GET /recipes/options",
	"GET /recipes/{id}",
	"POST /recipes/{id}",
	"POST /recipes/{id}/cast",
	"GET /recipes/{id}/edit",
	"POST /recipes/{id}/edit",
	"POST /recipes/{id}/delete",
	"POST /recipes/{id}/restore",
	"GET /recipes/{id}/batch",
	"POST /recipes/{id}/batch",
	"POST /settings/key",
	"POST /settings/key/test",
	"POST /settings/key/delete",
	"POST /settings/webhook",
	"POST /settings/webhook/secret",
	"POST /settings/webhook/test",
	"POST /settings/webhook/standard",
	"POST /settings/webhooks",
	"GET /settings/webhooks/new",
	"POST /settings/webhooks/{id}",
	"POST /settings/webhooks/{id}/secret",
	"POST /settings/webhooks/{id}/test",
	"POST /settings/webhooks/{id}/on",
	"POST /settings/webhooks/{id}/deliveries/{delivery}/again",
	"POST /settings/programs/{id}/continue",
	"POST /settings/sandbox/key",
	"POST /settings/sandbox/credits",
	"POST /limit",
	"POST /limit/ask",
}

// answeredInPart lists the routes that lead elsewhere, but answer scripts with a fragment.
var answeredInPart = []string{"POST /create/{scene}/cast"}

func TestEveryRouteHasItsGuard(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) { walkRoutes(t, handlerstest.New(t)) })
	t.Run("Postgres", func(t *testing.T) {
		scopetest.Whole(t)
		address, err := postgrestest.Need(t).Database(t.Context())
		must(t, err)
		walkRoutes(t, handlerstest.NewOn(t, address))
	})
}

func walkRoutes(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	owner := h.Founder(t)
	other, viewer, gone := h.Joiner(t, owner, "ada"), h.Joiner(t, owner, "vi"), h.Joiner(t, owner, "gone")
	must(t, h.Store.Members.SetRole(t.Context(), 3, db.Viewer, db.Now()))
	_, err := h.Store.Leave(t.Context(), team.Leaving{UserID: 4, At: db.Now()})
	must(t, err)
	film := h.KeptFilm(t, 1, "a boat that guests see")
	ids := strings.NewReplacer(
		"{link}", owner.Share(fmt.Sprintf("/tasks/%d", film.ID), ""),
		"{locked}", owner.Share(fmt.Sprintf("/tasks/%d", film.ID), "", "password", "harbour-47"),
		"{done}", fmt.Sprint(h.AddTask(t, 1, db.Success).ID),
		"{failed}", fmt.Sprint(h.AddTask(t, 1, db.Failed).ID),
		"{picture}", h.AddPicture(t, 1).Token,
		"{recipe}", fmt.Sprint(h.AddRecipe(t, 1).ID),
		"{key}", fmt.Sprint(h.AddTeamKey(t, "Marketing").TeamKeyID),
		"{hook}", strings.TrimPrefix(owner.Post("/settings/webhooks", url.Values{"webhook": {"https://example.com/"}, "types": {"note.created"}, "team": {"1"}}).Is(303).Header.Get("Location"), "/settings/webhooks/"),
		"{collection}", fmt.Sprint(h.AddCollection(t, 1).ID), "{member}", fmt.Sprint(handlerstest.AddMember(t, h, 1, "anna").ID),
	)
	walked := map[string]bool{}
	for _, row := range everyRoute {
		walked[row.pattern] = true
		method, _, some := strings.Cut(row.pattern, " ")
		if !some {
			method = "GET" // for which it stands as well
		}
		path := ids.Replace(row.path)
		refused := row.other
		if slices.Contains(forMakers, row.pattern) {
			refused = 403
		}
		for who, tt := range map[string]struct {
			p    *handlerstest.Browser
			want int
		}{
			"a stranger": {h.Stranger(t), row.stranger}, "the owner": {owner, row.owner}, "another": {other, row.other},
			"a viewer": {viewer, refused}, "somebody deactivated": {gone, row.stranger},
		} {
			var form url.Values
			if method == "POST" {
				form = url.Values{}
			}
			for _, part := range []string{"full", "partial"} {
				want := tt.want
				got := tt.p.Send(method, path, form, "HX-Request-Type", part)
				if part == "partial" && got.StatusCode == 401 && want == 303 {
					continue // for a fragment, the whole page is redirected to the sign-in page
				}
				if part == "partial" && want == 303 && slices.Contains(answeredInPart, row.pattern) {
					want = 200
				}
				if got.StatusCode != want {
					t.Errorf("%s %s, %s, %s: got %d, want %d", who, row.pattern, path, part, got.StatusCode, want)
				}
				if want == 200 && !strings.HasPrefix(path, "/static/") && got.Text == "" {
					t.Errorf("%s %s: empty %s answer", who, path, part)
				}
			}
		}
	}
	for _, p := range h.App.Routes().Patterns() {
		if !walked[p] {
			t.Errorf("%s is not walked", p)
		}
	}
	for _, p := range forMakers {
		if !walked[p] {
			t.Errorf("%s, for makers, is no route", p)
		}
	}
	for p := range walked {
		if !slices.Contains(h.App.Routes().Patterns(), p) {
			t.Errorf("%s is no route", p)
		}
	}
}

func TestEveryPageLeadsToSetupWhileNobodyIsThere(t *testing.T) {
	h := handlerstest.New(t)
	for _, path := range []string{"/", "/login", "/gallery", "/create/text-to-video", "/settings", "/join/x"} {
		h.Stranger(t).Get(path).Is(303).LeadsTo("/setup")
	}
	h.Stranger(t).Get("/setup").Is(200).Lacks("[name=password]")
	h.Stranger(t).Get("/setup?token=wrong").Is(200).Lacks("[name=password]")
	h.Stranger(t).Post("/setup?token=wrong", url.Values{"name": {"Eve"}, "email": {"eve@example.com"}, "password": {handlerstest.Password}}).Is(403)
	h.Stranger(t).Get("/setup?token=" + handlerstest.SetupToken).Is(200).Has("[name=password]")
}

func TestAnswersAreHardened(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for _, path := range []string{"/create/text-to-video", "/no-such-page", "/static/app.css"} {
		a := p.Get(path)
		for name, want := range map[string]string{
			"Content-Security-Policy": "frame-ancestors 'none'", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
		} {
			if !strings.Contains(a.Header.Get(name), want) {
				t.Errorf("%s: %s is %q", path, name, a.Header.Get(name))
			}
		}
	}
	p.Get("/no-such-page").Is(404).Shows("We can’t find that page")
	p.Send("DELETE", "/gallery", nil).Is(405)
	p.Post("/settings", url.Values{"name": {"Eve"}}, "Sec-Fetch-Site", "cross-site").Is(403)
	p.Post("/settings", url.Values{"name": {"Eve"}}, "Origin", "https://evil.example.com").Is(403)
}
