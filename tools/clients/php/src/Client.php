<?php

declare(strict_types=1);

namespace Jobstrand;

use InvalidArgumentException;
use JsonException;

/** A service over HTTP. */
final class Client
{
    public readonly string $address;

    /**
     * @param string $address such as http://127.0.0.1:8080
     * @param int|float $timeout for each answer, in seconds
     * @param int $retries how often enqueueing and reading are tried again when no answer comes
     */
    public function __construct(
        string $address,
        private readonly ?string $token = null,
        private readonly int|float $timeout = 30,
        private readonly int $retries = 2,
    ) {
        $parts = parse_url($address);
        if (!in_array($parts['scheme'] ?? '', ['http', 'https'], true) || ($parts['host'] ?? '') === '' || isset($parts['user'])) {
            throw new InvalidArgumentException('not the address of a service, which is http://HOST:PORT or https://HOST:PORT');
        }
        $this->address = rtrim($address, '/');
    }

    /**
     * Adds a job; when this returns its id, it is committed. It is asked again when no answer comes, with an Idempotency-Key, so
     * that the job is not doubled.
     */
    public function enqueue(NewJob $job): string
    {
        return $this->again('POST', '/api/v1/jobs', self::json($job->asRead()))['id'];
    }

    /**
     * The same for many, up to 10,000: all of them are added, or none.
     *
     * @param list<NewJob> $jobs
     * @return list<string> their ids
     */
    public function enqueueAll(array $jobs): array
    {
        return $this->again('POST', '/api/v1/jobs', self::json(array_map(static fn (NewJob $job) => $job->asRead(), $jobs)))['ids'];
    }

    /** Reads what stands at a path of docs/http.md, such as /api/v1/stats. */
    public function get(string $path): mixed
    {
        return $this->again('GET', $path, null);
    }

    /**
     * Asks for any operation of docs/http.md, once.
     *
     * @param ?string $body in JSON
     * @param int|float $wait seconds that the service takes for its answer by what it is asked
     */
    public function call(string $method, string $path, ?string $body = null, int|float $wait = 0, ?string $key = null): mixed
    {
        $headers = ['Accept: application/json', 'Connection: close'];
        if ($body !== null) {
            $headers[] = 'Content-Type: application/json';
        }
        if ($key !== null) {
            $headers[] = "Idempotency-Key: $key";
        }
        if ($this->token !== null) {
            $headers[] = "Authorization: Bearer $this->token";
        }
        $context = stream_context_create(['http' => [
            'method' => $method, 'header' => $headers, 'content' => $body ?? '', 'timeout' => $this->timeout + $wait,
            'ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => '1.1',
        ]]);
        error_clear_last();
        $text = @file_get_contents($this->address . $path, false, $context);
        $head = $http_response_header ?? [];
        if ($text === false || !preg_match('/^HTTP\/\S+ (\d+)/', $head[0] ?? '', $found)) {
            throw new Unreachable("no answer from $this->address: " . (error_get_last()['message'] ?? 'it is empty'));
        }
        if ((int) $found[1] >= 400) {
            throw self::refusal((int) $found[1], $head, $text);
        }
        try {
            return $text === '' ? null : json_decode($text, true, 512, JSON_THROW_ON_ERROR);
        } catch (JsonException $error) {
            throw new Unreachable("no whole answer from $this->address", 0, $error);
        }
    }

    /** @throws InvalidArgumentException for what JSON cannot say */
    public static function json(mixed $value, int $flags = 0): string
    {
        try {
            return json_encode($value, $flags | JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
        } catch (JsonException $error) {
            throw new InvalidArgumentException('JSON cannot say it: ' . $error->getMessage(), 0, $error);
        }
    }

    /** Whether the same request may succeed later. */
    public static function isWorthWaiting(Unreachable|Refused $error): bool
    {
        return $error instanceof Unreachable || $error->status >= 500 || in_array($error->status, [408, 429], true);
    }

    /** Waits before the next try: ever longer, up to five seconds, and never all clients at the same time. */
    public static function pause(int $failures, Unreachable|Refused $error): void
    {
        $seconds = $error instanceof Refused && $error->retryAfter !== null ? $error->retryAfter : min(0.1 * 2 ** $failures, 5);
        usleep((int) ($seconds * random_int(800_000, 1_200_000)));
    }

    private function again(string $method, string $path, ?string $body): mixed
    {
        $key = $method === 'POST' ? NewJob::freshId() : null;
        for ($failures = 0;; ++$failures) {
            try {
                return $this->call($method, $path, $body, key: $key);
            } catch (Unreachable | Refused $error) {
                if ($failures === $this->retries || !self::isWorthWaiting($error)) {
                    throw $error;
                }
                self::pause($failures, $error);
            }
        }
    }

    /** @param list<string> $head */
    private static function refusal(int $status, array $head, string $text): Refused
    {
        $problem = json_decode($text, true);
        $seconds = preg_filter('/^Retry-After: (\d+)$/i', '$1', $head);
        return new Refused($status, $problem['detail'] ?? "HTTP $status", $problem['errors'] ?? [], $seconds === [] ? null : (int) reset($seconds));
    }
}
