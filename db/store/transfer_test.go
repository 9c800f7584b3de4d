package store_test

import (
	"path/filepath"
	"slices"
	"testing"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/sampletest"
	"dailies/db/store/suite"
)

func TestATransferKeepsEverything(t *testing.T) {
	f := suite.NewGallery(t, 5)
	made := suite.Bring(t, f.Store, suite.AddTask(t, f.Store, f.Ann.ID, "of a recipe").ID, db.Success, suite.Day)
	recipe := ordering.Recipe{
		Name: "Fair", Request: db.Request{Scene: made.Scene, Model: made.Model}, TaskID: made.ID, CreatedBy: f.Ann.ID,
		CreatedAt: suite.Day, ChangedAt: suite.Day,
	}
	must(t, f.Recipes.AddRecipe(t.Context(), &recipe))
	share := gallery.Share{Token: "t", TaskID: made.ID, Title: "a title", CreatedBy: f.Ann.ID, CreatedAt: suite.Day, ExpiresAt: suite.Day}
	must(t, f.Links.AddShare(t.Context(), &share))
	must(t, f.Keys.PutKey(t.Context(), secrets.Key{UserID: f.Ann.ID, Sealed: []byte{0, 1, 255}, LastFour: "abcd", CreatedAt: suite.Day}))
	must(t, f.Settings.SetSetting(t.Context(), "a setting", "x\x00y"))
	shared := suite.AddTeamKey(t, f.Store, "Marketing", true)
	must(t, f.Keys.AssignKey(t.Context(), f.Ann.ID, shared.TeamKeyID))
	suite.StartService(t, f.Store, "", suite.PracticeAddress)
	suite.Connect(t, f.Store, "https://one.example", "one")
	suite.Bring(t, f.Store, suite.AddTask(t, f.Store, f.Ann.ID, "at a real service").ID, db.Success, suite.Day)
	services, err := f.Services.Services(t.Context())
	must(t, err)
	apart, err := f.Usage.OtherCredits(t.Context(), spending.Filter{})
	must(t, err)
	suite.Same(t, apart.Practice, true)
	there := sampletest.Open(t, filepath.Join(t.TempDir(), "there.db"))
	back := suite.Open(t)
	var last []store.Copied
	for _, leg := range [][2]*store.Store{{f.Store, there}, {there, back}} {
		copied, err := store.Transfer(t.Context(), leg[0], leg[1])
		must(t, err)
		if last != nil && !slices.Equal(copied, last) {
			t.Errorf("on the way back: %v, want %v", copied, last)
		}
		last = copied
		if _, err := store.Transfer(t.Context(), leg[0], leg[1]); err == nil {
			t.Error("a database with something in it is filled")
		}
	}
	for _, to := range []*store.Store{there, back} {
		kept, err := to.Keys.TeamKey(t.Context(), shared.TeamKeyID)
		must(t, err)
		suite.Same(t, kept, shared)
		moved, err := to.Services.Services(t.Context())
		must(t, err)
		suite.Same(t, moved, services)
		other, err := to.Usage.OtherCredits(t.Context(), spending.Filter{})
		must(t, err)
		suite.Same(t, other, apart)
		wrong, err := to.Usage.WrongUsage(t.Context())
		must(t, err)
		suite.Same(t, wrong, nil)
		for range 60 {
			by := f.SomeFilter()
			by.Limit = 200
			want, err := f.Search.Tasks(t.Context(), by)
			must(t, err)
			got, err := to.Search.Tasks(t.Context(), by)
			must(t, err)
			suite.Same(t, got, want)
		}
		added := suite.AddTask(t, to, f.Ann.ID, "a new one")
		if newest := slices.Max(f.IDs); added.ID <= newest {
			t.Errorf("the next task is %d, after %d", added.ID, newest)
		}
	}
}
