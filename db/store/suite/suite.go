// Package suite tests every method of the store on every engine.
package suite
