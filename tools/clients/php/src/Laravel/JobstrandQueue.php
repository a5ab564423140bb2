<?php

declare(strict_types=1);

namespace Jobstrand\Laravel;

use DateInterval;
use DateTimeInterface;
use Illuminate\Contracts\Queue\Queue as QueueContract;
use Illuminate\Database\ConnectionInterface;
use Illuminate\Queue\Queue;
use Jobstrand\Client;
use Jobstrand\ExternalJobs;
use Jobstrand\Jobs;
use Jobstrand\NewJob;
use UnitEnum;

/**
 * Puts jobs into the transaction that the app is in, or over HTTP, and takes them from a service for `queue:work`. The name of
 * a queue is the handler type, which workers call a topic.
 *
 * Laravel alone says how often a job is tried. What it gives up is a dead letter.
 */
final class JobstrandQueue extends Queue implements QueueContract
{
    private readonly ExternalJobs $jobs;

    /**
     * @param ?ConnectionInterface $database of the database that has the tables; null: jobs go over HTTP
     * @param int $retryAfter seconds that a job is locked
     * @param int $blockFor seconds that {@see pop()} waits for a job
     */
    public function __construct(
        private readonly Client $client,
        private readonly ?ConnectionInterface $database,
        private readonly string $default,
        int $retryAfter,
        int $blockFor,
        bool $dispatchAfterCommit,
    ) {
        $this->dispatchAfterCommit = $dispatchAfterCommit;
        $this->jobs = new ExternalJobs($client, null, $retryAfter, $blockFor, null, null);
    }

    /**
     * @param string|object $job
     * @param mixed $data
     * @param UnitEnum|string|null $queue
     */
    public function push($job, $data = '', $queue = null)
    {
        $payload = $this->createPayload($job, $this->nameOf($queue), $data);
        return $this->enqueueUsing($job, $payload, $queue, null, $this->storeOne(...));
    }

    /**
     * @param DateTimeInterface|DateInterval|int $delay
     * @param string|object $job
     * @param mixed $data
     * @param UnitEnum|string|null $queue
     */
    public function later($delay, $job, $data = '', $queue = null)
    {
        $payload = $this->createPayload($job, $this->nameOf($queue), $data, $delay);
        return $this->enqueueUsing($job, $payload, $queue, $delay, $this->storeOne(...));
    }

    /**
     * @param string $payload in JSON
     * @param UnitEnum|string|null $queue
     * @param array<string, mixed> $options
     */
    public function pushRaw($payload, $queue = null, array $options = [])
    {
        return $this->storeOne($payload, $queue, null);
    }

    /**
     * All of them or none, by few statements or by one request; those that wait for a commit, together after it.
     *
     * @param iterable<string|object> $jobs
     * @param mixed $data
     * @param UnitEnum|string|null $queue
     */
    public function bulk($jobs, $data = '', $queue = null)
    {
        $now = $afterCommit = [];
        foreach ($jobs as $job) {
            $delay = is_object($job) ? $job->delay ?? null : null;
            $new = $this->newJob($this->createPayload($job, $this->nameOf($queue), $data, $delay), $queue, $delay);
            if ($this->shouldDispatchAfterCommit($job) && $this->container->bound('db.transactions')) {
                $afterCommit[] = $new;
            } else {
                $now[] = $new;
            }
        }
        if ($afterCommit !== []) {
            $this->container->make('db.transactions')->addCallback(fn () => $this->store($afterCommit));
        }
        $this->store($now);
    }

    /** @param UnitEnum|string|null $queue */
    public function pop($queue = null)
    {
        $name = $this->nameOf($queue);
        $job = $this->jobs->acquire([$name]);
        return $job === null ? null : new JobstrandJob($this->container, $this->jobs, $job, $this->connectionName, $name);
    }

    /** @param UnitEnum|string|null $queue */
    public function size($queue = null)
    {
        return $this->pendingSize($queue) + $this->delayedSize($queue) + $this->reservedSize($queue);
    }

    /** @param UnitEnum|string|null $queue */
    public function pendingSize($queue = null)
    {
        $told = $this->told($queue, 'external');
        return ($told['jobs'] ?? 0) - ($told['locked'] ?? 0);
    }

    /** @param UnitEnum|string|null $queue */
    public function delayedSize($queue = null)
    {
        return $this->told($queue, 'timer')['jobs'] ?? 0;
    }

    /** @param UnitEnum|string|null $queue */
    public function reservedSize($queue = null)
    {
        return $this->told($queue, 'external')['locked'] ?? 0;
    }

    /** @param UnitEnum|string|null $queue */
    public function creationTimeOfOldestPendingJob($queue = null)
    {
        $oldest = $this->told($queue, 'external')['oldest'] ?? null;
        return $oldest === null ? null : strtotime($oldest);
    }

    /** @param UnitEnum|string|null $queue newer versions of Laravel take enums */
    private function nameOf($queue): string
    {
        $name = $queue instanceof UnitEnum ? $queue->value ?? $queue->name : $queue;
        return $name ?: $this->default;
    }

    /**
     * What the service tells of the jobs of a queue in a place; null: there are none.
     *
     * @param UnitEnum|string|null $queue
     * @return ?array<string, mixed>
     */
    private function told($queue, string $place): ?array
    {
        foreach ($this->client->get('/api/v1/types') as $type) {
            if ($type['handlerType'] === $this->nameOf($queue) && $type['place'] === $place) {
                return $type;
            }
        }
        return null;
    }

    /**
     * @param UnitEnum|string|null $queue
     * @param DateTimeInterface|DateInterval|int|null $delay
     */
    private function newJob(string $payload, $queue, $delay): NewJob
    {
        $told = json_decode($payload, false, 512, JSON_THROW_ON_ERROR);
        return new NewJob(
            $this->nameOf($queue), $told, delay: $delay === null ? null : $this->secondsUntil($delay), retries: 1, external: true,
            correlationId: $told->uuid ?? null,
        );
    }

    /**
     * @param UnitEnum|string|null $queue
     * @param DateTimeInterface|DateInterval|int|null $delay
     */
    private function storeOne(string $payload, $queue, $delay): string
    {
        return $this->store([$this->newJob($payload, $queue, $delay)])[0];
    }

    /**
     * @param list<NewJob> $jobs
     * @return list<string>
     */
    private function store(array $jobs): array
    {
        if ($jobs === []) {
            return [];
        }
        if ($this->database === null) {
            return $this->client->enqueueAll($jobs);
        }
        return $this->database->transaction(fn () => Jobs::enqueueAll($this->database->getPdo(), $jobs));
    }
}
