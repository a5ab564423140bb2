<?php

declare(strict_types=1);

namespace Jobstrand;

use RuntimeException;

/** Thrown by a handler whose work is done, and ended in an error of this code, which is handed on to the app. */
final class BusinessError extends RuntimeException
{
    /** @param array<string, mixed> $variables */
    public function __construct(public readonly string $errorCode, string $message = '', public readonly array $variables = [])
    {
        parent::__construct($message);
    }
}
