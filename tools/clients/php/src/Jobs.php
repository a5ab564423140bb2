<?php

declare(strict_types=1);

namespace Jobstrand;

use Closure;
use DateTimeImmutable;
use DateTimeInterface;
use InvalidArgumentException;
use LogicException;
use PDO;
use PDOException;
use PDOStatement;

/** Adds jobs in the transaction of the app's own connection, by the statements of docs/sql.md. */
final class Jobs
{
    /** Characters of a payload in the row of the job; a longer one has a row of its own. */
    private const MOST_IN_ROW = 4000;

    /** Rows: SQLite takes 32,766 values for a statement, MySQL 16 MB. */
    private const PER_STATEMENT = 500;

    /** For a key that is freed between two statements. */
    private const TRIES = 3;

    private const SUSPENDED = 'ACT_RU_SUSPENDED_JOB';
    private const PLACES = ['ACT_RU_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_EXTERNAL_JOB', self::SUSPENDED];

    /** Who is said to have the lock of a job that nobody runs. */
    private const NOBODY = ['waiting for an exclusive job', 'waiting for a limit'];

    private readonly string $database;
    private readonly string $id;
    private readonly DateTimeImmutable $now;

    private function __construct(private readonly PDO $pdo, private readonly NewJob $job)
    {
        $this->database = $pdo->getAttribute(PDO::ATTR_DRIVER_NAME);
        $this->id = $job->id ?? NewJob::freshId();
        $this->now = new DateTimeImmutable();
    }

    /**
     * Adds a job, which is there exactly if the app commits.
     *
     * @return string its id; that of the job which has the unique key already, if that is kept
     * @throws PDOException the driver's own: above all that the id or the unique key is taken
     * @throws KeyHeld a job that is to be replaced runs already
     * @throws InvalidArgumentException the job cannot be meant so, or needs the service: due dates in words do
     * @throws LogicException the connection is in no transaction
     */
    public static function enqueue(PDO $pdo, NewJob $job): string
    {
        return self::enqueueAll($pdo, [$job])[0];
    }

    /**
     * The same for many, all that have no unique key with as few statements as their columns allow.
     *
     * @param list<NewJob> $jobs
     * @return list<string>
     */
    public static function enqueueAll(PDO $pdo, array $jobs): array
    {
        array_map(self::refuseWhatNeedsTheService(...), $jobs);
        $database = $pdo->getAttribute(PDO::ATTR_DRIVER_NAME);
        if (!in_array($database, ['pgsql', 'mysql', 'sqlite'], true)) {
            throw new InvalidArgumentException("jobs are in PostgreSQL, MySQL, MariaDB or SQLite, not in $database");
        }
        if (!$pdo->inTransaction()) {
            throw new LogicException('the connection is in no transaction: beginTransaction()');
        }
        $insertions = array_map(static fn (NewJob $job) => new self($pdo, $job), $jobs);
        return $insertions === [] ? [] : $insertions[0]->leavingTheSession(static fn () => self::addAll($insertions));
    }

    private static function refuseWhatNeedsTheService(NewJob $job): void
    {
        $wrong = match (true) {
            is_string($job->due) => 'a due date in words needs the service: give a DateTimeInterface',
            $job->repeat !== null && $job->due === null && $job->delay === null => 'a job that repeats needs the due date of its first turn',
            $job->repeat !== null && $job->uniqueKey !== null => 'a job that repeats has no unique key: its id is the key of its series',
            $job->uniqueKey === null && ($job->uniqueFor !== null || $job->onDuplicate !== null) => 'uniqueFor and onDuplicate go with uniqueKey',
            default => null,
        };
        if ($wrong !== null) {
            throw new InvalidArgumentException($wrong);
        }
    }

    /** Leaves the app's session as it was. */
    private function leavingTheSession(Closure $work): array
    {
        if ($this->database !== 'mysql') {
            return $work();
        }
        // Times are given in UTC; the columns would take them for the session's.
        $this->run("SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'");
        try {
            return $work();
        } finally {
            $this->run('SET time_zone = @jobstrand_zone');
        }
    }

