package schedule_test

import (
	"slices"
	"testing"
	"time"

	"dailies/db/schedule"
)

func TestAQueueSendsInTurns(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	const ann, bo = 1, 2
	queue := schedule.QueueOf([]schedule.QueuedTask{
		{TaskID: 12, UserID: ann, Turn: 7},
		{TaskID: 10, UserID: ann, Turn: 7},
		{TaskID: 11, UserID: ann, Turn: 7},
		{TaskID: 20, UserID: bo, Turn: 6},
		{TaskID: 9, UserID: ann, SentAt: at},
		{TaskID: 21, UserID: bo, SentAt: at.Add(-time.Second)},
	})
	if want := (schedule.Queue{{21, bo}, {9, ann}, {20, bo}, {10, ann}, {11, ann}, {12, ann}}); !slices.Equal(queue, want) {
		t.Fatalf("%v, want %v", queue, want)
	}
	for id, want := range map[int64]int{21: 0, 9: 1, 20: 2, 12: 5, 99: 0} {
		if tasks := queue.Ahead(id); tasks != want {
			t.Errorf("%d ahead of %d, want %d", tasks, id, want)
		}
	}
	if got := schedule.QueueOf([]schedule.QueuedTask{{TaskID: 3, UserID: bo}, {TaskID: 2, UserID: ann}}); !slices.Equal(got, schedule.Queue{{2, ann}, {3, bo}}) {
		t.Errorf("two people who had no turn yet: %v", got)
	}
}
