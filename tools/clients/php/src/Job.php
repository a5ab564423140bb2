<?php

declare(strict_types=1);

namespace Jobstrand;

/** A job that a worker holds. */
final class Job
{
    /** Bytes of variables, which is what the service takes. */
    private const MOST = 8 * 1024 * 1024;

    public readonly string $id;
    public readonly string $handlerType;

    /** What JSON says, with arrays for objects. */
    public readonly mixed $payload;

    /** How many attempts have failed: 0 at first. */
    public readonly int $attempts;

    /** How many attempts are left, this one included. */
    public readonly int $retries;

    private ?string $variables = null;

    /** @param array<string, mixed> $told all that the service tells of it, by the names of the service */
    public function __construct(public readonly array $told, private readonly ?ExternalJobs $holder = null)
    {
        $this->id = $told['id'];
        $this->handlerType = $told['handlerType'];
        $this->payload = $told['payload'] ?? null;
        $this->attempts = $told['attempts'] ?? 0;
        $this->retries = $told['retries'] ?? 0;
    }

    /**
     * Has these variables handed on to the app when the handler returns.
     *
     * @param array<string, mixed> $variables
     * @throws \InvalidArgumentException JSON cannot say them, or they are too long
     */
    public function handOn(array $variables): void
    {
        $text = Client::json((object) $variables);
        if (strlen($text) > self::MOST) {
            throw new \InvalidArgumentException('the variables are too long: ' . strlen($text) . ' bytes');
        }
        $this->variables = $text;
    }

    /**
     * Prolongs its lock: a handler that runs for longer than that calls this in between. Returns false when the job was
     * cancelled or its lock lost: what becomes of it here does not count any more.
     */
    public function extend(): bool
    {
        return $this->holder === null || $this->holder->extend($this);
    }

    /**
     * @internal
     * @return array{id: string, revision: int} as the service wants it named
     */
    public function named(): array
    {
        return ['id' => $this->id, 'revision' => $this->told['revision']];
    }

    /** @internal in JSON */
    public function variables(): ?string
    {
        return $this->variables;
    }
}
