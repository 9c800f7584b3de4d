package backup_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dailies/db/backup"
	"dailies/db/folder"
)

// A file is an entry of a handmade archive.
type file struct{ name, content string }

// pack returns an archive of the files, with a list of their hashes.
func pack(t testing.TB, files ...file) []byte {
	t.Helper()
	var out, sums bytes.Buffer
	z := zip.NewWriter(&out)
	for _, f := range files {
		w, err := z.Create(f.name)
		must(t, err)
		_, err = io.WriteString(w, f.content)
		must(t, err)
		sum := sha256.Sum256([]byte(f.content))
		fmt.Fprintf(&sums, "%s  %s\n", hex.EncodeToString(sum[:]), f.name)
	}
	w, err := z.Create("SHA256SUMS")
	must(t, err)
	_, err = w.Write(sums.Bytes())
	must(t, err)
	must(t, z.Close())
	return out.Bytes()
}

var (
	about    = file{"backup.json", `{"format":"dailies backup","version":1}`}
	database = file{"dailies.db", "not really"}
)

// restored tries to restore the archive, and checks that a failure leaves nothing.
func restored(t *testing.T, content []byte) error {
	t.Helper()
	root := t.TempDir()
	must(t, os.WriteFile(root+"/b.zip", content, 0o600))
	err := backup.Restore(t.Context(), root+"/b.zip", backup.Location{Dir: root + "/a/data"}, io.Discard)
	if err != nil {
		if _, statErr := os.Stat(root + "/a/data"); !errors.Is(statErr, os.ErrNotExist) {
			left, _ := filepath.Glob(root + "/a/data/*")
			t.Errorf("a failed restore left %q", left)
		}
	}
	if strays, _ := filepath.Glob(root + "/*"); len(strays) > 2 {
		t.Errorf("there is %q", strays)
	}
	return err
}

func TestInvalidArchivesAreRefused(t *testing.T) {
	for name, content := range map[string][]byte{
		"nothing":              {},
		"a letter":             []byte("dear team"),
		"an empty archive":     pack(t),
		"no database":          pack(t, about),
		"no words about it":    pack(t, database),
		"of a newer format":    pack(t, file{about.name, `{"format":"dailies backup","version":2}`}, database),
		"of another program":   pack(t, file{about.name, `{"format":"photos"}`}, database),
		"a broken database":    pack(t, about, database),
		"a way out":            pack(t, about, database, file{"../evil", "x"}),
		"a way out of videos":  pack(t, about, database, file{"videos/../../1.webm", "x"}),
		"a way to the root":    pack(t, about, database, file{"/etc/passwd", "x"}),
		"a way on Windows":     pack(t, about, database, file{`videos\..\..\1.webm`, "x"}),
		"a secret":             pack(t, about, database, file{"secret", "x"}),
		"another name":         pack(t, about, database, file{"videos/one.webm", "x"}),
		"a name twice":         pack(t, about, database, database),
		"a folder":             pack(t, about, database, file{"videos/1.webm/", ""}),
		"a name with an end":   pack(t, about, database, file{"videos/1.webm\n", "x"}),
		"a name with a number": pack(t, about, database, file{"videos/" + strings.Repeat("9", 300) + ".webm", "x"}),
	} {
		t.Run(name, func(t *testing.T) {
			if err := restored(t, content); !errors.Is(err, backup.ErrDamaged) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// An archive that is truncated or has a changed byte is refused, unless the change
// affects none of its contents.
func TestDamagedArchivesAreRefused(t *testing.T) {
	h := newDataFolder(t, 4)
	whole, err := os.ReadFile(h.write(t))
	must(t, err)
	must(t, restored(t, whole))
	for _, n := range []int{0, len(whole) / 2, len(whole) - 1} {
		if err := restored(t, whole[:n]); !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("%d of %d bytes: got %v", n, len(whole), err)
		}
	}
	want := contents(t, whole)
	for at := 7; at < len(whole); at += len(whole)/60 + 1 {
		changed := slices.Clone(whole)
		changed[at] ^= 0x55
		err := restored(t, changed)
		if err == nil && !bytes.Equal(contents(t, changed), want) {
			t.Errorf("byte %d was changed and nobody noticed", at)
		}
		if err != nil && !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("byte %d: got %v", at, err)
		}
	}
}

// contents returns the names and contents of all entries of the archive.
func contents(t *testing.T, content []byte) []byte {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	var all bytes.Buffer
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		fmt.Fprintln(&all, f.Name)
		_, err = io.Copy(&all, r)
		must(t, err)
	}
	return all.Bytes()
}

// An entry that is larger than the archive states is cut off at the stated size. An
// archive whose stated size exceeds the disk is not unpacked at all.
func TestArchivesCannotFillTheDisk(t *testing.T) {
	const says, holds = 10, 4 << 20
	bomb := func(size uint64) []byte {
		var packed, out bytes.Buffer
		z := zip.NewWriter(&packed)
		w, err := z.Create("videos/1.webm")
		must(t, err)
		_, err = w.Write(make([]byte, holds))
		must(t, err)
		must(t, z.Close())
		from, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		must(t, err)
		raw, err := from.File[0].OpenRaw()
		must(t, err)
		whole := zip.NewWriter(&out)
		header := from.File[0].FileHeader
		header.UncompressedSize64, header.Flags = size, 0
		w, err = whole.CreateRaw(&header)
		must(t, err)
		_, err = io.Copy(w, raw)
		must(t, err)
		sums := ""
		for _, f := range []file{about, database} {
			w, err := whole.Create(f.name)
			must(t, err)
			_, err = io.WriteString(w, f.content)
			must(t, err)
			sum := sha256.Sum256([]byte(f.content))
			sums += hex.EncodeToString(sum[:]) + "  " + f.name + "\n"
		}
		w, err = whole.Create("SHA256SUMS")
		must(t, err)
		_, err = io.WriteString(w, sums+strings.Repeat("0", 64)+"  videos/1.webm\n")
		must(t, err)
		must(t, whole.Close())
		return out.Bytes()
	}
	if err := restored(t, bomb(says)); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("got %v", err)
	}
	if err := restored(t, bomb(1<<49)); err == nil || !strings.Contains(err.Error(), "it needs") {
		t.Errorf("got %v", err)
	}
	if err := restored(t, bomb(1<<63)); !errors.Is(err, backup.ErrDamaged) {
		t.Errorf("got %v", err)
	}
}

