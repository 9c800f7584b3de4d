package web

import (
	"encoding/csv"
	"io"
	"net/http"
)

// StartCSV begins a response with comma-separated values, which the browser saves under
// the name. The response begins with a byte-order mark, because spreadsheets garble
// letters outside ASCII without it. The writer returned reports a lost connection.
func StartCSV(w http.ResponseWriter, name string) *csv.Writer {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	_, _ = io.WriteString(w, "\ufeff")
	return csv.NewWriter(w)
}
