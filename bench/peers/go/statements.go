package main

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const statementsName = "pgmq-like"

// How long a page is hidden from the other consumers: far longer than it takes to run it.
const visibilitySeconds = 600

// A statementsPeer is a queue as pgmq keeps one, by SQL of our own: one statement hides a page of messages for a while
// and reads it, another one deletes it when its jobs have run. The extension itself is not used.
type statementsPeer struct {
	server    *postgresql
	options   options
	isStopped atomic.Bool
	consumers sync.WaitGroup
	problem   atomic.Pointer[error]
}

const (
	createQueue = `CREATE TABLE messages (
		msg_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, read_ct integer NOT NULL DEFAULT 0,
		enqueued_at timestamptz NOT NULL DEFAULT now(), vt timestamptz NOT NULL, message jsonb);
		CREATE INDEX messages_vt ON messages (vt)`
	readPage = `WITH page AS (
			SELECT msg_id FROM messages WHERE vt <= clock_timestamp() ORDER BY msg_id LIMIT $1 FOR UPDATE SKIP LOCKED)
		UPDATE messages SET vt = clock_timestamp() + make_interval(secs => $2), read_ct = read_ct + 1
		FROM page WHERE messages.msg_id = page.msg_id
		RETURNING messages.msg_id, (message->>'number')::integer`
	deletePage = "DELETE FROM messages WHERE msg_id = ANY ($1)"
)

func openStatements(ctx context.Context, options options) (peer, error) {
	server, err := openPostgresql(ctx, options)
	if err != nil {
		return nil, err
	}
	return &statementsPeer{server: server, options: options}, server.execute(ctx, createQueue)
}

func (peer *statementsPeer) program() string {
	return "SQL like pgmq's, pgx " + versionOf("github.com/jackc/pgx/v5")
}

func (peer *statementsPeer) settings() map[string]string {
	return map[string]string{
		"page":        strconv.Itoa(peer.options.page),
		"visibility":  strconv.Itoa(visibilitySeconds) + "s",
		"maxPoolSize": strconv.Itoa(postgresqlConnections),
	}
}

func (peer *statementsPeer) database() database { return peer.server }

func (peer *statementsPeer) enqueue(ctx context.Context, jobs int) error {
	for first := 0; first < jobs; first += enqueueBatch {
		_, err := peer.server.pool.Exec(ctx, `INSERT INTO messages (vt, message)
			SELECT clock_timestamp(), jsonb_build_object('number', number) FROM generate_series($1::int, $2::int) AS number`,
			first, min(first+enqueueBatch, jobs)-1)
		if err != nil {
			return err
		}
	}
	return nil
}

func (peer *statementsPeer) start(ctx context.Context, runs *ledger) error {
	peer.isStopped.Store(false)
	for range peer.options.workers {
		peer.consumers.Go(func() {
			if err := peer.consume(ctx, runs); err != nil {
				peer.problem.CompareAndSwap(nil, &err)
			}
		})
	}
	return nil
}

func (peer *statementsPeer) consume(ctx context.Context, runs *ledger) error {
	for !peer.isStopped.Load() {
		messages, err := peer.read(ctx, runs)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			time.Sleep(watchInterval)
		} else if _, err := peer.server.pool.Exec(ctx, deletePage, messages); err != nil {
			return err
		}
	}
	return nil
}

// read runs the jobs of a page, and returns the ids of its messages.
func (peer *statementsPeer) read(ctx context.Context, runs *ledger) ([]int64, error) {
	rows, err := peer.server.pool.Query(ctx, readPage, peer.options.page, visibilitySeconds)
	if err != nil {
		return nil, err
	}
	messages := make([]int64, 0, peer.options.page)
	var message int64
	var number int
	_, err = pgx.ForEachRow(rows, []any{&message, &number}, func() error {
		runs.succeeded(number)
		messages = append(messages, message)
		return nil
	})
	return messages, err
}

func (peer *statementsPeer) stop(context.Context) error {
	peer.isStopped.Store(true)
	peer.consumers.Wait()
	if problem := peer.problem.Load(); problem != nil {
		return *problem
	}
	return nil
}

func (peer *statementsPeer) unfinished() string { return "SELECT EXISTS (SELECT 1 FROM messages)" }

func (peer *statementsPeer) refresh() string { return "VACUUM (ANALYZE) messages" }

func (peer *statementsPeer) clear() string { return "TRUNCATE messages" }

func (peer *statementsPeer) close() { peer.server.pool.Close() }
