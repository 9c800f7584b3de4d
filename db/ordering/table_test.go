package ordering_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"dailies/db/ordering"
	"dailies/web/costtest"
)

func rows(t ordering.Table) string {
	var lines []string
	for _, row := range t.Rows {
		lines = append(lines, strings.Join(row, "|"))
	}
	return strings.Join(lines, "/")
}

// cells returns the cells of each row that were not understood.
func cells(t ordering.Table) string {
	var lines []string
	for _, faults := range t.Faults {
		line := ""
		for _, f := range faults {
			line += f.Cell
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "/")
}

func TestTablesOfEveryKindAreRead(t *testing.T) {
	for name, tt := range map[string]struct {
		text  string
		want  string
		check func(ordering.Table) bool
	}{
		"a spreadsheet":            {"cup\tbeach\nlamp\tattic\n", "cup|beach/lamp|attic", nil},
		"a heading":                {"product\tplace\ncup\tbeach", "cup|beach", func(t ordering.Table) bool { return t.Headed }},
		"a heading turned round":   {"Place\tPRODUCT\r\nbeach\tcup\r\n", "cup|beach", func(t ordering.Table) bool { return t.Headed }},
		"a heading with braces":    {"{{place}},{{ product }}\nbeach,cup", "cup|beach", nil},
		"commas":                   {"cup,beach\nlamp,attic", "cup|beach/lamp|attic", nil},
		"semicolons":               {"a cup, red;beach\na lamp, old;attic", "a cup, red|beach/a lamp, old|attic", nil},
		"quotes":                   {"\"a \"\"big\"\" cup\",\"beach, at noon\"", `a "big" cup|beach, at noon`, nil},
		"quoted line breaks":       {"product\tplace\n\"two\nlines\"\tbeach\ncup\tattic", "two\nlines|beach/cup|attic", nil},
		"inches":                   {"a 5\" screen\tbeach\n\"flat\" lamp\tattic\n\"x\ty\"\tz", "a 5\" screen|beach/\"flat\" lamp|attic/x\ty|z", nil},
		"an open quote":            {"\"cup\tbeach\nlamp\tattic", "\"cup|beach/lamp|attic", nil},
		"a mark at the start":      {"\uFEFFproduct,place\ncup,beach", "cup|beach", func(t ordering.Table) bool { return t.Headed }},
		"old line ends":            {"cup\tbeach\rlamp\tattic", "cup|beach/lamp|attic", nil},
		"empty rows":               {"\n\t\ncup\tbeach\n\n \t \n", "cup|beach", nil},
		"a cell too few":           {"product\tplace\ncup\nlamp\tattic", "cup|/lamp|attic", nil},
		"an empty cell at the end": {"cup\tbeach\nlamp\t", "cup|beach/lamp|", nil},
		"a cell too many":          {"cup\tbeach\tnoon\nlamp\tattic\tnight", "cup|beach/lamp|attic", func(t ordering.Table) bool { return cells(t) == "noon/night" }},
		"a value of an option":     {"cup\tbeach\t16:9\nlamp\tattic\ttall", "cup|beach/lamp|attic", func(t ordering.Table) bool { return t.Options[0]["aspect_ratio"] == "16:9" && cells(t) == "/tall" }},
		"a cell beyond a heading":  {"product\tplace\ncup\tbeach\nlamp\tattic\tnight", "cup|beach/lamp|attic", func(t ordering.Table) bool { return cells(t) == "/night" }},
		"two of one option":        {"cup\tbeach\t16:9\t9:16\nlamp\tattic\t1:1\t1:1", "cup|beach/lamp|attic", func(t ordering.Table) bool { return t.Options[0]["aspect_ratio"] == "16:9" && cells(t) == "9:16/" }},
		"a foreign column":         {"price\tplace\tproduct\n3\tbeach\tcup", "cup|beach", func(t ordering.Table) bool { return strings.Join(t.Ignored, ",") == "price" }},
		"a missing column":         {"product\nlamp", "lamp|", func(t ordering.Table) bool { return strings.Join(t.Missing, ",") == "place" }},
		"junk bytes":               {"c\xffup\tbeach", "cup|beach", nil},
	} {
		t.Run(name, func(t *testing.T) {
			table, err := ordering.ReadTable(tt.text, []string{"product", "place"})
			if err != nil {
				t.Fatal(err)
			}
			if got := rows(table); got != tt.want {
				t.Errorf("read %q, want %q", got, tt.want)
			}
			if tt.check != nil && !tt.check(table) {
				t.Errorf("it says %+v", table)
			}
		})
	}
}

func TestOneBlankTakesWholeLines(t *testing.T) {
	table, err := ordering.ReadTable("a boat, red; small\na train, blue", []string{"what"})
	if err != nil || rows(table) != "a boat, red; small/a train, blue" {
		t.Errorf("read %q, %v", rows(table), err)
	}
	table, err = ordering.ReadTable("a boat\tx\na train\ty", []string{"what"})
	if err != nil || rows(table) != "a boat/a train" || cells(table) != "x/y" {
		t.Errorf("read %q, %v", rows(table), err)
	}
}

func TestTablesAreBounded(t *testing.T) {
	names := []string{"a"}
	for text, want := range map[string]error{
		"":                                       ordering.ErrTableEmpty,
		"\n \n\t\n":                              ordering.ErrTableEmpty,
		"A\n":                                    ordering.ErrTableEmpty,
		strings.Repeat("x", ordering.MaxTable+1): ordering.ErrTableSize,
		strings.Repeat("x\n", ordering.MaxRows+1): ordering.ErrTableRows,
		"a\n" + strings.Repeat("x\n", 100):        nil,
		"a\n" + strings.Repeat("x\n", 101):        ordering.ErrTableRows,
		strings.Repeat("\n", 200) + "x":           nil,
		"\"" + strings.Repeat("\"\n", 100)[:20]:   nil,
	} {
		if _, err := ordering.ReadTable(text, names); !errors.Is(err, want) {
			t.Errorf("%.20q…: %v, want %v", text, err, want)
		}
	}
}

func TestHostileTablesAreReadInNoTime(t *testing.T) {
	for _, part := range []string{"\"a\t", "\"\"\"", "\"\t\"", ",\"\"b", "\"\n"} {
		costtest.Linear(t, fmt.Sprintf("bytes of %q", part), ordering.MaxTable, func(n int) time.Duration {
			text := strings.Repeat(part, n/len(part)-1|1) // an odd number, so that both have a quote without an end
			return costtest.Of(func() { _, _ = ordering.ReadTable(text, []string{"a", "b"}) })
		})
	}
}

func TestCellsToBePastedStayInTheirRows(t *testing.T) {
	cells, err := ordering.Cells("\uFEFFcup\t\"a\n b\"\t\r\n\r\n\toak\r5\" screen, flat\r\n")
	if got := fmt.Sprintf("%q", cells); err != nil || got != `[["cup" "a b" ""] [""] ["" "oak"] ["5\" screen, flat"]]` {
		t.Errorf("%s, %v", got, err)
	}
	for text, want := range map[string]error{
		"": ordering.ErrTableEmpty, strings.Repeat("\n", 101): ordering.ErrTableRows, strings.Repeat("x", ordering.MaxTable+1): ordering.ErrTableSize,
	} {
		if _, err := ordering.Cells(text); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v", len(text), err)
		}
	}
}

