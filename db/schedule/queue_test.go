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
	for id, want := range map[int64][2]int{21: {0, 0}, 9: {1, 1}, 20: {2, 1}, 12: {5, 1}, 99: {0, 0}} {
		if tasks, people := queue.Ahead(id); tasks != want[0] || people != want[1] {
			t.Errorf("%d of %d people ahead of %d, want %v", tasks, people, id, want)
		}
	}
	if tasks, people := (schedule.Queue{{1, ann}, {2, bo}, {3, 7}, {4, bo}, {5, ann}}).Ahead(5); tasks != 4 || people != 2 {
		t.Errorf("%d of %d people ahead of the last", tasks, people)
	}
	if got := schedule.QueueOf([]schedule.QueuedTask{{TaskID: 3, UserID: bo}, {TaskID: 2, UserID: ann}}); !slices.Equal(got, schedule.Queue{{2, ann}, {3, bo}}) {
		t.Errorf("two people who had no turn yet: %v", got)
	}
}
