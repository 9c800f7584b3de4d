package account

import (
	"fmt"

	"dailies/db/program"
)

// A Section is a part of the API.
type Section struct {
	Name, About string
	Operations  []Operation
}

// An Operation is what one address of the API does.
type Operation struct {
	Address string // the method and the path
	Does    string
	Needs   program.Permission // of the token; empty if it needs none
}

// needs says which permission the operation needs, in the words of the page on which
// tokens are made.
func (o Operation) needs() string {
	switch o.Needs {
	case program.Look:
		return "Look"
	case program.Make:
		return "Make videos"
	case program.Change:
		return "Change things"
	}
	return "No token"
}

// The examples work as they are pasted into a terminal, one after the other, once the token is
// in the first line. They take the video's number from the answer.
func askExample(origin string) string {
	return fmt.Sprintf(`export TOKEN=dly_…
curl -H "Authorization: Bearer $TOKEN" %s/api/v1/me`, origin)
}

func makeExample(origin string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \
  -H "Idempotency-Key: harbour-1" %s/api/v1/videos -o video.json -d '{
    "scene": "text-to-video", "model": "seedance-2.0",
    "prompt": "A harbour at dawn",
    "options": {"duration": 5, "resolution": "720p"},
    "max_credits": 30
  }'
cat video.json
export VIDEO=$(sed 's/^{"id":\([0-9]*\).*/\1/' video.json)`, origin)
}

func dialectExample(origin string) string {
	return fmt.Sprintf(`export BASE_URL=%s API_KEY=$TOKEN
curl -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  $BASE_URL/api/ai/generate -o task.json -d '{
    "mediaType": "video", "scene": "text-to-video", "model": "seedance-2.0",
    "prompt": "A harbour at dawn", "options": {"duration": 5, "resolution": "720p"}
  }'
cat task.json
export TASK=$(sed 's/.*"data":{"id":"\([^"]*\).*/\1/' task.json)
curl -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  $BASE_URL/api/ai/query -d "{\"taskId\": \"$TASK\"}"`, origin)
}

func waitExample(origin string) string {
	return fmt.Sprintf(`curl -H "Authorization: Bearer $TOKEN" "%s/api/v1/videos/$VIDEO?wait=25"
curl -f --retry 60 --retry-delay 2 --retry-all-errors -H "Authorization: Bearer $TOKEN" \
  -o harbour.mp4 %s/api/v1/videos/$VIDEO/file`, origin, origin)
}

func sectionID(i int) string { return fmt.Sprintf("part-%d", i+1) }
