package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"time"
)

// A bill is a bill of materials in the JSON format of CycloneDX 1.6.
type bill struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Serial     string      `json:"serialNumber"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licensed `json:"licenses"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licensed struct {
	Licence struct {
		ID   string `json:"id,omitempty"`
		Name string `json:"name,omitempty"`
	} `json:"license"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// writeBill writes the program's bill of materials. The serial number is derived from the
// program's content, so that equal programs have equal bills.
func writeBill(name, program string, info *debug.BuildInfo, parts []part, at time.Time) error {
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	b := bill{Format: "CycloneDX", Spec: "1.6", Serial: serial(sum), Version: 1, Metadata: metadata{
		Timestamp: at.Format(time.RFC3339),
		Component: component{
			Type: "application", Ref: "dailies", Name: "dailies", Version: info.Main.Version, Licences: licensedAs("MIT"),
			Hashes: []hash{{"SHA-256", hex.EncodeToString(sum[:])}}, PURL: "pkg:generic/dailies@" + info.Main.Version,
		},
	}}
	for _, s := range info.Settings {
		if slices.Contains([]string{"GOOS", "GOARCH", "CGO_ENABLED", "vcs.revision", "vcs.time", "vcs.modified"}, s.Key) {
			b.Metadata.Component.Properties = append(b.Metadata.Component.Properties, property{"go:" + s.Key, s.Value})
		}
	}
	for _, p := range parts {
		var ids []string
		for _, l := range p.licences {
			if l.id != "" && !slices.Contains(ids, l.id) {
				ids = append(ids, l.id)
			}
		}
		b.Components = append(b.Components, component{
			Type: "library", Ref: p.purl, Name: p.name, Version: p.version, Licences: licensedAs(ids...), PURL: p.purl,
		})
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o644)
}

// licensedAs converts IDs from the SPDX list, and publicDomain, into the format of
// CycloneDX.
func licensedAs(ids ...string) []licensed {
	all := make([]licensed, len(ids))
	for i, id := range ids {
		if id == publicDomain {
			all[i].Licence.Name = id
		} else {
			all[i].Licence.ID = id
		}
	}
	return all
}

// serial returns a version 8 UUID made from the checksum.
func serial(sum [sha256.Size]byte) string {
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
