package team_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/db/team"
)

func TestAddressesOfAListAreParsed(t *testing.T) {
	got := team.Addresses(" kim@example.com\r\nJo Ek <jo@example.com>; ada@example.com,,KIM@example.com\n\n<x\n")
	want := []string{"kim@example.com", "jo@example.com", "ada@example.com", "<x"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

func FuzzAddresses(f *testing.F) {
	f.Add("kim@example.com, Jo <jo@example.com>")
	f.Add("<<>>;\x00\n,")
	f.Fuzz(func(t *testing.T, list string) {
		seen := map[string]bool{}
		for _, one := range team.Addresses(list) {
			if one == "" || one != strings.TrimSpace(one) || seen[db.EmailKey(one)] {
				t.Errorf("%q of %q", one, list)
			}
			seen[db.EmailKey(one)] = true
		}
	})
}

func TestMembersAreFoundByWordsOfTheirNameAndAddress(t *testing.T) {
	named := func(id int64, name, email string) team.Member {
		return team.Member{User: db.User{ID: id, Name: name, Email: email}}
	}
	gone := named(4, "Ada Alt", "alt@example.com")
	gone.DeactivatedAt = time.Now()
	all := []team.Member{gone, named(3, "zoë berg", "z@example.com"), named(2, "Élodie Ray", "ray@example.com"), named(1, "Elo Alt", "e@example.com")}
	for text, want := range map[string][]int64{
		"": {1, 2, 3, 4}, "elo": {1, 2}, " ALT elo": {1}, "zoe": {3}, "ray@": {2}, "alt": {1, 4}, "nobody": nil,
	} {
		var got []int64
		for _, m := range team.Find(all, text) {
			got = append(got, m.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q finds %v, want %v", text, got, want)
		}
	}
}