func TestRestoreNeedsAFolderOfItsOwn(t *testing.T) {
	h := newDataFolder(t, 1)
	archive, dir := h.write(t), t.TempDir()
	must(t, os.Mkdir(dir+"/restoring-123", 0o700)) // of a restore that was interrupted
	must(t, os.WriteFile(dir+"/restoring-123/half", nil, 0o600))
	running, err := folder.Open(dir)
	must(t, err)
	if err := backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v", err)
	}
	must(t, running.Close())
	must(t, backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, io.Discard))
	if left, _ := filepath.Glob(dir + "/restoring-*"); len(left) > 0 {
		t.Errorf("it left %q", left)
	}
	if err := backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("got %v", err)
	}
	if len(open(t, dir).made(t)) != 1 {
		t.Error("the second one did harm")
	}
}

func FuzzReadArchive(f *testing.F) {
	f.Add(pack(f, about, database, file{"videos/1.webm", "film"}, file{"videos/1.json", "{}"}))
	f.Add(pack(f, about, database, file{"../evil", "x"}))
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	f.Fuzz(func(t *testing.T, content []byte) {
		if err := restored(t, content); err != nil && !errors.Is(err, backup.ErrDamaged) {
			t.Errorf("got %v", err)
		}
	})
}

// A folder of which somebody has removed the data, but not the lock and the space reserve, is
// empty enough for a restore.
func TestARestoreTakesAFolderThatWasInUse(t *testing.T) {
	root := t.TempDir()
	h := newDataFolder(t, 1)
	archive := h.write(t)
	dir := filepath.Join(root, "state")
	must(t, os.Mkdir(dir, 0o700))
	for _, name := range []string{"lock", "reserve", "secret", "secret.old-20261101T000000Z"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	must(t, backup.Restore(t.Context(), archive, backup.Location{Dir: dir}, io.Discard))
	for _, name := range []string{"lock", "reserve", "secret", "secret.old-20261101T000000Z", "dailies.db"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
