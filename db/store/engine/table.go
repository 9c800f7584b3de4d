package engine

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Mark says something about a column. The package of the tables defines the marks, each
// of them a bit.
type Mark uint

// A Column is one of a noun's table.
type Column struct {
	Name string
	Is   Mark

	field bool // a field has its value
	expr  bool // the name is an expression, of which no row has the value
}

// Columns collects the columns of a noun's table, which are added in the same order for
// each value of the noun.
type Columns struct {
	alias string
	list  []Column // collected if seen is not nil
	seen  map[uintptr]string

	part Mark  // the fields are those of columns that have one of these marks; 0 for all
	into []any // collected otherwise
}

// Add adds the column that has the value of the field, which is a pointer that database/sql
// can scan into, and whose value it can store. The field is nil if only statements know the
// column. Like the other methods, it returns c, so that short columns share a line.
func (c *Columns) Add(name string, field any, marks ...Mark) *Columns {
	var is Mark
	for _, m := range marks {
		is |= m
	}
	switch {
	case c.seen != nil:
		c.describe(Column{Name: name, Is: is, field: field != nil}, field)
	case field != nil && (c.part == 0 || c.part&is != 0):
		c.into = append(c.into, field)
	}
	return c
}

// Time is Add for a time: see Instant.
func (c *Columns) Time(name string, field *time.Time, marks ...Mark) *Columns {
	return c.Add(name, (*Instant)(field), marks...)
}

// Name is Add for a name or a title: see Named.
func (c *Columns) Name(name string, field *string, marks ...Mark) *Columns {
	return c.Add(name, (*Named)(field), marks...)
}

// Ref is Add for the ID of another row: see Ref.
func (c *Columns) Ref(name string, field *int64, marks ...Mark) *Columns {
	return c.Add(name, (*Ref)(field), marks...)
}

// Computed adds an expression that fills the field when the noun is read.
func (c *Columns) Computed(expression string, field any) *Columns {
	switch {
	case c.seen != nil:
		c.describe(Column{Name: expression, field: true, expr: true}, field)
	case c.part == 0:
		c.into = append(c.into, field)
	}
	return c
}

// describe collects the column. It panics if the table has its name or its field already.
func (c *Columns) describe(column Column, field any) {
	for _, other := range c.list {
		if other.Name == column.Name {
			panic(fmt.Sprintf("the table %s has the column %s twice", c.alias, column.Name))
		}
	}
	if field != nil {
		at := valueOf(field).Addr().Pointer()
		if other, has := c.seen[at]; has {
			panic(fmt.Sprintf("the columns %s and %s of the table %s fill the same field", other, column.Name, c.alias))
		}
		c.seen[at] = column.Name
	}
	c.list = append(c.list, column)
}

// valueOf returns what the field points to.
func valueOf(field any) reflect.Value {
	if d, is := field.(interface{ pointer() any }); is {
		field = d.pointer()
	}
	return reflect.ValueOf(field).Elem()
}

// A Table lists the columns of a noun, each once, beside the field that it fills. It makes
// parts of statements, never a whole one. What is made of them is the same text each time,
// by which a prepared statement is found.
type Table[T any] struct {
	// Columns is the list between SELECT and FROM of a query whose rows Scan reads: the
	// columns that fill a field, each with the table's alias, and the computed expressions.
	Columns string
	List    []Column // the columns, without expressions

	alias  string
	fields int
	add    func(*T, *Columns)
}

// NewTable returns the table with the columns that add adds. In queries the table has the
// alias. It panics if a column or a field stands in it twice.
func NewTable[T any](alias string, add func(*T, *Columns)) *Table[T] {
	c := Columns{alias: alias, seen: map[uintptr]string{}}
	add(new(T), &c)
	t := &Table[T]{alias: alias, add: add}
	var selected []string
	for _, column := range c.list {
		if !column.expr {
			t.List = append(t.List, column)
		}
		switch {
		case column.expr:
			selected = append(selected, column.Name)
		case column.field:
			selected = append(selected, alias+"."+column.Name)
		}
	}
	t.Columns, t.fields = strings.Join(selected, ", "), len(selected)
	return t
}

// Fields returns the destinations of a row of Columns.
func (t *Table[T]) Fields(v *T) []any {
	c := Columns{into: make([]any, 0, t.fields)}
	t.add(v, &c)
	return c.into
}

// Scan returns a function that scans a row of Columns, followed by further expressions into
// what more returns. It is for one query, because all of its rows pass through the same value.
// Like All, it is compiled once for a type.
//
//go:noinline
func (t *Table[T]) Scan(more ...func(*T) []any) func(*sql.Rows) (T, error) {
	v := new(T)
	into := t.Fields(v)
	for _, further := range more {
		into = append(into, further(v)...)
	}
	return func(rows *sql.Rows) (T, error) {
		var empty T
		*v = empty
		err := rows.Scan(into...)
		return *v, err
	}
}

// A Part is some of the columns of a table, for a statement that writes them.
type Part[T any] struct {
	Names string // separated by commas

	names []string
	mark  Mark
	of    *Table[T]
}

// Part returns the columns that have the mark. It panics if one of them has no field.
func (t *Table[T]) Part(mark Mark) Part[T] {
	p := Part[T]{mark: mark, of: t}
	for _, column := range t.List {
		if column.Is&mark == 0 {
			continue
		}
		if !column.field {
			panic(fmt.Sprintf("the column %s of the table %s is to be written and has no field", column.Name, t.alias))
		}
		p.names = append(p.names, column.Name)
	}
	p.Names = strings.Join(p.names, ", ")
	return p
}

// Places returns the placeholders of the columns, which have the numbers from first on:
// $1, $2.
func (p Part[T]) Places(first int) string {
	places := make([]string, len(p.names))
	for i := range p.names {
		places[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(places, ", ")
}

// Sets returns what UPDATE sets the columns to, with placeholders like those of Places:
// name = $1, note = $2.
func (p Part[T]) Sets(first int) string {
	sets := make([]string, len(p.names))
	for i, name := range p.names {
		sets[i] = name + " = $" + strconv.Itoa(first+i)
	}
	return strings.Join(sets, ", ")
}

// Excluded returns what an INSERT sets the columns to if the row exists: name = excluded.name.
func (p Part[T]) Excluded() string {
	sets := make([]string, len(p.names))
	for i, name := range p.names {
		sets[i] = name + " = excluded." + name
	}
	return strings.Join(sets, ", ")
}

// Values returns the arguments of a statement: those before the placeholders of the part,
// and those for these.
func (p Part[T]) Values(v *T, before ...any) []any {
	c := Columns{part: p.mark, into: append(make([]any, 0, len(before)+len(p.names)), before...)}
	p.of.add(v, &c)
	return c.into
}

// Copy gives the fields of the part the values that they have in from.
func (p Part[T]) Copy(to, from *T) {
	values := p.Values(from)
	for i, field := range p.Values(to) {
		valueOf(field).Set(valueOf(values[i]))
	}
}
