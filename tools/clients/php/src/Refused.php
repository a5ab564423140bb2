<?php

declare(strict_types=1);

namespace Jobstrand;

use RuntimeException;

/** The answer of a service that said no. */
final class Refused extends RuntimeException
{
    /**
     * @param int $status of HTTP: 404 for what is not there, 409 for an id or a key that is taken
     * @param list<string> $errors one for each thing that is wrong
     * @param ?int $retryAfter seconds after which it is worth asking again
     */
    public function __construct(
        public readonly int $status,
        string $detail,
        public readonly array $errors = [],
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($errors === [] ? $detail : $detail . ': ' . implode('; ', $errors));
    }

    /** Whether what was asked for cannot be meant so, or is too long. */
    public function isInvalid(): bool
    {
        return in_array($this->status, [400, 413, 422], true);
    }
}
