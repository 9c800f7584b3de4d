package site

import (
	"archive/zip"
	"context"
	"io"
	"log/slog"
	"mime"
	"net/http"

	"dailies/db"
	"dailies/db/media"
	"dailies/web"
)

// ArchiveVideo adds the video's file to the archive under the name, uncompressed,
// because videos are compressed already.
func ArchiveVideo(ctx context.Context, archive *zip.Writer, files *media.Store, m db.Media, name string) error {
	file, err := files.Whole(ctx, m.Hash, m.Size)
	if err != nil {
		return err
	}
	defer file.Close()
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: m.CreatedAt})
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, struct{ io.Reader }{file})
	return err
}

// Stream sends a download under the name, with content that write generates.
func Stream(log *slog.Logger, w http.ResponseWriter, kind, name string, write func(io.Writer) error) error {
	w = web.WithRollingDeadline(w)
	Attach(w, kind, name)
	if err := write(w); err != nil {
		// Part of the file is sent already, so the connection is aborted to let the
		// browser see that the file is incomplete.
		log.Debug("a download broke off", "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// Attach sets the headers for a download that is saved under the name.
func Attach(w http.ResponseWriter, kind, name string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
	h.Set("Cache-Control", "no-store")
}
