package money

import (
	"net/http"
	"strconv"
	"time"

	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/spending"
	"dailies/handlers/site"
	"dailies/web"
)

// receiptColumns is the header line of the file.
var receiptColumns = []string{
	"video", "created_at", "day", "person", "paid_by", "scene", "model", "state", "key",
	"title", "prompt", "quoted", "paid", "refunded", "spent", "done_at", "credits",
}

// Export streams a CSV file with one line for each video that the URL's filters select.
// An admin's file has everybody's videos, other users' files only their own.
func (m *Money) Export(w http.ResponseWriter, r *http.Request) error {
	choice, filter, err := m.choice(r, false)
	if err != nil {
		return err
	}
	ctx := r.Context()
	if err := m.audit.Record(ctx, audit.Entry{Action: audit.Exported, What: "usage", After: choice.Said()}); err != nil {
		return err
	}
	out := web.StartCSV(web.WithRollingDeadline(w), "dailies-usage.csv")
	err = out.Write(receiptColumns)
	if err == nil {
		err = m.usage.EachReceipt(ctx, site.Me(r).ID, filter, func(r spending.Receipt) error { return out.Write(receiptLine(r)) })
	}
	if out.Flush(); err == nil {
		err = out.Error()
	}
	if err != nil {
		// Part of the file is sent already, so the connection is aborted to let the
		// client see that the file is incomplete.
		m.log.Warn("an export broke off", "err", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// receiptLine returns the cells of one video.
func receiptLine(r spending.Receipt) []string {
	spent := ""
	if r.Paid != nil {
		sum := *r.Paid
		if r.Refunded != nil {
			sum -= *r.Refunded
		}
		spent = amountCell(&sum)
	}
	credits := "real"
	if r.Practice {
		credits = "practice"
	}
	cells := []string{
		strconv.FormatInt(r.TaskID, 10), timeCell(r.CreatedAt), time.Unix(r.Day*24*60*60, 0).UTC().Format(time.DateOnly), r.Maker, r.Payer,
		r.Scene, r.Model, r.State, r.Key, r.Title, r.Prompt,
		amountCell(r.Quoted), amountCell(r.Paid), amountCell(r.Refunded), spent, timeCell(r.DoneAt), credits,
	}
	for i := range cells {
		cells[i] = format.Cell(cells[i])
	}
	return cells
}

func timeCell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func amountCell(amount *float64) string {
	if amount == nil {
		return ""
	}
	return strconv.FormatFloat(*amount, 'f', -1, 64)
}
