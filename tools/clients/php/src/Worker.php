<?php

declare(strict_types=1);

namespace Jobstrand;

use InvalidArgumentException;
use LogicException;
use Throwable;

/**
 * Takes external jobs from a service, one at a time, runs a handler for each, and says what became of it. As many processes
 * as jobs are to run at once are started of it. A job may come twice, when its worker dies or its handler takes longer than the
 * lock without {@see Job::extend()}; handlers must bear that.
 */
final class Worker
{
    private const PATH = '/api/v1/external-jobs/';

    /** @var array<string, callable(Job): mixed> */
    private array $handlers = [];

    private readonly string $name;
    private bool $isStopping = false;
    private bool $isAway = false;

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
        private readonly int|float $lock = 300,
        private readonly int|float $wait = 5,
        private readonly ?string $tenantId = null,
        private readonly ?\Closure $log = null,
    ) {
        $this->name = $name ?? gethostname() . '-' . getmypid() . '-' . bin2hex(random_bytes(4));
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
        $this->say("worker $this->name starts: serves " . implode(', ', array_keys($this->handlers)) . ", of {$this->client->address}");
        for ($failures = 0; !$this->isStopping;) {
            try {
                $job = $this->acquire();
                $failures = 0;
                $this->isBack();
            } catch (Unreachable | Refused $error) {
                $this->bear($error, $failures++);
                continue;
            }
            if ($job !== null) {
                $this->work($job);
            }
        }
        $this->giveUnknownBack();
    }

    /** Has run() end after the job that runs. */
    public function stop(): void
    {
        $this->isStopping = true;
    }

    /** @internal */
    public function extend(Job $job): bool
    {
        $order = ['worker' => $this->name, 'jobs' => [$job->named()], 'lockDuration' => NewJob::duration($this->lock)];
        return $this->client->call('POST', self::PATH . 'extend', Client::json($order))['refused'] === [];
    }

    private function acquire(): ?Job
    {
        $order = [
            'worker' => $this->name, 'topics' => array_map(strval(...), array_keys($this->handlers)), 'jobs' => 1,
            'lockDuration' => NewJob::duration($this->lock), 'wait' => NewJob::duration($this->wait),
        ];
        if ($this->tenantId !== null) {
            $order['tenantId'] = $this->tenantId;
        }
        $items = $this->client->call('POST', self::PATH . 'acquire', Client::json($order), $this->wait)['items'];
        return $items === [] ? null : new Job($items[0], $this);
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
        $this->waitAfter($error, $failures);
    }

    /** Says once that the service is away, however much is tried meanwhile. */
    private function waitAfter(Unreachable|Refused $error, int $failures): void
    {
        if (!$this->isAway) {
            $this->isAway = true;
            $this->say($error->getMessage() . '; trying again until the service answers');
        }
        Client::pause($failures, $error);
    }

    private function isBack(): void
    {
        if ($this->isAway) {
            $this->isAway = false;
            $this->say('the service answers again');
        }
    }

    private function work(Job $job): void
    {
        try {
            ($this->handlers[$job->handlerType])($job);
            $result = Client::json([...$job->named(), 'outcome' => 'complete']);
            if ($job->variables() !== null) {
                $result = substr($result, 0, -1) . ",\"variables\":{$job->variables()}}";
            }
        } catch (Throwable $error) {
            $result = $this->failure($job, $error);
        }
        $why = $this->tell($job, $result);
        if ($why !== null) {
            $why = $this->tell($job, $this->untold($job, "the service refuses its result: $why"));
        }
        if ($why !== null) {
            $this->say("what became of job $job->id cannot be told; it runs again: $why");
        }
    }

    private function failure(Job $job, Throwable $error): string
    {
        try {
            if ($error instanceof BusinessError) {
                $said = ['outcome' => 'error', 'errorCode' => $error->errorCode, 'message' => self::cut($error->getMessage(), 10_000),
                    'variables' => (object) $error->variables];
                return Client::json([...$job->named(), ...$said]);
            }
            $text = $error instanceof Fail ? $error->getMessage() : $error::class . ': ' . $error->getMessage();
            $said = ['outcome' => 'fail', 'message' => self::cut($text, 10_000), 'details' => self::cut((string) $error, 50_000)];
            if ($error instanceof Fail && $error->retryAfter !== null) {
                $said['retryAfter'] = NewJob::duration($error->retryAfter);
            }
            if ($error instanceof Fail && $error->retries !== null) {
                $said['retries'] = $error->retries;
            }
            return Client::json([...$job->named(), ...$said]);
        } catch (InvalidArgumentException $reason) {
            return $this->untold($job, $error::class . ' (which cannot be told as it is: ' . $reason->getMessage() . ')');
        }
    }

    private function untold(Job $job, string $message): string
    {
        return Client::json([...$job->named(), 'outcome' => 'fail', 'message' => self::cut($message, 10_000)]);
    }

    /** The beginning of a text, with whole characters: JSON puts another one in place of what is none. */
    private static function cut(string $text, int $most): string
    {
        return json_decode(Client::json(substr($text, 0, $most), JSON_INVALID_UTF8_SUBSTITUTE));
    }

    /** Tells a result until the service has an answer, while the job is locked. Returns why it cannot be meant so. */
    private function tell(Job $job, string $result): ?string
    {
        $body = '{"worker":' . Client::json($this->name) . ",\"results\":[$result]}";
        $giveUp = microtime(true) + $this->lock;
        for ($failures = 0;; ++$failures) {
            try {
                $refused = $this->client->call('POST', self::PATH . 'finish', $body)['refused'];
                $this->isBack();
                break;
            } catch (Unreachable | Refused $error) {
                if ($error instanceof Refused && $error->isInvalid()) {
                    return $error->getMessage();
                }
                if (microtime(true) > $giveUp || !Client::isWorthWaiting($error)) {
                    $this->say("what became of job $job->id cannot be told; it runs again: " . $error->getMessage());
                    return null;
                }
                $this->waitAfter($error, $failures);
            }
        }
        if ($refused !== [] && $refused[0]['answer'] !== 'refused') {
            $this->say("the result of job $job->id does not count: {$refused[0]['answer']}");
            return null;
        }
        return $refused === [] ? null : $refused[0]['why'];
    }

    /** Frees what the service may have given in answer to a request that was cut off. */
    private function giveUnknownBack(): void
    {
        try {
            $this->client->call('POST', '/external-job-api/unacquire/jobs', Client::json(['workerId' => $this->name]));
        } catch (Unreachable | Refused $error) {
            $this->say('cannot ask for jobs that were on their way; they are free when their locks end: ' . $error->getMessage());
        }
    }

    private function say(string $line): void
    {
        $this->log === null ? error_log("jobstrand: $line") : ($this->log)($line);
    }
}
