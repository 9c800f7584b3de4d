package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// archive packs the content of the folder, in the order of names, with the time at for
// all files and root as the owner. It keeps the files' permissions.
func archive(folder string, at time.Time, name string) (err error) {
	out, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if strings.HasSuffix(name, ".zip") {
		z := zip.NewWriter(out)
		if err := walk(folder, zipped(z, at)); err != nil {
			return err
		}
		return z.Close()
	}
	g, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(g)
	if err := walk(folder, tarred(t, at)); err != nil {
		return err
	}
	return errors.Join(t.Close(), g.Close())
}

// An adder adds the header of a file or folder to an archive, and returns the writer for
// a file's content.
type adder func(name string, info fs.FileInfo) (io.Writer, error)

func walk(folder string, add adder) error {
	return filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == folder {
			return err
		}
		relative, err := filepath.Rel(folder, file)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		w, err := add(filepath.ToSlash(relative), info)
		if err != nil || d.IsDir() {
			return err
		}
		in, err := os.Open(file)
		if err != nil {
			return err
		}
		defer in.Close()
		_, err = io.Copy(w, in)
		return err
	})
}

func tarred(t *tar.Writer, at time.Time) adder {
	return func(name string, info fs.FileInfo) (io.Writer, error) {
		h, err := tar.FileInfoHeader(info, "")
		if err != nil {
			return nil, err
		}
		// A new header, to leave out the owner and the other times of the file.
		clean := tar.Header{Typeflag: h.Typeflag, Name: name, Mode: h.Mode, Size: h.Size, ModTime: at, Format: tar.FormatPAX}
		if info.IsDir() {
			clean.Name += "/"
		}
		return t, t.WriteHeader(&clean)
	}
}

func zipped(z *zip.Writer, at time.Time) adder {
	return func(name string, info fs.FileInfo) (io.Writer, error) {
		h := zip.FileHeader{Name: path.Clean(name), Modified: at, Method: zip.Deflate}
		h.SetMode(info.Mode())
		if info.IsDir() {
			h.Name, h.Method = h.Name+"/", zip.Store
		}
		return z.CreateHeader(&h)
	}
}
