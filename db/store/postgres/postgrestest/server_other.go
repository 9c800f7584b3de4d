//go:build unix && !linux

package postgrestest

import "syscall"

// attributes returns the attributes of a program that runs as the user.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}
