// Package team holds the pages on which admins manage the team: its members and
// settings.
package team
