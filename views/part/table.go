package part

// A Column is a column of a table.
type Column struct {
	Name     string
	IsNumber bool
	IsHidden bool // only screen readers read the name
}

// Columns returns columns with texts.
func Columns(names ...string) []Column {
	columns := make([]Column, len(names))
	for i, name := range names {
		columns[i].Name = name
	}
	return columns
}

// NumberColumns returns columns with numbers.
func NumberColumns(names ...string) []Column {
	columns := Columns(names...)
	for i := range columns {
		columns[i].IsNumber = true
	}
	return columns
}

// ButtonColumn returns a column with buttons, of which only screen readers read the name.
func ButtonColumn(name string) []Column {
	return []Column{{Name: name, IsNumber: true, IsHidden: true}}
}
