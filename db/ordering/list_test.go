package ordering_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"dailies/db/option"
	"dailies/db/ordering"
)

// said writes a list for comparison: rows are separated by /, and a row is its prompt with
// length, shape and resolution, and its faults after an exclamation mark.
func said(l ordering.List) string {
	var rows []string
	for _, r := range l.Rows {
		row := strings.ReplaceAll(r.Prompt, "\n", "⏎")
		for _, name := range []string{"duration", "aspect_ratio", "resolution"} {
			if v := r.Options[name]; v != "" {
				row += " [" + v + "]"
			}
		}
		for _, f := range r.Faults {
			row += fmt.Sprintf(" !%d %s", f.Kind, f.Cell)
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, " / ")
}

// What spreadsheets put on the clipboard. Google Sheets ends rows with a line feed, Excel
// with carriage return and line feed, also after the last; both quote a cell only if it has a
// line break, a tab or, with one of these, a quotation mark.
const (
	googleSheet = "Shot\tPrompt\tLength\tAspect ratio\tNotes\n" +
		"1\t\"A cat walks in.\nIt sits down.\"\t5\t16:9\tfor Mia\n" +
		"2\t\"She says \"\"stop\"\".\nRain, wind; cold.\"\t10\t9:16\t\n" +
		"3\tA 5\" screen on a desk, night\t\t1:1\t"
	excelSheet = "1\t\"A cat walks in.\nIt sits down.\"\t16:09\t5 s\t720p\r\n" +
		"2\t\"A \"\"red\"\" cup\nspins\"\t09:16\t10 s\t1080p\r\n" +
		"3\tA boat, slowly\t1:01\t5 s\t720p\r\n"
)

func TestASheetOfGoogleAndOneOfExcel(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"Google": {googleSheet, `A cat walks in.⏎It sits down. [5] [16:9] / She says "stop".⏎Rain, wind; cold. [10] [9:16] / A 5" screen on a desk, night [1:1]`},
		"Excel":  {excelSheet, `A cat walks in.⏎It sits down. [5] [16:9] [720p] / A "red" cup⏎spins [10] [9:16] [1080p] / A boat, slowly [5] [1:1] [720p]`},
	} {
		l, err := ordering.ReadList(tt.text)
		if got := said(l); err != nil || got != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got, tt.want)
		}
		if ignored := strings.Join(l.Ignored, ","); name == "Google" && ignored != "Notes" {
			t.Errorf("ignored %q", ignored)
		}
	}
}

