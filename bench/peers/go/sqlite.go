package main

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"

	_ "github.com/mattn/go-sqlite3" // The driver that wraps SQLite's own C, which is faster than its translation to Go.
	"github.com/riverqueue/river/riverdriver/riversqlite"
)

const sqliteScheme = "sqlite:"

// A sqlite is a file, as durable as Jobstrand's: each commit is on the disk before it returns.
type sqlite struct{ watch *sql.DB }

func openSqlite(path string, connections int) (*sql.DB, error) {
	settings := "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=10000&_txlock=immediate"
	pool, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath()+settings)
	if err == nil {
		pool.SetMaxOpenConns(connections)
		pool.SetMaxIdleConns(connections)
	}
	return pool, err
}

// River gets one connection, as its driver's documentation advises; the measurement looks through another one.
func openRiverOnSqlite(ctx context.Context, options options) (peer, error) {
	path := strings.TrimPrefix(options.db, sqliteScheme)
	pool, err := openSqlite(path, 1)
	if err != nil {
		return nil, err
	}
	watch, err := openSqlite(path, 1)
	if err != nil {
		return nil, err
	}
	peer := &riverPeer[*sql.Tx]{
		driver:      riversqlite.New(pool),
		watched:     &sqlite{watch},
		options:     options,
		refreshSQL:  "ANALYZE",
		clearSQL:    "DELETE FROM river_job",
		connections: "1",
		version: "River " + versionOf("github.com/riverqueue/river") + ", go-sqlite3 " +
			versionOf("github.com/mattn/go-sqlite3"),
		closeAll: func() { _ = errors.Join(pool.Close(), watch.Close()) },
	}
	return peer, peer.prepare(ctx)
}

func (file *sqlite) execute(ctx context.Context, sql string) error {
	_, err := file.watch.ExecContext(ctx, sql)
	return err
}

func (file *sqlite) isTrue(ctx context.Context, sql string) (truth bool, err error) {
	err = file.watch.QueryRowContext(ctx, sql).Scan(&truth)
	return truth, err
}

func (file *sqlite) describe(ctx context.Context) (name, durability string, err error) {
	var journal, synchronous string
	for query, to := range map[string]*string{
		"SELECT 'SQLite ' || sqlite_version()": &name, "PRAGMA journal_mode": &journal, "PRAGMA synchronous": &synchronous,
	} {
		err = errors.Join(err, file.watch.QueryRowContext(ctx, query).Scan(to))
	}
	return name, "journal_mode=" + journal + ", synchronous=" + synchronous, err
}
