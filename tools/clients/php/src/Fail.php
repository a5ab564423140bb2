<?php

declare(strict_types=1);

namespace Jobstrand;

use RuntimeException;
use Throwable;

/**
 * Thrown by a handler that wants to say how its failed attempt goes on: after how many seconds, and how many attempts are
 * left. Whatever else it throws fails the attempt too, as the job's retry cycle says.
 */
final class Fail extends RuntimeException
{
    public function __construct(
        string $message,
        public readonly int|float|null $retryAfter = null,
        public readonly ?int $retries = null,
        ?Throwable $previous = null,
    ) {
        parent::__construct($message, 0, $previous);
    }
}
