package sandbox_test

import (
	"net/http"
	"strings"
	"testing"

	"dailies/web/videoapi"
	"dailies/web/videoapi/documenttest"
	"dailies/web/videoapi/sandbox"
)

// TestTheDocument checks every sentence of API.md. These tests check more:
//
//	the envelope, the record     TestCreateAnswersAtOnceWithAPendingRecord, TestAFinishedTaskNamesItsVideoInJSONText
//	requests and options         TestGoodRequestsAreAccepted, TestBadRequestsAreRefusedAndCostNothing
//	pictures and shapes          TestEverySceneMakesAVideo, TestShapesOfVideos, TestAnUnusablePictureFailsTheTask
//	states                       TestASlowTaskIsPendingThenProcessingThenSuccess, TestOnlyAQueryMovesATask
//	credits                      TestPrices, TestCreditsAreDeductedOnceUnderFiftyCreates,
//	                             TestAFailedTaskIsRefundedOnceUnderFiftyQueries
//	keys and sessions            TestEveryCallNeedsAKey, TestSessionCallsComeFromTheServicesOwnSite,
//	                             TestConsoleMakesShowsAndRevokesKeys
//	malformed requests           TestMalformedRequestsGetAClearAnswer
func TestTheDocument(t *testing.T) {
	w := start(t, 1e6)
	documenttest.Run(t, &documenttest.Subject{
		Base: base, Client: &http.Client{Transport: w}, Key: w.key, Model: "tiny", Cost: 6, Wide: wide, Tall: tall, Exact: true,
		Balance: w.balance, Pause: w.pause,
		Poor: func() string {
			key, err := w.NewKey(t.Context(), "poor", 2)
			if err != nil {
				t.Fatal(err)
			}
			return key
		},
		Refunded: func(r videoapi.Record) {
			newest := w.ledger()[0]
			if newest.Kind != sandbox.Refunded || newest.TaskID != r.ID || newest.Credits != r.Cost {
				t.Errorf("the newest line is %+v", newest)
			}
		},
		HasSound: func(r videoapi.Record) bool { return strings.Contains(r.TaskInfo, `"audio":"none: `) },
	})
}

func TestHealthNeedsNoKey(t *testing.T) {
	w := open(t, t.TempDir(), 0, sandbox.Pace{})
	for _, path := range []string{"/healthz", "/readyz"} {
		if a := w.get(t.Context(), http.MethodGet, "http://sandbox"+path, ""); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, a.Status)
		}
	}
}
