package postgrestest

import "syscall"

// attributes run a program as the user, and end it with this process.
func attributes(as *syscall.Credential) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Pdeathsig: syscall.SIGQUIT}
}
