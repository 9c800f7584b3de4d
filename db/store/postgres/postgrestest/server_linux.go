package postgrestest

import "syscall"

// attributes returns the attributes of a program that runs as the user and ends
// with this process.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
}