func TestCellsAndProseAreToldApart(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"cells with line breaks":       {"\"A cat walks in.\nIt sits down.\"\t16:9\n\"A dog runs.\nIt barks.\"\t9:16", "A cat walks in.⏎It sits down. [16:9] / A dog runs.⏎It barks. [9:16]"},
		"one column with line breaks":  {"\"A cat walks in.\nIt sits down.\"\r\n\"A dog runs.\nIt barks.\"\r\nA fern", "A cat walks in.⏎It sits down. / A dog runs.⏎It barks. / A fern"},
		"one column, all quoted":       {"\"A cat, black\"\n\"A dog, brown\"", "A cat, black / A dog, brown"},
		"one column with its name":     {"Prompt\nA cat\nA dog", "A cat / A dog"},
		"doubled quotes":               {"\"A \"\"red\"\" cup\"\n\"A \"\"blue\"\" cup\"", `A "red" cup / A "blue" cup`},
		"lines":                        {"A cat walks, slowly\nA dog runs, fast", "A cat walks, slowly / A dog runs, fast"},
		"lines with semicolons":        {"A cat; it walks\nA dog; it runs\n\n", "A cat; it walks / A dog; it runs"},
		"a line that is quoted":        {"\"Stop!\"\nA dog runs", `"Stop!" / A dog runs`},
		"speech":                       {"\"Stop,\" she says, waving\n\"Go,\" he says, waving", `"Stop," she says, waving / "Go," he says, waving`},
		"values within prose":          {"A cat in 16:9, 10 s long\nA dog in 9:16, fast", "A cat in 16:9, 10 s long / A dog in 9:16, fast"},
		"a value in one line only":     {"A boat, 10 s\nA tram, at night", "A boat, 10 s / A tram, at night"},
		"a word of a heading in prose": {"Length, width and height of a box are measured\nA dog, brown", "Length, width and height of a box are measured / A dog, brown"},
		"text and another word":        {"Text, glowing\nA boat, blue", "Text, glowing / A boat, blue"},
		"commas and values":            {"A cat,16:9\nA dog,9:16", "A cat [16:9] / A dog [9:16]"},
		"commas and an empty value":    {"A cat,16:9\nA dog,\nA cow,9:16", "A cat [16:9] / A dog / A cow [9:16]"},
		"commas and quotes":            {"\"A cat, black\",at night\nA dog,by day", "A cat, black, at night / A dog, by day"},
		"spaces after commas":          {"\"A cat, black\", 16:9\n\"A dog, brown\", 9:16", "A cat, black [16:9] / A dog, brown [9:16]"},
		"semicolons and a heading":     {"\uFEFFPrompt;Dauer;Ratio\r\nA cat, black;egal;16:9\r\nA dog;;9:16\r\n", "A cat, black [16:9] / A dog [9:16]"},
		"a heading with other words":   {"prompt,duration_seconds,aspect_ratio,Resolution\nA cat,8,16x9,1080\nA dog,4,9/16,720p", "A cat [8] [16:9] [1080p] / A dog [4] [9:16] [720p]"},
		"units":                        {"A\t10 s\nB\t10s\nC\t10 sec\nD\t8 seconds\nE\t５ｓ\nF\t5 秒", "A [10] / B [10] / C [10] / D [8] / E [5] / F [5]"},
		"full-width shapes":            {"A\t１６：９\nB\t9：16", "A [16:9] / B [9:16]"},
		"numbers of shots":             {"1\tA cat\n2\tA dog\n3\tA cow", "A cat / A dog / A cow"},
		"numbers of shots, last":       {"A cat\t1\nA dog\t2\nA cow\t3", "A cat / A dog / A cow"},
		"numbers of shots in tens":     {"Shot 10\tA cat\nShot 20\tA dog", "A cat / A dog"},
		"numbers that may be lengths":  {"A cat\t5\nA dog\t8", "A cat !4 5 / A dog !4 8"},
		"units in some rows only":      {"A cat\t5 s\nA dog\t8", "A cat !4 5 s / A dog !4 8"},
		"named numbers":                {"Prompt\tLength\nA cat\t5\nA dog\t8 s", "A cat [5] / A dog [8]"},
		"a value that is none":         {"Prompt\tLength\tShape\tResolution\nA cat\tlong\t16:9\t720p\nA dog\t5\ttall\tsharp\nA cow", "A cat [16:9] [720p] !1 long / A dog [5] !2 tall !3 sharp / A cow"},
		"a shape among other words":    {"A cat\t16:9\nA dog\ttall", "A cat [16:9] / A dog !2 tall"},
		"an option that no table sets": {"Prompt\tModel\nA cat\tVeo\nA dog\t", "A cat !6 Veo / A dog"},
		"another name for the prompt":  {"Idea\tRatio\nA cat\t16:9", "A cat [16:9]"},
		"two that may be the prompt":   {"Who\tWhere\tRatio\nA cat\ta street\t16:9", " [16:9] !7 A cat !7 a street"},
		"two shapes":                   {"A cat\t16:9\t9:16", "A cat [16:9] !5 9:16"},
		"cells of words":               {"A gull\tfollows\nIt goes.\thome", "A gull, follows / It goes. home"},
		"an indented line":             {"A cat\n\tA dog", "A cat / A dog"},
		"an open quote":                {"\"A cat\t16:9\nA dog\t9:16", "\"A cat [16:9] / A dog [9:16]"},
		"line ends of old machines":    {"A cat\t16:9\rA dog\t9:16\r", "A cat [16:9] / A dog [9:16]"},
		"one line":                     {"A cat walks, 16:9 framing", "A cat walks, 16:9 framing"},
		"times":                        {"A clock, 10:30\nA clock, 11:45", "A clock, 10:30 / A clock, 11:45"},
		"a prompt and its description": {"Prompt\tDescription\nA cat\tfor Mia", "A cat"},
		"no prompt":                    {"16:9\t5 s\n9:16\t10 s", "[5] [16:9] /  [10] [9:16]"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := ordering.ReadList(tt.text)
			if got := said(l); err != nil || strings.TrimSpace(got) != strings.TrimSpace(tt.want) {
				t.Errorf("%v\n got %s\nwant %s", err, got, tt.want)
			}
		})
	}
}

// A copier writes cells as a program does that copies or exports them.
type copier struct {
	separator, end string
	always         bool // every cell is quoted
	last           bool // a line end follows the last row
	bom            bool
}

var copiers = map[string]copier{
	"Google Sheets":            {separator: "\t", end: "\n"},
	"Excel":                    {separator: "\t", end: "\r\n", last: true},
	"Excel for Mac":            {separator: "\t", end: "\r", last: true},
	"LibreOffice":              {separator: "\t", end: "\n", last: true},
	"Numbers":                  {separator: "\t", end: "\n"},
	"CSV":                      {separator: ",", end: "\r\n", last: true},
	"CSV with quotes":          {separator: ",", end: "\n", always: true, last: true},
	"CSV of Excel in Germany":  {separator: ";", end: "\r\n", last: true, bom: true},
	"CSV of LibreOffice, text": {separator: ";", end: "\n", always: true, last: true},
}