    /**
     * @param non-empty-list<self> $insertions
     * @return list<string>
     */
    private static function addAll(array $insertions): array
    {
        $ids = $alike = [];
        foreach ($insertions as $one) {
            $kept = $one->job->uniqueKey === null ? null : $one->takeKey();
            $ids[] = $kept ?? $one->id;
            foreach ($kept === null ? $one->rows() : [] as [$table, $row]) {
                if ($one->job->uniqueKey === null) {
                    $alike["$table " . implode(' ', array_keys($row))][] = $row;
                } else {
                    $one->insert($table, $row); // The next one may have to replace it.
                }
            }
        }
        foreach ($alike as $names => $rows) {
            $insertions[0]->insertAll(strtok($names, ' '), $rows);
        }
        if ($insertions[0]->database === 'pgsql') {
            $insertions[0]->run('NOTIFY jobstrand');
        }
        return $ids;
    }

    /** @return list<array{string, array<string, mixed>}> each with its table */
    private function rows(): array
    {
        $job = $this->job;
        $due = $job->delay === null ? $job->due : $this->later($job->delay);
        $table = $job->external ? 'ACT_RU_EXTERNAL_JOB' : 'ACT_RU_JOB';
        [$rows, $payload] = $this->payload();
        $rows[] = [$due === null ? $table : 'ACT_RU_TIMER_JOB', self::withoutNull([
            'ID_' => $this->id,
            'HANDLER_TYPE_' => $job->handlerType,
            ...$payload,
            'TYPE_' => $job->external ? 'externalWorker' : ($due === null ? null : 'timer'),
            'DUEDATE_' => $due,
            'REPEAT_' => $job->repeat,
            'RETRIES_' => $job->retries,
            'RETRY_CYCLE_' => $job->retryCycle,
            'PRIORITY_' => $job->priority,
            'EXCLUSIVE_' => $job->exclusive ? null : false,
            'PROCESS_INSTANCE_ID_' => $job->processInstanceId,
            'PROC_DEF_ID_' => $job->processDefinitionId,
            'CATEGORY_' => $job->category,
            'TENANT_ID_' => $job->tenantId,
            'CORRELATION_ID_' => $job->correlationId ?? $this->id,
            'TRACE_PARENT_' => $job->traceparent,
            'UNIQUE_KEY_' => $job->uniqueKey,
        ])];
        return $rows;
    }

    /** @return array{list<array{string, array<string, mixed>}>, array<string, string>} the row of a long payload, and the columns of the job */
    private function payload(): array
    {
        if ($this->job->payload === null) {
            return [[], []];
        }
        $text = Client::json($this->job->payload);
        if (preg_match_all('/./su', $text) <= self::MOST_IN_ROW) {
            return [[], ['HANDLER_CFG_' => $text]];
        }
        $id = NewJob::freshId();
        return [[['ACT_GE_BYTEARRAY', ['ID_' => $id, 'NAME_' => 'payload', 'BYTES_' => [$text]]]], ['CUSTOM_VALUES_ID_' => $id]];
    }

    /** Returns the id of the job that has the key and is kept; null: the key is taken. */
    private function takeKey(): ?string
    {
        $key = $this->job->uniqueKey;
        $onDuplicate = $this->job->onDuplicate ?? 'reject';
        $until = $this->job->uniqueFor === null ? null : $this->later($this->job->uniqueFor);
        $row = ['KEY_' => $key, 'JOB_ID_' => $this->id, 'UNTIL_' => $until];
        if ($until !== null || $onDuplicate !== 'reject') {
            $this->run('DELETE FROM JS_UNIQUE WHERE KEY_ = ? AND UNTIL_ <= ?', $key, $this->now);
        }
        if ($onDuplicate === 'reject') {
            $this->insert('JS_UNIQUE', $row);
            return null;
        }
        $holder = $this->holder($row);
        if ($holder === $this->id) {
            return null;
        }
        if ($onDuplicate === 'keep') {
            return $holder;
        }
        $this->remove($holder);
        $change = 'REV_ = REV_ + 1 WHERE KEY_ = ?';
        if ($until === null) {
            $this->run("UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = NULL, $change", $this->id, $key);
        } else {
            $this->run("UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = ?, $change", $this->id, $until, $key);
        }
        return null;
    }