// Cells that were pasted over others are read as they would be in a table.
func FuzzCells(f *testing.F) {
	for _, seed := range []string{"a\tb\n\n1\t2", "\"a\n\"\"b\"\"\"\tc\r\n", "\uFEFF\"\t\"\n\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		cells, err := ordering.Cells(text)
		if err != nil {
			return
		}
		if len(cells) == 0 || len(cells) > ordering.MaxRows {
			t.Fatalf("%d rows", len(cells))
		}
		size := 0
		for _, row := range cells {
			if len(row) == 0 || strings.ContainsAny(strings.Join(row, ""), "\r\n") {
				t.Fatalf("%q", row)
			}
			size += len(strings.Join(row, ""))
		}
		if size > len(text) {
			t.Fatalf("%d bytes became %d", len(text), size)
		}
	})
}

// FuzzTable parses any text as a table for two blanks.
func FuzzTable(f *testing.F) {
	for _, seed := range []string{"a\tb\n1\t2", "B;A\n\"x;\"\"\";y", "\uFEFF1,2\r\n,\r\n\"", "\"a\nb\",c", "a"} {
		f.Add(seed)
	}
	names := []string{"a", "b"}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := ordering.ReadTable(text, names)
		if err != nil {
			return
		}
		if n := len(table.Rows); n == 0 || n > ordering.MaxRows {
			t.Fatalf("%d rows", n)
		}
		size := 0
		for _, row := range table.Rows {
			if len(row) != len(names) {
				t.Fatalf("a row has %d values", len(row))
			}
			for _, value := range row {
				size += len(value)
			}
		}
		if size > len(text) {
			t.Fatal(fmt.Sprint(size, " bytes out of ", len(text)))
		}
	})
}
