package db_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"dailies/db"
)

func TestKnownCausesAreRecognised(t *testing.T) {
	for message, want := range map[string]db.Cause{
		// Safety filters.
		"The request failed because the input text may contain sensitive information. Request id: 0217": db.Blocked,
		"InputImageSensitiveContentDetected":                                                    db.Blocked,
		"OutputVideoSensitiveContentDetected: the output video may contain sensitive content":   db.Blocked,
		"Your prompt was flagged by Website as violating content policies.":                     db.Blocked,
		"PUBLIC_ERROR_UNSAFE_GENERATION":                                                        db.Blocked,
		"Unsafe image upload":                                                                   db.Blocked,
		"This prompt contains words that violate Vertex AI's usage guidelines.":                 db.Blocked,
		"generate video failed: NSFW content detected":                                          db.Blocked,
		"The content was blocked by the safety system.":                                         db.Blocked,
		"内容包含敏感信息":                                                                              db.Blocked,
		"PUBLIC_ERROR_AUDIO_FILTERED":                                                           db.BlockedSound,
		"OutputAudioSensitiveContentDetected":                                                   db.BlockedSound,
		"We encountered an issue with the audio for your prompt.":                               db.BlockedSound,
		"The generated speech was rejected by the safety filter":                                db.BlockedSound,
		"The music may be protected by copyright":                                               db.BlockedSound,
		"The request failed because the output video may be related to copyright restrictions.": db.Copyright,
		"InputImageSensitiveContentDetected.PrivacyInformation":                                 db.RealPerson,
		"The input image may contain real person.":                                              db.RealPerson,
		"PUBLIC_ERROR_PROMINENT_PEOPLE_FILTER_FAILED":                                           db.RealPerson,
		// Pictures.
		"Failed to fetch the image. Kindly verify any access limits set by you or your service provider.": db.NoPicture,
		"Error while downloading: https://example.com/a.jpg, error: 403 Forbidden":                        db.NoPicture,
		"image_url is not accessible":   db.NoPicture,
		"Timeout while downloading url": db.NoPicture,
		"Invalid image URL":             db.NoPicture,
		"图片下载失败":                        db.NoPicture,
		"Image dimensions are too small. Min dimensions are: 300x300 pixels": db.BadPicture,
		"Image aspect ratio must be between 0.4 and 2.5":                     db.BadPicture,
		"unsupported image format":                                           db.BadPicture,
		"image size exceeds 10MB":                                            db.BadPicture,
		// Requests.
		"invalid params": db.BadRequest,
		"The video service did not take it. It said: invalid params":                        db.BadRequest,
		"the parameter `duration` specified in the request is not valid for model seedance": db.BadRequest,
		"invalid params: enable_safety_checker":                                             db.BadRequest,
		// Credits and keys.
		"Insufficient credits, 2 < 6":                                              db.NoCredits,
		"You exceeded your current quota":                                          db.NoCredits,
		"no auth, please sign in":                                                  db.BadKey,
		"Your current balance isn't enough, please top up":                         db.Unfunded,
		"generate video failed: Your current balance isn't enough, please top up.": db.Unfunded,
		"The account balance is too low":                                           db.Unfunded,
		"账户余额不足，请充值":                                                               db.Unfunded,
		"Incorrect API key provided: sk-****":                                      db.BadKey,
		// Failures of the service or the model.
		"Too Many Requests": db.Busy,
		"The service is currently experiencing high demand. Please try again later.": db.Busy,
		"Rate limit reached (429)":            db.Busy,
		"The model is overloaded":             db.Overloaded,
		"generate video failed: fetch failed": db.Overloaded,
		"Internal Error, Please try again.":   db.Overloaded,
		"task timed out after 600 s":          db.Overloaded,
		"DEADLINE_EXCEEDED":                   db.Overloaded,
		"upstream returned 502":               db.Overloaded,
		// Unknown messages.
		"":                              db.NoCause,
		"too dark":                      db.NoCause,
		"recordInfo is null":            db.NoCause,
		"it said so":                    db.NoCause,
		"The surface of the film broke": db.NoCause,
		"null":                          db.NoCause,
	} {
		if got := db.CauseOf(message); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

func TestTheCauseFollowsTheState(t *testing.T) {
	for _, tt := range []struct {
		task db.Task
		want db.Cause
	}{
		{db.Task{State: db.Rejected, ErrorKind: db.KeyError, Message: "whatever"}, db.BadKey},
		{db.Task{State: db.Rejected, ErrorKind: db.CreditsError}, db.NoCredits},
		{db.Task{State: db.Rejected, ErrorKind: db.ServiceError}, db.Busy},
		{db.Task{State: db.Rejected, ErrorKind: db.RequestError, Message: "nsfw"}, db.Blocked},
		{db.Task{State: db.Failed, ErrorKind: db.RequestError, Message: "nsfw"}, db.Blocked},
		{db.Task{State: db.Failed, Message: "insufficient balance"}, db.Unfunded},
		{db.Task{State: db.Rejected, ErrorKind: db.RequestError, Message: "Your current balance isn't enough, please top up"}, db.Unfunded}, // the service's account, not the person's
		{db.Task{State: db.Rejected, ErrorKind: db.CreditsError, Message: "Insufficient credits, 2 < 6"}, db.NoCredits},
		{db.Task{State: db.Canceled, Message: "no auth"}, db.Overloaded},
		{db.Task{State: db.Processing, ErrorKind: db.KeyError, Message: "nsfw"}, db.NoCause},
		{db.Task{State: db.Success, Message: "nsfw"}, db.NoCause},
		{db.Task{State: db.Unconfirmed, ErrorKind: db.ServiceError, Message: "timeout"}, db.NoCause},
	} {
		if got := tt.task.Cause(); got != tt.want {
			t.Errorf("%s, %q: got %q, want %q", tt.task.State, tt.task.Message, got, tt.want)
		}
	}
}

func FuzzCauseOf(f *testing.F) {
	for _, s := range []string{
		"InputImageSensitiveContentDetected", "图片下载失败", "a\xffB", strings.Repeat("É", 3000), "ǅx", "fail image load",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cause := db.CauseOf(s)
		if !utf8.ValidString(string(cause)) || len(cause) > 20 {
			t.Errorf("%q: %q", s, cause)
		}
		if again := db.CauseOf(s); again != cause {
			t.Errorf("%q: %q, then %q", s, cause, again)
		}
		if len(s) < 1000 && utf8.ValidString(s) {
			if other := db.CauseOf("  " + strings.ReplaceAll(s, "_", "-") + "!"); other != cause {
				t.Errorf("%q: %q, and %q between other signs", s, cause, other)
			}
		}
	})
}
