package engine

import "fmt"

// Versions says that a database has the tables of another version of the program. A
// version is a number of migrations.
type Versions struct {
	Has    int // the version of the tables
	Knows  int // the version of this program
	Serves int // the oldest version of the program that can use the tables
}

// Error implements error.
func (v Versions) Error() string {
	return fmt.Sprintf("its version is %d, this program's %d", v.Has, v.Knows)
}
