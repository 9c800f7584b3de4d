#!/bin/sh
# Stands in for docker-entrypoint.sh of the image docker.io/library/postgres. As there, an
# empty folder is prepared with a server that already accepts connections, but only on
# its socket. Here that takes longer than any pause between two health checks, so that one
# of them meets this server.
set -eu
unknown=$(env | sed -n 's/^\(POSTGRES_[A-Z_]*\)=.*/\1/p' | grep -vE '^POSTGRES_(USER|PASSWORD|DB)$' || true)
[ -z "$unknown" ] || { echo "postgres.sh knows nothing of $unknown" >&2; exit 1; }
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$PGDATA"
    chmod 700 "$PGDATA"
    chown -R postgres:postgres "$PGDATA" /var/run/postgresql
    exec setpriv --reuid=999 --regid=999 --clear-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
    user=${POSTGRES_USER:-postgres}
    printf '%s\n' "${POSTGRES_PASSWORD:?}" >/tmp/password
    initdb --username="$user" --pwfile=/tmp/password --no-sync
    rm /tmp/password
    echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
    echo "listen_addresses = '*'" >>"$PGDATA/postgresql.conf" # as in the image's sample
    pg_ctl -o "-c listen_addresses=''" -w start
    [ "${POSTGRES_DB:-$user}" = postgres ] || createdb --username="$user" "${POSTGRES_DB:-$user}"
    sleep 6
    pg_ctl -m fast -w stop
fi
exec "$@"
