package aside

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/folder"
)

// An Intent records that a create call for the task is about to begin. It is complete
// enough to add the task again, in case the storage loses what the database has written,
// although it had reported that it was safe. Without it, the task would be sent, and paid,
// a second time.
type Intent struct {
	Task   db.Task
	SentAt time.Time
	Boot   string    // the run of the operating system in which it was written: see folder.Boot
	Begun  bool      `json:"-"` // the call has begun
	Reply  *db.Reply `json:"-"` // the outcome; nil if it is not known

	slot *os.File
	end  int64 // of its line in the slot
	size int64 // of everything about it in the slot
}

// MayHaveBegun reports whether the call may have begun: it has, or a power cut may have
// erased that it has.
func (in *Intent) MayHaveBegun() bool {
	return in.Begun || in.Boot == "" || in.Boot != folder.Boot()
}

// Intents are kept in slots, which are files that are overwritten again and again, because
// that costs much less than making and deleting a file. They are not synced: the database
// is, and a sync would cost a sixth of a submission. So they survive the end of the process
// and, half a minute later, a power cut. A slot contains a line with
// a checksum and the intent, then either begun or waits, and then a line with the outcome,
// if it is known. What follows a NUL is left from an earlier intent.
type Intents struct {
	dir  string
	mu   sync.Mutex
	free []*os.File
	made int // the number of the next slot
}

const (
	slotEnding = ".sending"
	slotSize   = 4 << 10 // of a new slot, so that most intents do not change its size
	maxSlots   = 500

	waits = "-----\n"
	begun = "begun\n"
)

// errNoSlot means that too many intents are stored.
var errNoSlot = errors.New("too many intents are stored already")

// OpenIntents returns the intents in the folder, and those that an earlier process has
// left, in the order in which their calls began. Slots that cannot be read are left in
// place and reported in the error; the rest is returned even then.
func OpenIntents(dir string) (s *Intents, left []*Intent, err error) {
	s = &Intents{dir: dir}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	for _, e := range entries {
		number, is := strings.CutSuffix(e.Name(), slotEnding)
		n, numberErr := strconv.Atoi(number)
		if !is || numberErr != nil || n < 0 {
			continue
		}
		s.made = max(s.made, n+1)
		in, readErr := s.open(filepath.Join(dir, e.Name()))
		if readErr != nil {
			err = errors.Join(err, fmt.Errorf("slot %s: %w", e.Name(), readErr))
		} else if in != nil {
			left = append(left, in)
		}
	}
	slices.SortFunc(left, func(a, b *Intent) int { return a.SentAt.Compare(b.SentAt) })
	return s, left, err
}

// open opens a slot. It returns nil if the slot is free.
func (s *Intents) open(path string) (*Intent, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, longestNote+1))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	in, err := ParseIntent(text)
	if errors.Is(err, errFree) {
		s.free = append(s.free, file)
		return nil, nil
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	in.slot, in.size = file, int64(len(text))
	return &in, nil
}

// Put stores the intent.
func (s *Intents) Put(in *Intent) (err error) {
	in.Boot = folder.Boot()
	text, err := json.Marshal(in)
	if err != nil {
		return err
	}
	line := fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(text), text)
	if in.slot, err = s.take(); err != nil {
		return fmt.Errorf("intent of task %d: %w", in.Task.ID, err)
	}
	in.end = int64(len(line))
	in.size = in.end + int64(len(waits))
	_, err = in.slot.WriteAt(append(line, waits+"\x00"...), 0)
	if err != nil {
		return errors.Join(fmt.Errorf("intent of task %d: %w", in.Task.ID, err), s.Drop(in))
	}
	return nil
}

// take returns a free slot, or else a new one.
func (s *Intents) take() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		return slot, nil
	}
	if s.made >= maxSlots {
		return nil, errNoSlot
	}
	if err := folder.Make(s.dir); err != nil {
		return nil, err
	}
	slot, err := os.OpenFile(filepath.Join(s.dir, fmt.Sprint(s.made)+slotEnding), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	s.made++
	_, err = slot.Write(make([]byte, slotSize))
	if err != nil {
		s.free = append(s.free, slot)
		return nil, err
	}
	return slot, nil
}

// Begin records that the call begins.
func (in *Intent) Begin() error {
	_, err := in.slot.WriteAt([]byte(begun), in.end)
	return err
}

// Answer records the outcome of the call.
func (in *Intent) Answer(r db.Reply) error {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = in.slot.WriteAt(append(text, '\n', 0), in.end+int64(len(begun)))
		in.size = in.end + int64(len(begun)+len(text)+1)
	}
	return err
}

// Drop removes the intent, because its call was not made or cost nothing, or because the
// database has stored the outcome for good. A power cut may undo that, which does no harm:
// the database knows the task then. Nothing of the prompt stays in the file.
func (s *Intents) Drop(in *Intent) error {
	if in.slot == nil {
		return nil
	}
	_, err := in.slot.WriteAt(make([]byte, in.size), 0)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, in.slot)
	in.slot = nil
	return err
}

// Close closes all free slots. Intents that are stored stay.
func (s *Intents) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, slot := range s.free {
		_ = slot.Close() // what it contains does not matter
	}
	s.free = nil
}

// errFree means that a slot contains no intent, or one that was not completely written,
// so that its call has not begun.
var errFree = errors.New("it is free")

// ParseIntent parses a slot. The error is errFree if there is no whole intent in it.
func ParseIntent(text []byte) (in Intent, err error) {
	if len(text) > longestNote {
		return in, errors.New("it is too long")
	}
	line, rest, whole := bytes.Cut(text, []byte("\n"))
	sum, content, _ := bytes.Cut(line, []byte(" "))
	if !whole || string(sum) != fmt.Sprintf("%08x", crc32.ChecksumIEEE(content)) {
		return in, errFree
	}
	if err := json.Unmarshal(content, &in); err != nil {
		return in, fmt.Errorf("it cannot be read: %w", err)
	}
	if in.Task.ID <= 0 || in.Task.UserID <= 0 || in.Task.FormToken == "" || in.SentAt.IsZero() {
		return in, errors.New("it names no task")
	}
	in.end = int64(len(line)) + 1
	rest, in.Begun = bytes.CutPrefix(rest, []byte(begun))
	answer, _, _ := bytes.Cut(rest, []byte{0})
	var reply db.Reply
	if answer, whole := bytes.CutSuffix(answer, []byte("\n")); in.Begun && whole &&
		json.Unmarshal(answer, &reply) == nil && reply.TaskID == in.Task.ID {
		in.Reply = &reply
	}
	return in, nil
}
