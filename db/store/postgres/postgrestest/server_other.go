//go:build unix && !linux

package postgrestest

import "syscall"

// attributes run a program as the user.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as}
}
