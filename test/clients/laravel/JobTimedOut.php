<?php

declare(strict_types=1);

namespace Illuminate\Queue\Events;

use Illuminate\Contracts\Queue\Job;

/** As Laravel 9 and newer have it; Debian has 8. */
final class JobTimedOut
{
    public function __construct(public readonly string $connectionName, public readonly Job $job)
    {
    }
}
