package people_test

import (
	"fmt"
	"sync"
	"testing"

	"dailies/db"
	"dailies/db/store/suite"
)

func TestSettingsAreKept(t *testing.T) {
	s := suite.Open(t)
	_, err := s.Settings.Setting(t.Context(), "port")
	suite.Wants(t, err, db.ErrNotFound)
	must(t, s.Settings.SetSetting(t.Context(), "port", "1"))
	must(t, s.Settings.SetSetting(t.Context(), "port", "2"))
	if v, err := s.Settings.Setting(t.Context(), "port"); v != "2" || err != nil {
		t.Error(v, err)
	}
}

func TestTheFirstValueOfASettingIsTheSameForAll(t *testing.T) {
	s := suite.Open(t)
	kept := make([]string, 20)
	var all sync.WaitGroup
	for i := range kept {
		all.Go(func() {
			var err error
			if kept[i], err = s.Settings.KeepSetting(t.Context(), "port", fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	now, err := s.Settings.Setting(t.Context(), "port")
	must(t, err)
	for _, v := range kept {
		if v != now {
			t.Fatalf("%q is kept, and %q was returned", now, v)
		}
	}
}
