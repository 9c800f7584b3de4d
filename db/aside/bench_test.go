package aside_test

import (
	"strings"
	"testing"

	"dailies/db"
	"dailies/db/aside"
)

// BenchmarkIntent stores the intent of a create call, its beginning and its outcome, and
// removes it.
//
//	go test -run ^$ -bench Intent ./db/aside
func BenchmarkIntent(b *testing.B) {
	f, _, err := aside.OpenIntents(b.TempDir())
	check(b, err)
	reply := note(1, "{}").Reply
	n := int64(0)
	for b.Loop() {
		n++
		in := &aside.Intent{
			Task:   db.Task{ID: n, UserID: 1, FormToken: "x", Request: db.Request{Prompt: strings.Repeat("a boat ", 40)}},
			SentAt: noon,
		}
		check(b, f.Put(in))
		check(b, in.Begin())
		reply.TaskID = n
		check(b, in.Answer(reply))
		check(b, f.Drop(in))
	}
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}
