package schedule

import "slices"

// A QueryJob is a running task that the service is due to be queried about.
type QueryJob struct {
	TaskID, UserID int64
	KeyID          int64 // as in Task.KeyID
}

// Turns remembers who is next when more queries are due than can be made. People take
// turns in the order of their IDs and, among the tasks of each person, the keys that
// they were sent with. The zero value is ready to use. It is not safe for concurrent
// use.
type Turns struct {
	Last   int64           // the person who was served last
	People int             // how many had due tasks when Choose was called last
	keys   map[int64]int64 // the key that was served last, for people with several
}

// mostKeys limits the number of remembered keys.
const mostKeys = 1000

// Choose returns the IDs of at most n of the due tasks. The tasks of each person and key
// must be in the order in which they are due.
func (t *Turns) Choose(due []QueryJob, n int) (chosen []int64) {
	people, of := []int64{}, map[int64][]QueryJob{}
	for _, j := range due {
		if of[j.UserID] == nil {
			people = append(people, j.UserID)
		}
		of[j.UserID] = append(of[j.UserID], j)
	}
	t.People = len(people)
	slices.Sort(people)
	if i, _ := slices.BinarySearch(people, t.Last+1); i > 0 {
		people = slices.Concat(people[i:], people[:i])
	}
	for _, p := range people {
		of[p] = t.byKey(p, of[p])
	}
	for round := 0; len(chosen) < n && len(chosen) < len(due); round++ {
		for _, p := range people {
			if round >= len(of[p]) || len(chosen) == n {
				continue
			}
			j := of[p][round]
			chosen = append(chosen, j.TaskID)
			t.served(j)
		}
	}
	return chosen
}

// byKey returns one person's tasks with their keys in turn, beginning after the key that
// was served last.
func (t *Turns) byKey(person int64, jobs []QueryJob) (inTurn []QueryJob) {
	keys, of := []int64{}, map[int64][]QueryJob{}
	for _, j := range jobs {
		if of[j.KeyID] == nil {
			keys = append(keys, j.KeyID)
		}
		of[j.KeyID] = append(of[j.KeyID], j)
	}
	if len(keys) == 1 {
		return jobs
	}
	last, known := t.keys[person]
	if !known {
		t.remember(person, -1)
		last = -1
	}
	slices.Sort(keys)
	i, _ := slices.BinarySearch(keys, last+1)
	keys = slices.Concat(keys[i:], keys[:i])
	for round := 0; len(inTurn) < len(jobs); round++ {
		for _, k := range keys {
			if round < len(of[k]) {
				inTurn = append(inTurn, of[k][round])
			}
		}
	}
	return inTurn
}

func (t *Turns) served(j QueryJob) {
	t.Last = j.UserID
	if _, several := t.keys[j.UserID]; several {
		t.keys[j.UserID] = j.KeyID
	}
}

func (t *Turns) remember(person, key int64) {
	if t.keys == nil || len(t.keys) >= mostKeys {
		t.keys = map[int64]int64{}
	}
	t.keys[person] = key
}
