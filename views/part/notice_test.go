package part_test

import (
	"strings"
	"testing"

	"dailies/db/schedule"
	"dailies/views/part"
)

func TestSpaceNoticeSaysWhatIsScarce(t *testing.T) {
	for want, space := range map[string]schedule.Space{
		"": {Free: 100 << 30, Used: 9 << 30},
		"aren’t saved: the disk has 537 MB left. Free": {Free: schedule.Reserve / 2},
		"aren’t saved: files take 11 GB of 11 GB.":     {Free: 100 << 30, Used: 10 << 30, Max: 10 << 30},
		"Raise -keep-max soon":                         {Free: 100 << 30, Used: 99e8, Max: 10 << 30},
		"2 videos aren’t saved: files":                 {Free: 100 << 30, Used: 5e9, Max: 10 << 30, Waiting: 2},
	} {
		if got := part.SpaceNotice(space); !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%+v: got %q", space, got)
		}
	}
}
