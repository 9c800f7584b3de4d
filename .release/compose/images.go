package main

import (
	"debug/buildinfo"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Images cannot be pulled everywhere, so those of others are built here from what is
// known of them: the instructions below, which repeat the parts of the images' own files
// that matter to a compose file, and programs of Debian and of the module proxy. An image
// contains nothing else, so that a compose file cannot rely on more than is known.
//
//	image      its own instructions
//	caddy      https://github.com/caddyserver/caddy-docker/blob/0379cde2647584e89fa3a7e9a587b3d25845f49c/2.11/alpine/Dockerfile
//	postgres   https://github.com/docker-library/postgres/blob/6edb0a8c4d/17/trixie/Dockerfile and docker-entrypoint.sh beside it
//	versitygw  Dockerfile and docker-entrypoint.sh in its Go module, read from there; .github/workflows/docker.yml names the image and its tags
//	dailies    Containerfile
//
// The programs of Debian may be of another version than the images'.
const (
	caddyImage    = "docker.io/library/caddy:2"
	postgresImage = "docker.io/library/postgres:17"
	gatewayModule = "github.com/versity/versitygw"
	gatewayImage  = "ghcr.io/versity/versitygw:" // followed by the version
	ownImage      = "dailies"

	caddyInstructions = `
FROM alpine:3.24
RUN mkdir -p /config/caddy /data/caddy /etc/caddy /usr/share/caddy
RUN chmod 1777 /config/caddy /data/caddy
COPY caddy /usr/bin/caddy
ENV XDG_CONFIG_HOME=/config
ENV XDG_DATA_HOME=/data
EXPOSE 80
EXPOSE 443
WORKDIR /srv
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]`

	// FROM brings the server and its user here.
	postgresInstructions = `
FROM debian:trixie-slim
COPY postgres.sh /usr/local/bin/docker-entrypoint.sh
RUN mkdir -p /var/run/postgresql /var/lib/postgresql/data
RUN chown postgres:postgres /var/run/postgresql /var/lib/postgresql/data
RUN chmod 3777 /var/run/postgresql
RUN chmod 1777 /var/lib/postgresql/data
ENV PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
ENTRYPOINT ["docker-entrypoint.sh"]
STOPSIGNAL SIGINT
EXPOSE 5432
CMD ["postgres"]`
)

// postgresEntrypoint stands in for the image's docker-entrypoint.sh.
//
//go:embed postgres.sh
var postgresEntrypoint string

// buildImages puts the files of each image that the file names into a folder of its own
// below the folder into, and returns the images by name. The release is in the folder.
func buildImages(release, into string, file *File) (map[string]*Image, error) {
	images := map[string]*Image{}
	for service, s := range file.Services {
		if images[s.Image] != nil {
			continue
		}
		image, err := buildImage(release, filepath.Join(into, fmt.Sprint(len(images))), s.Image)
		if err != nil {
			return nil, fmt.Errorf("the image %s of %s: %w", s.Image, service, err)
		}
		images[s.Image] = image
	}
	return images, nil
}

func buildImage(release, root, name string) (*Image, error) {
	b := &builder{Image: Image{Root: root}, from: map[string]string{}}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	var instructions string
	var err error
	switch {
	case name == ownImage:
		b.base = map[string]func() error{"scratch": func() error { return nil }}
		b.context = release
		instructions, err = read(release, "Containerfile")
	case name == caddyImage:
		b.base = map[string]func() error{"alpine:3.24": b.alpine}
		b.from["caddy"], err = exec.LookPath("caddy")
		instructions = caddyInstructions
	case name == postgresImage:
		b.base = map[string]func() error{"debian:trixie-slim": b.debianWithPostgres}
		b.from["postgres.sh"] = filepath.Join(root, "postgres.sh")
		err = os.WriteFile(b.from["postgres.sh"], []byte(postgresEntrypoint), 0o755)
		instructions = postgresInstructions
	case strings.HasPrefix(name, gatewayImage):
		b.base = map[string]func() error{"golang:latest": func() error { return nil }, "alpine:latest": b.alpine}
		b.from["/app/cmd/versitygw/versitygw"], b.context, err = gateway(strings.TrimPrefix(name, gatewayImage))
		if err == nil {
			instructions, err = read(b.context, "Dockerfile")
		}
		// What is built before the last FROM is the program, which has been built already.
		if last := strings.LastIndex(instructions, "\nFROM "); last > 0 {
			instructions = instructions[last:]
		}
	default:
		err = errors.New("nothing is known of it")
	}
	if err == nil {
		err = b.build(instructions)
	}
	return &b.Image, err
}

func read(folder, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(folder, name))
	return string(text), err
}

