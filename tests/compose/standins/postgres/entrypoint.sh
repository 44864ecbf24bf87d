# As the real one: user and database are made on the first start, while the server listens on its socket only.
set -e
if [ ! -e "$PGDATA/PG_VERSION" ]; then
    printf %s "$POSTGRES_PASSWORD" > /tmp/password
    initdb --username "$POSTGRES_USER" --pwfile /tmp/password --auth-local trust --auth-host scram-sha-256
    rm /tmp/password
    echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
    pg_ctl start --wait --options "-c listen_addresses=''"
    createdb --username "$POSTGRES_USER" --maintenance-db postgres "$POSTGRES_DB"
    pg_ctl stop --wait --mode fast
fi
exec postgres -c listen_addresses='*'
