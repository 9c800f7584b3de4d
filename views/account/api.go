package account

import "fmt"

// An endpoint is an address of the API, with what it does and which permission it needs.
type endpoint struct{ Path, What, Needs string }

// endpoints lists the API in the order in which a program meets it.
var endpoints = []endpoint{
	{"GET /api/v1/me", "whom the token acts for", "Look"},
	{"GET /api/v1/limits", "what may still be spent this month", "Look"},
	{"GET /api/v1/usage", "what was spent this month", "Look"},
	{"GET /api/v1/models", "models, with the values of their options", "Look"},
	{"GET /api/v1/recipes", "recipes, with their blanks", "Look"},
	{"GET /api/v1/cast", "cast members, with their handles", "Look"},
	{"GET /api/v1/collections", "collections", "Look"},
	{"POST /api/v1/quotes", "what videos would cost", "Look"},
	{"GET /api/v1/videos", "videos, the newest first: the gallery’s filters, limit and cursor", "Look"},
	{"GET /api/v1/videos/{id}", "one video; wait=25 answers when its state changes", "Look"},
	{"GET /api/v1/videos/{id}/file", "its file, or a part of it", "Look"},
	{"POST /api/v1/videos", "make videos", "Make videos"},
	{"POST /api/v1/recipes/{id}/videos", "make videos of a recipe", "Make videos"},
	{"POST /api/v1/pictures", "add a picture: the file, or its address", "Make videos"},
	{"PATCH /api/v1/videos/{id}", "title, star, tags and privacy", "Make videos"},
	{"DELETE /api/v1/videos/{id}", "put it into the bin", "Change things"},
}

// Examples that work as they stand, once TOKEN is set.
func askExample(origin string) string {
	return fmt.Sprintf(`export TOKEN=dly_…
curl -H "Authorization: Bearer $TOKEN" %s/api/v1/me`, origin)
}

func makeExample(origin string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -H "Idempotency-Key: harbour-1" %s/api/v1/videos -d '{
    "scene": "text-to-video", "model": "seedance-2.0",
    "prompt": "A harbour at dawn",
    "options": {"duration": 5, "resolution": "720p"},
    "max_credits": 30
  }'`, origin)
}

func waitExample(origin string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/videos/1?wait=25"
curl -H "Authorization: Bearer $TOKEN" -o harbour.mp4 %s/api/v1/videos/1/file`, origin, origin)
}
