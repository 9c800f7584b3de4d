package cast

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/handlers/site"
)

func TestFaultsNameTheField(t *testing.T) {
	const picture = "https://example.com/a.png"
	good := url.Values{"handle": {"@Anna "}, "name": {" Anna"}, "kind": {"person"}, "picture": {"", picture}}
	day := func(days int) string { return db.Now().AddDate(0, 0, days).Format(time.DateOnly) }
	for _, tt := range []struct {
		field   string // that is wrong; "" for none
		changes url.Values
	}{
		{"", nil},
		{"handle", url.Values{"handle": {"a b"}}},
		{"name", url.Values{"name": {strings.Repeat("x", 61)}}},
		{"kind", url.Values{"kind": {"alien"}}},
		{"look", url.Values{"look": {strings.Repeat("é", 201)}}},
		{"", url.Values{"look": {strings.Repeat("é\n \n", 100)}}},
		{site.PictureField(0), url.Values{"picture": {picture, picture, picture, picture}}},
		{"consent_by", url.Values{"consent_on": {day(-30)}}},
		{"consent_by", url.Values{"consent_on": {day(-30)}, "consent_by": {strings.Repeat("x", 101)}}},
		{"consent_on", url.Values{"consent_on": {day(2)}, "consent_by": {"Anna"}}},
		{"consent_on", url.Values{"consent_by": {"Anna"}}},
		{"consent_on", url.Values{"consent_on": {"yesterday"}}},
		{"", url.Values{"consent_on": {day(1)}, "consent_by": {"Anna"}}},
		{"", url.Values{"consent_on": {"yesterday"}, "kind": {"product"}}},
	} {
		v := url.Values{}
		for _, values := range []url.Values{good, tt.changes} {
			for name, value := range values {
				v[name] = value
			}
		}
		f, m := readCast(v, cast.Member{})
		if errs := castErrors(&f, m); tt.field == "" && errs != nil || tt.field != "" && (len(errs) != 1 || errs[tt.field] == "") {
			t.Errorf("%v: %v", tt.changes, errs)
		}
	}
}
