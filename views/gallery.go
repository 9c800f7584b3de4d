package views

import (
	"strings"

	"dailies/db"
	"dailies/web/videoapi"
)

// A Gallery is one page of it, with the filter that chose it.
type Gallery struct {
	Cards  []Card
	Filter db.TaskFilter
	Models []videoapi.Model
	Next   string // address of the older page, empty at the end
	Total  int    // tasks that fit the filter; above db.MostCounted means more than that
	Empty  bool   // the team has not made anything yet
}

// filtered reports whether anything narrows the gallery down.
func (g Gallery) filtered() bool {
	f := g.Filter
	return f.Maker != 0 || f.Query != "" || f.Scene != "" || f.Model != "" || (f.State != "" && f.State != db.Success)
}

// older reports whether this is not the newest page.
func (g Gallery) older() bool { return g.Filter.Before > 0 }

// count says how many videos fit.
func (g Gallery) count() string {
	videos := Count(g.Total, "video")
	if g.Total > db.MostCounted {
		videos = "More than " + Count(db.MostCounted, "video")
	}
	if g.filtered() {
		videos += " found"
	}
	return videos
}

func whoOptions() []option { return []option{{"", "Everyone"}, {"me", "Mine"}} }

func (g Gallery) who() string {
	if g.Filter.Mine() {
		return "me"
	}
	return ""
}

func sceneOptions() []option {
	options := []option{{"", "Every scene"}}
	for _, s := range videoapi.Scenes() {
		options = append(options, option{string(s), SceneName(s)})
	}
	return options
}

// modelOptions lists the models. Where two share a name, the scene they are
// for tells them apart.
func (g Gallery) modelOptions() []option {
	names := map[string]int{}
	for _, m := range g.Models {
		names[m.Name]++
	}
	options := []option{{"", "Every model"}}
	for _, m := range g.Models {
		text := m.Name
		if names[m.Name] > 1 && len(m.Scenes) > 0 {
			text += ", " + strings.ToLower(SceneName(m.Scenes[0]))
		}
		options = append(options, option{m.ID, text})
	}
	return options
}

func stateOptions() []option {
	options := []option{}
	for _, s := range []db.State{db.Success, db.AnyState, db.Processing, db.Pending, db.Queued, db.Failed, db.Canceled, db.Rejected, db.Unconfirmed} {
		options = append(options, option{string(s), StateName(s)})
	}
	return options
}

func (g Gallery) state() string {
	if g.Filter.State == "" {
		return string(db.Success)
	}
	return string(g.Filter.State)
}
