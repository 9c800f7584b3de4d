package engine_test

import (
	"strings"
	"testing"

	"dailies/db/store/engine"
)

type film struct {
	ID     int64
	Name   string
	Note   string
	Scenes []string
}

const (
	words engine.Mark = 1 << iota
	added
)

var films = engine.NewTable("f", func(f *film, c *engine.Columns) {
	c.Add("id", &f.ID)
	c.Add("name", &f.Name, words, added)
	c.Computed("length(f.name)", new(int))
	c.Add("note", &f.Note, words)
	c.Add("scenes", engine.AsJSON(&f.Scenes), words, added)
	c.Add("leased_by", nil)
})

func TestATableMakesPartsOfStatements(t *testing.T) {
	part := films.Part(added)
	for _, check := range []struct{ got, want string }{
		{films.Columns, "f.id, f.name, length(f.name), f.note, f.scenes"},
		{part.Names, "name, scenes"},
		{part.Places(3), "$3, $4"},
		{part.Sets(2), "name = $2, scenes = $3"},
	} {
		if check.got != check.want {
			t.Errorf("%q, want %q", check.got, check.want)
		}
	}
	f := film{Name: "Kites"}
	if values := part.Values(&f, "first"); len(values) != 3 || values[0] != "first" || values[1] != &f.Name {
		t.Errorf("the values are %v", values)
	}
	if fields := films.Fields(&f); len(fields) != 5 || fields[0] != &f.ID || fields[3] != &f.Note {
		t.Errorf("the fields are %v", fields)
	}
}

func TestNoTwoColumnsFillTheSameField(t *testing.T) {
	for name, add := range map[string]func(*film, *engine.Columns){
		"fill the same field": func(f *film, c *engine.Columns) {
			c.Add("name", &f.Name)
			c.Add("note", (*engine.Named)(&f.Name))
		},
		"scenes and pictures": func(f *film, c *engine.Columns) {
			c.Add("scenes", engine.AsJSON(&f.Scenes))
			c.Computed("pictures", &f.Scenes)
		},
		"the column note of the table f is to be written": func(f *film, c *engine.Columns) {
			c.Add("name", &f.Name)
			c.Add("note", nil, added)
		},
		"the column name twice": func(f *film, c *engine.Columns) {
			c.Add("name", &f.Name)
			c.Add("name", &f.Note)
		},
	} {
		func() {
			defer func() {
				if said, _ := recover().(string); !strings.Contains(said, name) {
					t.Errorf("it says %q, want %q", said, name)
				}
			}()
			engine.NewTable("f", add).Part(added)
		}()
	}
}
