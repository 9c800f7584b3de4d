package db_test

import (
	"testing"

	"dailies/db"
)

func TestReceiptShowsTheRefund(t *testing.T) {
	none, some := db.Credits{}, db.CreditsOf
	for name, tt := range map[string]struct {
		status            string
		paid, said        db.Credits // before the last report, and in it
		charged, returned db.Credits
		missing           bool
	}{
		"failed":                        {"failed", some(30), some(30), some(30), some(30), false},
		"failed, the record is silent":  {"failed", some(30), none, some(30), some(30), false},
		"failed, the record says 0":     {"failed", some(30), some(0), some(30), some(30), false},
		"failed, a part is kept":        {"failed", some(30), some(10), some(30), some(20), true},
		"failed, the record is absurd":  {"failed", some(30), some(-5), some(30), some(30), false},
		"failed, cost known at the end": {"failed", none, some(30), some(30), some(30), false},
		"failed, cost never known":      {"failed", none, none, none, none, true},
		"failed, and it was free":       {"failed", some(0), some(0), some(0), some(0), false},
		"canceled":                      {"canceled", some(30), some(30), some(30), none, false},
		"canceled, the record says 0":   {"canceled", some(30), some(0), some(30), some(30), false},
		"success":                       {"success", some(30), some(30), some(30), none, false},
		"success, the price came down":  {"success", some(30), some(20), some(20), none, false},
	} {
		task := db.Task{State: db.Processing, Charged: tt.paid}
		must(t, task.Report(db.Report{Status: tt.status, Charged: tt.said}, noon, later))
		if task.Charged != tt.charged || task.Returned != tt.returned || task.RefundMissing() != tt.missing {
			t.Errorf("%s: charged %v, returned %v, missing %v", name, task.Charged, task.Returned, task.RefundMissing())
		}
		if task.ReturnedAt.IsZero() == task.Returned.Known {
			t.Errorf("%s: returned %v at %v", name, task.Returned, task.ReturnedAt)
		}
	}
}

func TestPaidExcludesTheRefund(t *testing.T) {
	some := db.CreditsOf
	for name, tt := range map[string]struct {
		task db.Task
		want db.Credits
	}{
		"made":              {db.Task{State: db.Success, Charged: some(30)}, some(30)},
		"running":           {db.Task{State: db.Processing, Charged: some(30)}, some(30)},
		"refunded":          {db.Task{State: db.Failed, Charged: some(30), Returned: some(30)}, some(0)},
		"refunded in part":  {db.Task{State: db.Canceled, Charged: some(30), Returned: some(10)}, some(20)},
		"canceled":          {db.Task{State: db.Canceled, Charged: some(30)}, some(30)},
		"refused":           {db.Task{State: db.Rejected}, some(0)},
		"failed, not known": {db.Task{State: db.Failed}, db.Credits{}},
	} {
		if got := tt.task.Paid(); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

func TestABalanceIsEnoughForWholeVideos(t *testing.T) {
	some := db.CreditsOf
	for _, tt := range []struct {
		left, each db.Credits
		videos     int
		known      bool
	}{
		{some(70), some(30), 2, true},
		{some(30), some(30), 1, true},
		{some(29.9), some(30), 0, true},
		{some(0.3), some(0.1), 3, true},
		{some(-5), some(30), 0, true},
		{some(1e30), some(1e-9), 1<<31 - 1, true},
		{db.Credits{}, some(30), 0, false},
		{some(70), db.Credits{}, 0, false},
		{some(70), some(0), 0, false},
	} {
		if videos, known := tt.left.EnoughFor(tt.each); videos != tt.videos || known != tt.known {
			t.Errorf("%v at %v each: %d, %v", tt.left, tt.each, videos, known)
		}
	}
}
