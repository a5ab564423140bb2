<?php

declare(strict_types=1);

use Jobstrand\Client;
use Jobstrand\NewJob;
use Jobstrand\Refused;

/** `jobstrand serve` on a SQLite database. */
final class Service
{
    public const PATIENCE_S = 60;

    public readonly string $folder;
    public string $address = '';

    /** @var resource */
    private $process;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/jobstrand-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
        $this->command('schema', 'create');
        $this->serve('0');
        $this->untilReady();
    }

    public function command(string ...$words): void
    {
        $process = proc_open([getenv('JOBSTRAND_BINARY'), ...$words], [1 => ['file', '/dev/null', 'w'], 2 => STDERR], $pipes, $this->folder, $this->env());
        if (proc_close($process) !== 0) {
            throw new RuntimeException(implode(' ', $words) . ' failed');
        }
    }

    public function serve(string $port): void
    {
        $log = ['file', "$this->folder/service.log", 'w'];
        $this->process = proc_open([getenv('JOBSTRAND_BINARY'), 'serve', '--http', "127.0.0.1:$port"], [1 => $log, 2 => $log], $pipes, $this->folder, $this->env());
    }

    public function untilReady(): void
    {
        self::eventually('the service is ready', fn () => str_contains($this->log(), ' clock_skew_ms='));
        preg_match('/\bport=(\d+)/', $this->log(), $found);
        $this->address = "http://127.0.0.1:$found[1]";
    }

    public function end(int $signal): void
    {
        proc_terminate($this->process, $signal);
        proc_close($this->process);
    }

    public function client(): Client
    {
        return new Client($this->address);
    }

    public function database(string $file = 'jobs.db'): PDO
    {
        return new PDO("sqlite:$this->folder/$file", options: [PDO::ATTR_TIMEOUT => self::PATIENCE_S]);
    }

    /** @return list<string> */
    public function enqueue(int $count, mixed ...$options): array
    {
        $jobs = array_map(static fn (int $number) => (new NewJob('mail', $number, ...['external' => true, ...$options]))->asRead(), range(0, $count - 1));
        return $this->client()->call('POST', '/api/v1/jobs', Client::json($jobs))['ids'];
    }

    public function place(string $name): int
    {
        return $this->client()->get('/api/v1/stats')['places'][$name];
    }

    /** @return ?array<string, mixed> */
    public function job(string $id): ?array
    {
        try {
            return $this->client()->get("/api/v1/jobs/$id");
        } catch (Refused $refused) {
            return $refused->status === 404 ? null : throw $refused;
        }
    }

    public static function eventually(string $what, Closure $isSo): void
    {
        for ($giveUp = microtime(true) + self::PATIENCE_S; !$isSo(); usleep(20_000)) {
            if (microtime(true) > $giveUp) {
                throw new RuntimeException("not within its time: $what");
            }
        }
    }

    /** @return array<string, string> */
    private function env(): array
    {
        return ['JOBSTRAND_DB' => 'sqlite:jobs.db'] + getenv();
    }

    private function log(): string
    {
        return (string) file_get_contents("$this->folder/service.log");
    }
}
