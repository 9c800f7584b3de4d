// Command pack does the steps of .release/build for which the usual tools would give
// different results on different machines. It writes bills of materials and archives that
// depend only on the packed files and the given time.
//
//	pack version PROGRAM
//	pack materials -time SECONDS -licences FILE -bom FILE PROGRAM
//	pack archive -time SECONDS -o FILE FOLDER
//	pack unzip -o FOLDER FILE
package main

import (
	"archive/zip"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		return errors.New("it takes version, materials, archive or unzip, and what it is about")
	}
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	seconds := f.Int64("time", 0, "unix `time` of everything that is packed")
	bom := f.String("bom", "", "`file` for the bill of materials")
	licences := f.String("licences", "", "`file` for the texts of the licences")
	out := f.String("o", "", "`file` for the archive, .tar.gz or .zip, or folder for what is in one")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	at := time.Unix(*seconds, 0).UTC()
	switch args[0] {
	case "version":
		info, err := buildinfo.ReadFile(f.Arg(0))
		if err == nil {
			fmt.Println(info.Main.Version)
		}
		return err
	case "materials":
		info, parts, err := partsOf(f.Arg(0))
		if err != nil {
			return err
		}
		return errors.Join(writeBill(*bom, f.Arg(0), info, parts, at), writeLicences(*licences, parts))
	case "archive":
		return archive(f.Arg(0), at, *out)
	case "unzip":
		z, err := zip.OpenReader(f.Arg(0))
		if err != nil {
			return err
		}
		return errors.Join(os.CopyFS(*out, z), z.Close())
	}
	return fmt.Errorf("it cannot do %q", args[0])
}
