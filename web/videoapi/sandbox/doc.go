// Package sandbox implements the whole video service of API.md: creating and
// querying tasks, keys, credits, states, result files. It uses no model; package
// film draws real videos from the request. A Sandbox is an http.Handler for
// clients on the network, and an http.RoundTripper for a client in the same
// program, so that a demo, the tests and production run the same code. It stores
// everything in its own SQLite file and loses nothing in a restart.
//
// # Steering
//
// Words in a prompt make a task fail or wait. They stand alone, in any case, and
// are not drawn.
//
//	#fail    the task fails after a moment, and the credits come back
//	#face    the task fails if it has a picture, because that may show a real person
//	#cancel  the task ends canceled after a moment, and they do not come back
//	#slow    the task stays in processing for about 90 seconds first
//	#refuse  the create call is answered with code -1 and costs nothing
//
// #slow can be combined with #fail or #cancel.
//
// Config.Faults makes calls go wrong: errors, resets, stalls, answers that are
// cut short or lost, see Fault. Config.Results changes the content of taskInfo
// and taskResult, see Shape. Config.Expire makes links to results expire.
//
// # The console
//
// Config.Console makes "/" a small site with a password: API keys, balance and
// ledger, and the tasks, each with its raw record and the state of its job. The
// two endpoints accept its session in place of a key.
//
// # Where API.md says "not shown"
//
// The sandbox does exactly what API.md shows. The rest follows what services of
// this family were seen to do, or is chosen so that integrators notice mistakes
// early.
//
//	HTTP status of answers       200 with the envelope, errors too; 405 for another method than
//	                             POST, 404 for another path, 500 when the sandbox itself is broken
//	error codes                  -1 only
//	key missing or wrong         "no auth, please sign in"
//	unknown task id              "task not found", also for a taskId of the upstream provider
//	somebody else's task id      "no permission"; all keys of one account see its tasks
//	too few credits              "Insufficient credits, 2 < 6"
//	any other bad request        "invalid scene" or "invalid params: " and what is wrong
//	order of checks              key, body, fields, options, #refuse, credits
//	form of keys                 "sk-" and 32 letters and digits; they are valid until revoked
//	session calls                the console's cookie, if there is no Authorization header and the
//	                             request does not come from another site
//	provider                     optional, any text; it comes back in the record
//	mediaType, scene, model      required
//	options.mode                 optional; must equal scene
//	an option's value            is checked if the model takes it, see the catalogue; options that
//	                             the model does not take, and unknown fields, are ignored
//	null                         as if the field were missing
//	names of fields              in upper or lower case
//	numbers as strings           are refused: "must be a number"
//	duration                     a whole number from 1 to 30 that the model offers; default: the
//	                             model's (Veo: 8)
//	resolution                   one that the model offers; default: the model's
//	aspect_ratio                 one that the model offers; default: the model's. Veo: if left
//	                             out, "" or "Auto", the picture's ratio, or 16:9 without a picture.
//	                             Models that take no ratio: the picture's
//	seed                         -1 means any seed, with every model; otherwise within the model's
//	                             range
//	prompt                       may be empty if there are pictures
//	sizes                        at most 100,000 bytes each of prompt and options, 100 of provider
//	image_url, end_image_url     are the first and second picture, with every model; if image_input
//	                             is sent too, they must agree
//	picture addresses            http or https, at most 8192 bytes
//	camera_fixed, fixed_lens     accepted; must not differ; no effect, as drawn videos have no camera
//	enable_safety_checker        accepted; no effect
//	generate_audio               accepted; the videos are silent, because Go has no proven encoder,
//	                             and taskInfo.audio says so if sound was requested
//	has_audio                    decides the price if sound costs more; default: generate_audio, or
//	                             else the model's default
//	price                        stated by the catalogue, else seconds x rate of the model, half
//	                             for 480p, twice for 1080p, rounded up; see order.go
//	other record fields          userId, provider, prompt, options (JSON text), creditId, progress
//	                             (0 to 1), createdAt, updatedAt (ISO 8601, UTC)
//	taskInfo, taskResult         missing until the task has ended
//	taskInfo, inside             {"videos":[{"id","createTime","videoUrl","coverUrl"}],"status",
//	                             "errorCode","errorMessage","createTime"}, unless another Shape is
//	                             configured
//	taskResult, inside           {"taskId","state","resultJson","failCode","failMsg"}, resultJson
//	                             being JSON text again: {"resultUrls":[…]}; unless another Shape is
//	                             configured
//	transitions                  pending -> processing -> success, failed or canceled. Only a query
//	                             moves a task, and may find that it has skipped processing
//	refund                       when the query moves the task to failed, once
//	canceled                     is not refunded; only #cancel leads to it
//	results                      video/webm and image/jpeg under /files/, with Range; the address
//	                             cannot be guessed, needs no key and does not expire, unless
//	                             Config.Expire is set: then HTTP 403; no CORS headers
//	pictures of a task           fetched when it is processed: 20 seconds, 20 MB, 50 megapixels;
//	                             one that cannot be fetched or decoded fails the task with that reason
//	request body                 JSON in UTF-8, at most 1 MiB; Content-Type must be application/json
//	                             or left out
//	rate limits, events          none, but see Fault429
//	parallel work                one video is rendered at a time, in the order of the calls
package sandbox
