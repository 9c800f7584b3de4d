// Package team draws the pages on which admins look after the team: its members
// and settings.
package team