    /**
     * Returns the id of the job that has the key: this one, if it was free.
     *
     * @param array<string, mixed> $row
     */
    private function holder(array $row): string
    {
        // (INSERT IGNORE would tell the app of a warning.)
        $unlessThere = $this->database === 'mysql' ? ' ON DUPLICATE KEY UPDATE KEY_ = KEY_' : ' ON CONFLICT DO NOTHING';
        for ($attempt = 0; $attempt < self::TRIES; ++$attempt) {
            $this->insert('JS_UNIQUE', $row, $unlessThere);
            $found = $this->run('SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ?' . $this->forUpdate(), $row['KEY_']);
            if ($found !== []) {
                return $found[0][0];
            }
        }
        throw new KeyHeld("others take and leave the unique key {$row['KEY_']} again and again");
    }

    /**
     * Ends the job that has the key, if it waits. A row that somebody has in hand is not waited for, so that nobody waits for a
     * key and a job in a circle.
     */
    private function remove(string $holder): void
    {
        foreach (self::PLACES as $table) {
            $query = "SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM $table WHERE ID_ = ? AND REPEAT_ IS NULL AND SERIES_ IS NULL";
            $values = [$holder];
            if ($table !== self::SUSPENDED) {
                $query .= ' AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))';
                array_push($values, ...self::NOBODY);
            }
            $found = $this->run($query . $this->forUpdate(' SKIP LOCKED'), ...$values);
            if ($found === []) {
                continue;
            }
            $this->run("DELETE FROM $table WHERE ID_ = ?", $holder);
            foreach (array_filter($found[0]) as $text) {
                $this->run('DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = ?', $text);
            }
            return;
        }
        throw new KeyHeld("job $holder has {$this->job->uniqueKey}, and is running or has ended");
    }

    private function later(int|float $seconds): DateTimeImmutable
    {
        return $this->now->modify(sprintf('+%d milliseconds', $seconds * 1000));
    }

    private function forUpdate(string $how = ''): string
    {
        return $this->database === 'sqlite' ? '' : " FOR UPDATE$how";
    }

    /**
     * @param array<string, mixed> $row
     * @return array<string, mixed>
     */
    private static function withoutNull(array $row): array
    {
        return array_filter($row, static fn ($value) => $value !== null);
    }

    /** @param array<string, mixed> $row what has no value is left out */
    private function insert(string $table, array $row, string $ending = ''): void
    {
        $this->insertAll($table, [self::withoutNull($row)], $ending);
    }

    /** @param non-empty-list<array<string, mixed>> $rows that have the same columns */
    private function insertAll(string $table, array $rows, string $ending = ''): void
    {
        $marks = '(' . implode(', ', array_fill(0, count($rows[0]), '?')) . ')';
        foreach (array_chunk($rows, self::PER_STATEMENT) as $some) {
            $sql = "INSERT INTO $table (" . implode(', ', array_keys($rows[0])) . ') VALUES ' . implode(', ', array_fill(0, count($some), $marks)) . $ending;
            $this->run($sql, ...array_merge(...array_map(array_values(...), $some)));
        }
    }

    /**
     * Carries a statement out with a value for each `?`; bytes are a list of one text.
     *
     * @return list<list<?string>>
     */
    private function run(string $sql, mixed ...$values): array
    {
        $parts = explode('?', $sql);
        foreach ($values as $at => $value) {
            $isTime = $value instanceof DateTimeInterface;
            $parts[$at] .= $isTime && $this->database === 'pgsql' ? 'CAST(CAST(? AS text) AS timestamp(3))' : '?';
        }
        $statement = $this->pdo->prepare(implode('', $parts)) ?: throw new PDOException($this->pdo->errorInfo()[2] ?? 'cannot prepare');
        foreach ($values as $at => $value) {
            $this->bind($statement, $at + 1, $value);
        }
        if (!$statement->execute()) {
            throw new PDOException($statement->errorInfo()[2] ?? 'cannot execute');
        }
        return $statement->columnCount() === 0 ? [] : $statement->fetchAll(PDO::FETCH_NUM);
    }

    private function bind(PDOStatement $statement, int $place, mixed $value): void
    {
        match (true) {
            $value instanceof DateTimeInterface => $statement->bindValue($place, NewJob::utc($value)->format('Y-m-d H:i:s.v')),
            is_bool($value) => $statement->bindValue($place, $value, $this->database === 'pgsql' ? PDO::PARAM_BOOL : PDO::PARAM_INT),
            is_array($value) => $statement->bindValue($place, $value[0], PDO::PARAM_LOB),
            is_int($value) => $statement->bindValue($place, $value, PDO::PARAM_INT),
            default => $statement->bindValue($place, $value),
        };
    }
}
