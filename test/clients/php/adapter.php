<?php

// Does with the package for PHP what behaviours.py tells it: `php adapter.php ORIGIN DATABASE`. A worker is a process of its own.

declare(strict_types=1);

use Jobstrand\BusinessError;
use Jobstrand\Client;
use Jobstrand\Fail;
use Jobstrand\Job;
use Jobstrand\Jobs;
use Jobstrand\NewJob;
use Jobstrand\Worker;

require __DIR__ . '/autoload.php';

const TICK_US = 10_000;

final class OutOfInk extends RuntimeException
{
}

function say(string $kind, mixed $what, mixed ...$more): void
{
    fwrite(STDOUT, json_encode([$kind => $what, ...$more], JSON_THROW_ON_ERROR) . "\n");
}

/** Results that JSON cannot say. */
function odd(int $number): array
{
    $all = [fn () => ['n' => NAN], fn () => ['bytes' => "\xff"], fn () => ['n' => INF]];
    return $all[$number % count($all)]();
}

function connect(string $url): PDO
{
    $options = [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION];
    if (str_starts_with($url, 'sqlite:')) {
        return new PDO($url, options: $options + [PDO::ATTR_TIMEOUT => 60]);
    }
    $there = parse_url($url);
    $place = "host={$there['host']};port={$there['port']};dbname=" . substr($there['path'], 1);
    $name = $there['scheme'] === 'postgres' ? "pgsql:$place" : "mysql:$place;charset=utf8mb4";
    return new PDO($name, $there['user'], $there['pass'] ?? '', $options);
}

function newJob(stdClass $told): NewJob
{
    $fields = (array) $told;
    if (isset($fields['due'])) {
        $fields['due'] = new DateTimeImmutable($fields['due']);
    }
    if (isset($fields['words'])) {
        $fields['due'] = $fields['words'];
        unset($fields['words']);
    }
    return new NewJob(...$fields);
}

/** The steps that a handler is made of. */
final class Steps
{
    /** @param list<stdClass> $steps */
    public function __construct(private readonly array $steps)
    {
    }

    public function __invoke(Job $job): mixed
    {
        say('began', $job->id, topic: $job->handlerType, attempt: $job->attempts + 1);
        try {
            return $this->all($job, $this->steps);
        } finally {
            say('ended', $job->id);
        }
    }

    private function all(Job $job, array $steps): mixed
    {
        $returned = null;
        foreach ($steps as $step) {
            $parts = (array) $step;
            $returned = $this->{array_key_first($parts) . 'Step'}($job, ...array_values($parts));
        }
        return $returned;
    }

    /** Only in the first attempt. */
    private function firstStep(Job $job, array $steps): void
    {
        if ($job->attempts === 0) {
            $this->all($job, $steps);
        }
    }

    private function returnStep(Job $job, mixed $value): mixed
    {
        return $value;
    }

    private function giveStep(Job $job, mixed $value): void
    {
        $job->handOn($value === 'payload' ? ['given' => $job->payload] : (array) $value);
    }

    /** A result that JSON cannot say. */
    private function oddStep(Job $job, int $number): void
    {
        $job->handOn(odd($number));
    }

    private function raiseStep(Job $job, string $message, ?string $cause = null): never
    {
        throw new OutOfInk($message, 0, $cause === null ? null : new LogicException($cause));
    }

    private function failStep(Job $job, stdClass $told): never
    {
        throw new Fail($told->message, retryAfter: $told->retryAfter ?? null, retries: $told->retries ?? null);
    }

    private function businessStep(Job $job, stdClass $told): never
    {
        throw new BusinessError($told->code, $told->message, (array) $told->variables);
    }

    /** The file is there. */
    private function untilStep(Job $job, string $path): void
    {
        for (; !file_exists($path); clearstatcache()) {
            usleep(TICK_US);
        }
    }

    /** That it is to end, by asking. */
    private function hearStep(Job $job, bool $is): void
    {
        while ($job->extend()) {
            usleep(TICK_US);
        }
        say('heard', $job->id);
    }
}

final class Adapter
{
    private readonly Client $client;
    private int $worker = 0;

    public function __construct(private readonly string $origin, private readonly string $url)
    {
        $this->client = new Client($origin);
    }

    public function enqueue(stdClass $told, string $by): void
    {
        try {
            say('id', $by === 'http' ? $this->client->enqueue(newJob($told)) : $this->add(newJob($told), $by === 'sql'));
        } catch (Throwable $error) {
            say('refused', $error::class . ': ' . $error->getMessage());
        }
    }

    private function add(NewJob $job, bool $isKept): string
    {
        $pdo = connect($this->url);
        $pdo->beginTransaction();
        $id = Jobs::enqueue($pdo, $job);
        $isKept ? $pdo->commit() : $pdo->rollBack();
        return $id;
    }

    public function work(stdClass $told): void
    {
        $this->worker = pcntl_fork();
        if ($this->worker === 0) {
            $log = static function (string $line): void {
                say('log', $line);
            };
            $worker = new Worker(new Client($this->origin), lock: $told->lock, wait: $told->wait, tenantId: $told->tenant ?? null, log: $log);
            foreach ((array) $told->handlers as $topic => $steps) {
                $worker->handle($topic, new Steps($steps));
            }
            say('working', true);
            $worker->run();
            exit(0);
        }
    }

    /** A worker may go on. */
    public function end(): void
    {
        if ($this->worker !== 0) {
            posix_kill($this->worker, SIGKILL);
        }
    }

    public function stop(string $part): void
    {
        posix_kill($this->worker, SIGTERM);
        if ($part === 'end') {
            pcntl_waitpid($this->worker, $status);
            $this->worker = 0;
        }
        say('stopped', $part);
    }
}

$adapter = new Adapter(...array_slice($argv, 1));
while (($line = fgets(STDIN)) !== false) {
    $told = (array) json_decode($line, false, 512, JSON_THROW_ON_ERROR);
    $adapter->{array_key_first($told)}(...array_values($told));
}
$adapter->end();
