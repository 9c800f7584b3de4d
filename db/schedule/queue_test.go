package schedule_test

import (
	"testing"
	"time"

	"dailies/db/schedule"
)

func TestAQueueSendsInTurns(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	const ann, bo = 1, 2
	queue := schedule.Queue{
		Lines: []schedule.Line{{UserID: ann, Turn: 7, Singles: 3, FirstSingle: 10}, {UserID: bo, Turn: 6, Singles: 1, FirstSingle: 20}},
		Sent:  []schedule.SentTask{{21, at.Add(-time.Second)}, {9, at}},
		Waiting: []schedule.WaitingTask{
			{ID: 10, UserID: ann}, {ID: 11, UserID: ann, Before: 1}, {ID: 12, UserID: ann, Before: 2}, {ID: 20, UserID: bo},
		},
	}
	for id, want := range map[int64]int{21: 0, 9: 1, 20: 2, 10: 3, 11: 4, 12: 5, 99: 0} {
		if tasks := queue.Ahead(id); tasks != want {
			t.Errorf("%d ahead of %d, want %d", tasks, id, want)
		}
	}
	queue = schedule.Queue{
		Lines:   []schedule.Line{{UserID: bo, Rows: 1, FirstRow: 3}, {UserID: ann, Singles: 1, FirstSingle: 2}},
		Waiting: []schedule.WaitingTask{{ID: 3, UserID: bo, IsRow: true}, {ID: 2, UserID: ann}},
	}
	if first, second := queue.Ahead(2), queue.Ahead(3); first != 0 || second != 1 {
		t.Errorf("two people who had no turn yet have the places %d and %d", first, second)
	}
}

func TestSinglesPassThreeAtATime(t *testing.T) {
	line := schedule.Line{UserID: 1, Passed: 2, Singles: 6, Rows: 3, FirstSingle: 100, FirstRow: 1}
	queue := schedule.Queue{Lines: []schedule.Line{line}}
	order := make([]string, 9)
	for i := range 9 {
		task := schedule.WaitingTask{ID: int64(i + 1), UserID: 1, IsRow: i < 3, Before: i}
		name := "row"
		if i >= 3 {
			task.Before, name = i-3, "single"
		}
		queue.Waiting = []schedule.WaitingTask{task}
		order[queue.Ahead(task.ID)] += name
	}
	for i, want := range []string{"single", "row", "single", "single", "single", "row", "single", "single", "row"} {
		if order[i] != want {
			t.Errorf("in place %d is %q, want %q", i, order[i], want)
		}
	}
}

func TestAPaceNeedsTwoThatEnded(t *testing.T) {
	at := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for n, want := range []time.Duration{0, 0, 12 * time.Second, 12 * time.Second} {
		var ended []time.Time
		for i := range n {
			ended = append(ended, at.Add(-time.Duration(i)*12*time.Second))
		}
		pace := schedule.KeyPaceOf(ended)
		if pace.Gap != want || pace.Wait(39) != 40*want {
			t.Errorf("%d that ended make %+v", n, pace)
		}
		if n >= 2 && !pace.Until.Equal(ended[n-1].Add(10*time.Minute)) {
			t.Errorf("%d count until %v", n, pace.Until)
		}
	}
}
