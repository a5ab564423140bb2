package main

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
)

const postgresqlConnections = 20

// A postgresql is a pool of connections to a PostgreSQL server.
type postgresql struct{ pool *pgxpool.Pool }

func openPostgresql(ctx context.Context, options options) (*postgresql, error) {
	config, err := pgxpool.ParseConfig(options.db)
	if err != nil {
		return nil, err
	}
	config.MaxConns = postgresqlConnections
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return &postgresql{pool}, err
}

func openRiverOnPostgresql(ctx context.Context, options options) (peer, error) {
	server, err := openPostgresql(ctx, options)
	if err != nil {
		return nil, err
	}
	peer := &riverPeer[pgx.Tx]{
		driver:      riverpgxv5.New(server.pool),
		watched:     server,
		options:     options,
		refreshSQL:  "VACUUM (ANALYZE) river_job",
		clearSQL:    "TRUNCATE river_job",
		connections: strconv.Itoa(postgresqlConnections),
		version:     "River " + versionOf("github.com/riverqueue/river"),
		closeAll:    server.pool.Close,
	}
	return peer, peer.prepare(ctx)
}

func (server *postgresql) execute(ctx context.Context, sql string) error {
	_, err := server.pool.Exec(ctx, sql)
	return err
}

func (server *postgresql) isTrue(ctx context.Context, sql string) (truth bool, err error) {
	err = server.pool.QueryRow(ctx, sql).Scan(&truth)
	return truth, err
}

func (server *postgresql) describe(ctx context.Context) (name, durability string, err error) {
	err = server.pool.QueryRow(ctx, `SELECT 'PostgreSQL ' || current_setting('server_version'),
		'fsync=' || current_setting('fsync') || ', synchronous_commit=' || current_setting('synchronous_commit')`,
	).Scan(&name, &durability)
	return name, durability, err
}
