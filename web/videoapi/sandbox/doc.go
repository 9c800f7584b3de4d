// Package sandbox is the video service of API.md, whole and embedded.
package sandbox