func (c copier) copies(rows [][]string) string {
	var text strings.Builder
	if c.bom {
		text.WriteString("\uFEFF")
	}
	for i, row := range rows {
		for j, cell := range row {
			if j > 0 {
				text.WriteString(c.separator)
			}
			if c.always || strings.ContainsAny(cell, "\t\n\""+c.separator) {
				cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
			}
			text.WriteString(cell)
		}
		if i < len(rows)-1 || c.last {
			text.WriteString(c.end)
		}
	}
	return text.String()
}

func TestTablesOfEveryProgramComeBackAsTheyWere(t *testing.T) {
	prompts := []string{"A cat walks in.\nIt sits down.", `A "red" cup, old; worn`, "A\ttab", `"`, `""`, "在厨房里，一只猫", "16:9 is written on a wall", "a, b, c"}
	shapes, lengths := []string{"16:9", "9:16", "1:1"}, []string{"5 s", "10 s", "8 sec"}
	for name, c := range copiers {
		for _, headed := range []bool{false, true} {
			var rows [][]string
			if headed {
				rows = [][]string{{"Shape", "Prompt", "Length"}}
			}
			for i, prompt := range prompts {
				rows = append(rows, []string{shapes[i%3], prompt, lengths[i%3]})
			}
			l, err := ordering.ReadList(c.copies(rows))
			if err != nil || len(l.Rows) != len(prompts) {
				t.Errorf("%s, headed %t: %v, %d rows", name, headed, err, len(l.Rows))
				continue
			}
			for i, r := range l.Rows {
				want := option.Text{"aspect_ratio": shapes[i%3], "duration": strings.Fields(lengths[i%3])[0]}
				if r.Prompt != prompts[i] || fmt.Sprint(r.Options) != fmt.Sprint(want) || r.Faults != nil {
					t.Errorf("%s, headed %t: %q became %+v", name, headed, rows[i], r)
				}
			}
			table, err := ordering.ReadTable(c.copies(rows), []string{"prompt"})
			if err != nil || len(table.Rows) != len(prompts) {
				t.Errorf("%s, headed %t: %v, %d rows for a recipe", name, headed, err, len(table.Rows))
				continue
			}
			for i, row := range table.Rows {
				if !slices.Equal(row, prompts[i:i+1]) || table.Options[i]["aspect_ratio"] != shapes[i%3] || table.Options[i]["duration"] == "" {
					t.Errorf("%s, headed %t: for a recipe, %q became %q with %v", name, headed, prompts[i], row, table.Options[i])
				}
			}
		}
	}
}

func TestListsAreBounded(t *testing.T) {
	for text, want := range map[string]error{
		"": ordering.ErrTableEmpty, " \n\t\n": ordering.ErrTableEmpty, "Prompt\tLength\n\t\n": ordering.ErrTableEmpty,
		strings.Repeat("x", ordering.MaxList+1):   ordering.ErrTableSize,
		strings.Repeat("x\n", ordering.MaxRows+1): ordering.ErrTableRows, strings.Repeat("x\n", ordering.MaxRows): nil,
		"Prompt\n" + strings.Repeat("x\n", ordering.MaxRows): nil,
	} {
		if _, err := ordering.ReadList(text); !errors.Is(err, want) {
			t.Errorf("%.20q…: %v, want %v", text, err, want)
		}
	}
}

// FuzzList reads any text as a list of prompts. Nothing is made up: each prompt is made of
// characters of the text, and what is not understood is never an option.
func FuzzList(f *testing.F) {
	for _, seed := range []string{googleSheet, excelSheet, "A cat,16:9\nA dog,9:16", "Prompt;Länge\n\"a;b\";5", "\"a\n\"\"b\"\"\"\n\"c\"", "A\t5 s\nB\t8", "\uFEFF1\t\r\n,\"\r"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := ordering.ReadList(text)
		if err != nil {
			return
		}
		if n := len(l.Rows); n == 0 || n > ordering.MaxRows {
			t.Fatalf("%d rows", n)
		}
		size := 0
		for _, r := range l.Rows {
			size += len(strings.NewReplacer(" ", "", ",", "").Replace(r.Prompt))
			for name, value := range r.Options {
				if value == "" || !slices.Contains([]string{"duration", "aspect_ratio", "resolution"}, name) {
					t.Fatalf("option %q is %q", name, value)
				}
			}
		}
		if size > len(text) {
			t.Fatalf("%d bytes of prompts out of %d", size, len(text))
		}
	})
}