// gateway returns the program versitygw, which must have the version, and the folder of
// its module.
func gateway(version string) (program, module string, err error) {
	program = os.Getenv("DAILIES_VERSITYGW")
	if program == "" {
		if program, err = exec.LookPath("versitygw"); err != nil {
			return "", "", err
		}
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return "", "", err
	}
	if info.Main.Path != gatewayModule || info.Main.Version != version {
		return "", "", fmt.Errorf("%s is %s %s", program, info.Main.Path, info.Main.Version)
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	return program, filepath.Join(strings.TrimSpace(string(cache)), gatewayModule+"@"+version), err
}

// alpine makes the parts of an Alpine system that are needed: busybox with its commands.
func (b *builder) alpine() error {
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		return err
	}
	if err := b.skeleton("root:x:0:0:root:/root:/bin/sh\n", "root:x:0:\n"); err != nil {
		return err
	}
	if err := b.program(busybox, "/bin/busybox"); err != nil {
		return err
	}
	return b.inside("/bin/busybox", "--install", "-s", "/bin")
}

// debianWithPostgres makes the parts of a Debian system that are needed: busybox in
// place of a shell and of other commands, and Postgres.
func (b *builder) debianWithPostgres() error {
	if err := b.alpine(); err != nil {
		return err
	}
	if err := b.skeleton("root:x:0:0:root:/root:/bin/bash\npostgres:x:999:999::/var/lib/postgresql:/bin/bash\n", "root:x:0:\npostgres:x:999:\n"); err != nil {
		return err
	}
	servers, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(servers) == 0 {
		return errors.Join(err, errors.New("the package postgresql is missing"))
	}
	bin := servers[len(servers)-1]
	folder := filepath.Dir(bin)
	share := filepath.Join("/usr/share/postgresql", filepath.Base(folder))
	for _, tree := range []string{folder, share, "/usr/share/zoneinfo"} {
		if err := copyTree(tree, filepath.Join(b.Root, tree)); err != nil {
			return err
		}
	}
	b.set("PATH", defaultPath+":"+bin)
	programs, err := filepath.Glob(bin + "/*")
	if err != nil {
		return err
	}
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		return err
	}
	for _, p := range append(programs, setpriv) {
		if err := b.program(p, p); err != nil {
			return err
		}
	}
	return nil
}

// skeleton makes what every system has.
func (b *builder) skeleton(passwd, group string) error {
	for _, folder := range []string{"bin", "etc", "root", "tmp", "usr/bin", "usr/local/bin", "var"} {
		if err := os.MkdirAll(filepath.Join(b.Root, folder), 0o755); err != nil {
			return err
		}
	}
	return errors.Join(
		os.Chmod(filepath.Join(b.Root, "tmp"), os.ModeSticky|0o777),
		os.WriteFile(filepath.Join(b.Root, "etc/passwd"), []byte(passwd), 0o644),
		os.WriteFile(filepath.Join(b.Root, "etc/group"), []byte(group), 0o644))
}

// program copies a program of this machine and the libraries that it needs into the
// image.
func (b *builder) program(from, to string) error {
	if err := b.copy(from, to); err != nil {
		return err
	}
	libraries, err := exec.Command("ldd", from).Output()
	if err != nil {
		return nil // scripts and static programs need none
	}
	for field := range strings.FieldsSeq(string(libraries)) {
		if strings.HasPrefix(field, "/") && !slices.Contains(b.copied, field) {
			b.copied = append(b.copied, field)
			if err := b.copy(field, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// copy copies a file with its permissions, or the file that a link leads to.
func (b *builder) copy(from, to string) error {
	to = filepath.Join(b.Root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if out, err := exec.Command("cp", "--dereference", "--preserve=mode", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// inside runs a command in the image as root.
func (b *builder) inside(args ...string) error {
	c := exec.Command("chroot", append([]string{b.Root}, args...)...)
	c.Env = append([]string{"PATH=" + defaultPath}, b.Env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w: %s", args, err, out)
	}
	return nil
}
