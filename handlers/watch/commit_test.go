package watch_test

import (
	"bytes"
	"net"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/store/postgres/postgrestest"
	"dailies/db/store/sampletest"
)

// A cutter stands in front of a Postgres server. It loses connections after the server
// has carried out a commit, but before its answer arrives.
type cutter struct {
	server string
	after  string       // loses commits after a statement that contains this
	left   atomic.Int64 // how many commits it still loses
}

// before starts the cutter, and returns the address of the database through it.
func (c *cutter) before(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	must(t, err)
	const socket = ".s.PGSQL.5432"
	query := u.Query()
	c.server = filepath.Join(query.Get("host"), socket)
	dir := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(dir, socket))
	must(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(client)
		}
	}()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	return u.String()
}

func (c *cutter) serve(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", c.server)
	if err != nil {
		return
	}
	defer server.Close()
	var cut atomic.Bool
	go func() {
		defer client.Close() // which ends the loop below
		answer := make([]byte, 64<<10)
		for {
			n, err := server.Read(answer)
			if err != nil || cut.Load() { // the answer to the commit is not passed on
				return
			}
			if _, err := client.Write(answer[:n]); err != nil {
				return
			}
		}
	}()
	request, watched := make([]byte, 64<<10), false
	for {
		n, err := client.Read(request)
		if err != nil {
			return
		}
		watched = watched || bytes.Contains(request[:n], []byte(c.after))
		if watched && bytes.Contains(request[:n], []byte("commit\x00")) && c.left.Add(-1) >= 0 {
			cut.Store(true)
		}
		if _, err := server.Write(request[:n]); err != nil {
			return
		}
	}
}

// Whether a commit was carried out is not known if its answer is lost. A video of which
// the database may have recorded that it is being sent, but that was not sent, is sent
// soon, and nobody is asked about it.
func TestVideosAreSentSoonAfterTheConnectionIsLost(t *testing.T) {
	address, err := postgrestest.Need(t).Database(t.Context())
	must(t, err)
	b, c := newBench(t), &cutter{after: "INSERT INTO create_calls"}
	c.left.Store(2)
	b.store = sampletest.Open(t, c.before(t, address))
	must(t, b.store.Enter(t.Context(), false))
	must(t, sampletest.AddUser(t, b.store, &db.User{Name: "Kim", Email: "kim@example.com", Role: db.Admin, CreatedAt: db.Now()}))
	b.giveKey(t, b.key)
	b.start(t)
	began, ids := time.Now(), []int64{b.add(t, "a boat"), b.add(t, "another boat")}
	for _, id := range ids {
		task := b.until(t, id, "its end", func(t db.Task) bool { return kept(t) || t.State == db.Unconfirmed })
		if took := time.Since(began); !kept(task) || took > 20*time.Second {
			t.Errorf("after %v video %d is %s: %s", took, id, task.State, task.Message)
		}
	}
	if n := b.line.count(create); n != len(ids) || c.left.Load() > 0 {
		t.Errorf("%d creates for %d videos; %d commits were not lost", n, len(ids), c.left.Load())
	}
}
