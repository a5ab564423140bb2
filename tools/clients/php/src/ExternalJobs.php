<?php

declare(strict_types=1);

namespace Jobstrand;

use Closure;
use InvalidArgumentException;
use Throwable;

/** @internal Takes external jobs in the name of one worker, and tells the service what became of them. */
final class ExternalJobs
{
    private const PATH = '/api/v1/external-jobs/';

    public readonly string $name;
    private bool $isAway = false;

    /**
     * As {@see Worker} has them.
     *
     * @param ?Closure(string): void $log
     */
    public function __construct(
        private readonly Client $client,
        ?string $name,
        private readonly int|float $lock,
        private readonly int|float $wait,
        private readonly ?string $tenantId,
        private readonly ?Closure $log,
    ) {
        $this->name = $name ?? gethostname() . '-' . getmypid() . '-' . bin2hex(random_bytes(4));
    }

    /**
     * @param list<string> $topics
     * @return ?Job null: there was none for as long as it waits
     */
    public function acquire(array $topics): ?Job
    {
        $order = [
            'worker' => $this->name, 'topics' => $topics, 'jobs' => 1,
            'lockDuration' => NewJob::duration($this->lock), 'wait' => NewJob::duration($this->wait),
        ];
        if ($this->tenantId !== null) {
            $order['tenantId'] = $this->tenantId;
        }
        $items = $this->client->call('POST', self::PATH . 'acquire', Client::json($order), $this->wait)['items'];
        $this->isBack();
        return $items === [] ? null : new Job($items[0], $this);
    }

    /** Whether its lock was prolonged: it is held still. */
    public function extend(Job $job): bool
    {
        $order = ['worker' => $this->name, 'jobs' => [$job->named()], 'lockDuration' => NewJob::duration($this->lock)];
        return $this->client->call('POST', self::PATH . 'extend', Client::json($order))['refused'] === [];
    }

    public function complete(Job $job): void
    {
        $result = Client::json([...$job->named(), 'outcome' => 'complete']);
        if ($job->variables() !== null) {
            $result = substr($result, 0, -1) . ",\"variables\":{$job->variables()}}";
        }
        $this->tell($job, $result);
    }

    /**
     * Tells that the attempt has failed.
     *
     * @param int|float|null $retryAfter seconds until the next one; as the job's retry cycle says if it is null
     * @param ?int $retries how many are left; one fewer if it is null
     */
    public function fail(Job $job, Throwable $error, int|float|null $retryAfter = null, ?int $retries = null): void
    {
        $text = $error instanceof Fail ? $error->getMessage() : $error::class . ': ' . $error->getMessage();
        $said = ['outcome' => 'fail', 'message' => self::cut($text, 10_000), 'details' => self::cut((string) $error, 50_000)];
        if ($retryAfter !== null) {
            $said['retryAfter'] = NewJob::duration($retryAfter);
        }
        if ($retries !== null) {
            $said['retries'] = $retries;
        }
        $this->tell($job, Client::json([...$job->named(), ...$said]));
    }

    /** Tells that the job is done and has ended in an error of the app. */
    public function endInError(Job $job, BusinessError $error): void
    {
        $said = ['outcome' => 'error', 'errorCode' => $error->errorCode, 'message' => self::cut($error->getMessage(), 10_000),
            'variables' => (object) $error->variables];
        try {
            $result = Client::json([...$job->named(), ...$said]);
        } catch (InvalidArgumentException $reason) {
            $result = $this->untold($job, $error::class . ' (which cannot be told as it is: ' . $reason->getMessage() . ')');
        }
        $this->tell($job, $result);
    }

    /** Frees what the service may have given in answer to a request that was cut off. */
    public function giveUnknownBack(): void
    {
        try {
            $this->client->call('POST', '/external-job-api/unacquire/jobs', Client::json(['workerId' => $this->name]));
        } catch (Unreachable | Refused $error) {
            $this->say('cannot ask for jobs that were on their way; they are free when their locks end: ' . $error->getMessage());
        }
    }

    /** Says once that the service is away, however much is tried meanwhile, and waits. */
    public function waitAfter(Unreachable|Refused $error, int $failures): void
    {
        if (!$this->isAway) {
            $this->isAway = true;
            $this->say($error->getMessage() . '; trying again until the service answers');
        }
        Client::pause($failures, $error);
    }

    public function say(string $line): void
    {
        $this->log === null ? error_log("jobstrand: $line") : ($this->log)($line);
    }

    private function isBack(): void
    {
        if ($this->isAway) {
            $this->isAway = false;
            $this->say('the service answers again');
        }
    }

    private function tell(Job $job, string $result): void
    {
        $why = $this->finish($job, $result);
        if ($why !== null) {
            $why = $this->finish($job, $this->untold($job, "the service refuses its result: $why"));
        }
        if ($why !== null) {
            $this->say("what became of job $job->id cannot be told; it runs again: $why");
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
    private function finish(Job $job, string $result): ?string
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
}
