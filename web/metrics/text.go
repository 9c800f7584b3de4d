package metrics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The types of metrics.
const (
	counter   = "counter"
	gauge     = "gauge"
	histogram = "histogram"
	summary   = "summary"
)

// A family holds what all series of a metric have in common.
type family struct {
	kind, name, help string
	labels           []string
}

// labelValue escapes the values of labels.
var labelValue = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// series returns the name of the series whose labels have these values.
func (f family) series(values ...string) string {
	if len(values) == 0 {
		return f.name
	}
	var b strings.Builder
	b.WriteString(f.name)
	for i, value := range values {
		b.WriteByte("{,"[min(i, 1)])
		b.WriteString(f.labels[i])
		b.WriteString(`="`)
		_, _ = labelValue.WriteString(&b, value)
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// A scrape is a response to Prometheus, in its text format. It has a block of lines for
// each family.
type scrape struct{ blocks map[string]*strings.Builder }

// write adds the lines of series of the family.
func (s *scrape) write(of family, lines string) {
	if lines == "" {
		return
	}
	block := s.blocks[of.name]
	if block == nil {
		block = &strings.Builder{}
		fmt.Fprintf(block, "# HELP %s %s\n# TYPE %s %s\n", of.name, of.help, of.name, of.kind)
		if s.blocks == nil {
			s.blocks = map[string]*strings.Builder{}
		}
		s.blocks[of.name] = block
	}
	block.WriteString(lines)
}

// add adds a series of the family.
func (s *scrape) add(of family, value float64, labels ...string) {
	s.write(of, line(of.series(labels...), value))
}

// line returns the line of a series.
func line(series string, value float64) string {
	return series + " " + strconv.FormatFloat(value, 'g', -1, 64) + "\n"
}

// WriteTo writes the families, ordered by name.
func (s *scrape) WriteTo(w io.Writer) (written int64, err error) {
	for _, name := range slices.Sorted(maps.Keys(s.blocks)) {
		n, err := io.WriteString(w, s.blocks[name].String())
		written += int64(n)
		if err != nil {
			return written, err
		}
	}
	return written, nil
}
