package handlers_test

import "dailies/db/store/sampletest"

// busyRequests are further requests whose cost is recorded: those that read much, parts of
// pages that htmx asks for, and polls after which nothing has changed. More names in braces
// stand for videos and links that newMeasuring adds.
var busyRequests = []measuredRequest{
	page("GET /gallery", "/gallery?before={middle}"),
	page("GET /gallery", "/gallery?through={hundred}"),
	page("GET /gallery", "/gallery?scene=frames-to-video"),
	page("GET /gallery", "/gallery?model=veo3"),
	page("GET /gallery", "/gallery?model="+sampletest.RareModel),
	page("GET /gallery", "/gallery?ratio=4:3"),
	page("GET /gallery", "/gallery?who=7"),
	page("GET /gallery", "/gallery?who=me"),
	page("GET /gallery", "/gallery?status=all"),
	page("GET /gallery", "/gallery?status=processing"),
	page("GET /gallery", "/gallery?status=failed"),
	page("GET /gallery", "/gallery?starred=1"),
	page("GET /gallery", "/gallery?tag="+sampletest.OftenTag),
	page("GET /gallery", "/gallery?tag="+sampletest.RareTag),
	page("GET /gallery", "/gallery?collection=1"),
	page("GET /gallery", "/gallery?date=week"),
	page("GET /gallery", "/gallery?date=year"),
	page("GET /gallery", "/gallery?q=a"),
	page("GET /gallery", "/gallery?q=mountain+sunset"),
	page("GET /gallery", "/gallery?q="+sampletest.RareWord),
	page("GET /gallery", "/gallery?q=风筝"),
	page("GET /gallery", "/gallery?q=person"),
	page("GET /gallery", "/gallery?who=me&model=veo3&status=all"),
	page("GET /gallery", "/gallery?model=veo3&ratio=4:3"),
	page("GET /gallery", "/gallery?tag="+sampletest.OftenTag+"&who=7"),
	page("GET /gallery", "/gallery?collection=1&model=veo3"),
	page("GET /gallery", "/gallery?q=mountain&starred=1&tag="+sampletest.OftenTag),
	page("GET /gallery", "/gallery?q=a&scene=text-to-video&model=seedance-2.0&ratio=16:9&who=me&status=all&starred=1&date=year"),
	page("GET /gallery/counts", "/gallery/counts?menu=who"),
	page("GET /gallery/counts", "/gallery/counts?menu=tag"),
	page("GET /gallery/counts", "/gallery/counts?menu=model&q=mountain&who=me"),
	page("GET /go", "/go?q=mountain+sunset"),
	page("GET /go", "/go?q=a"),
	page("GET /tasks/{id}", "/tasks/{finished}"),
	page("GET /tasks/{id}", "/tasks/{stacked}"),
	page("GET /gallery/takes", "/gallery/takes?id={stacked}"),
	page("GET /collections/{id}", "/collections/1?page=2"),
	guest("GET /share/{token}", "{shared collection}"),
	guest("GET /share/{token}/state", "{shared collection}/state"),
	guest("GET /share/{token}", "{shared stack}"),
	guest("GET /share/{token}/compare", "{shared stack}/compare"),
	page("GET /api/v1/videos", "/api/v1/videos"),
	page("GET /api/v1/videos", "/api/v1/videos?limit=100"),
	page("GET /api/v1/videos", "/api/v1/videos?q=mountain"),

	part("GET /gallery", "/gallery"),
	part("GET /gallery", "/gallery?q=mountain+sunset"),
	part("GET /gallery", "/gallery?before={middle}"),
	part("GET /go", "/go?q=film"),
	part("GET /tasks/latest", "/tasks/latest"),
	part("GET /tasks/latest", "{poll of the latest}"),
	part("GET /tasks/{id}/status", "/tasks/{finished}/status"),
	part("GET /tasks/{id}/status", "/tasks/{stacked}/status"),
	part("GET /tasks/{id}/status", "/tasks/{running}/status"),
	part("GET /tasks/{id}/status", "{poll of the running}"),
	part("GET /tasks/{id}/notes", "/tasks/{film}/notes"),
	part("GET /notes", "/notes"),
	part("GET /usage", "/usage"),
	part("GET /bin", "/bin"),
	part("GET /cast", "/cast?q=an"),
	part("GET /audit", "/audit"),
}

// page returns the owner's request for a page, or of the owner's program.
func page(pattern, path string) measuredRequest {
	return measuredRequest{exampleRequest{pattern: pattern, path: path}, ""}
}

// guest returns a request of somebody without an account.
func guest(pattern, path string) measuredRequest {
	return measuredRequest{exampleRequest{pattern: pattern, path: path, who: "nobody"}, ""}
}

// part returns the owner's request for a part of a page.
func part(pattern, path string) measuredRequest {
	return measuredRequest{exampleRequest{pattern: pattern, path: path}, "partial"}
}
