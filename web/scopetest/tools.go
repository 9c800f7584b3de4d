//go:build tools

package scopetest

// go mod tidy does not look into folders that begin with a dot. What the programs in
// .release import beyond this module's packages is named here, so that it stays in go.mod.
import _ "go.yaml.in/yaml/v3"
