<?php

declare(strict_types=1);

namespace Jobstrand;

use LogicException;
use Throwable;

/**
 * Takes external jobs from a service, one at a time, runs a handler for each, and says what became of it. As many processes
 * as jobs are to run at once are started of it. A job may come twice, when its worker dies or its handler takes longer than the
 * lock without {@see Job::extend()}; handlers must bear that.
 */
final class Worker
{
    /** @var array<string, callable(Job): mixed> */
    private array $handlers = [];

    private readonly ExternalJobs $jobs;
    private bool $isStopping = false;

    /**
     * Durations are seconds.
     *
     * @param ?string $name unique among all workers; made up if it is null
     * @param int|float $lock how long a job is locked
     * @param int|float $wait how long one request waits for a job
     * @param ?\Closure(string): void $log is told what is worth a line; error_log() if it is null
     */
    public function __construct(
        private readonly Client $client,
        ?string $name = null,
        int|float $lock = 300,
        int|float $wait = 5,
        ?string $tenantId = null,
        ?\Closure $log = null,
    ) {
        $this->jobs = new ExternalJobs($client, $name, $lock, $wait, $tenantId, $log);
    }

    /**
     * Names the handler of a handler type, which workers call a topic. A job is done when it returns, whatever that is; what
     * it throws has failed the attempt.
     *
     * @param callable(Job): mixed $handler
     */
    public function handle(string $topic, callable $handler): self
    {
        $this->handlers[$topic] = $handler;
        return $this;
    }

    /**
     * Works until {@see stop()} is called or, with ext-pcntl, the process gets SIGTERM or SIGINT: then the job that runs may end.
     *
     * @throws Refused what the service refuses for good, such as a wrong token
     */
    public function run(): void
    {
        if ($this->handlers === []) {
            throw new LogicException('a worker needs a handler');
        }
        if (extension_loaded('pcntl')) {
            pcntl_async_signals(true);
            foreach ([SIGTERM, SIGINT] as $signal) {
                pcntl_signal($signal, $this->stop(...), false);
            }
        }
        $topics = array_map(strval(...), array_keys($this->handlers));
        $this->jobs->say("worker {$this->jobs->name} starts: serves " . implode(', ', $topics) . ", of {$this->client->address}");
        for ($failures = 0; !$this->isStopping;) {
            try {
                $job = $this->jobs->acquire($topics);
                $failures = 0;
            } catch (Unreachable | Refused $error) {
                $this->bear($error, $failures++);
                continue;
            }
            if ($job !== null) {
                $this->work($job);
            }
        }
        $this->jobs->giveUnknownBack();
    }

    /** Has run() end after the job that runs. */
    public function stop(): void
    {
        $this->isStopping = true;
    }

    /** Waits for a service that is away, and throws what it refuses for good. */
    private function bear(Unreachable|Refused $error, int $failures): void
    {
        if ($this->isStopping) {
            return;
        }
        if (!Client::isWorthWaiting($error)) {
            throw $error;
        }
        $this->jobs->waitAfter($error, $failures);
    }

    private function work(Job $job): void
    {
        try {
            ($this->handlers[$job->handlerType])($job);
        } catch (BusinessError $error) {
            $this->jobs->endInError($job, $error);
            return;
        } catch (Fail $error) {
            $this->jobs->fail($job, $error, $error->retryAfter, $error->retries);
            return;
        } catch (Throwable $error) {
            $this->jobs->fail($job, $error);
            return;
        }
        $this->jobs->complete($job);
    }
}
