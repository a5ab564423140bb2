<?php

declare(strict_types=1);

namespace Jobstrand;

use ValueError;

/** Several databases as one. */
final class Engines
{
    /**
     * The engine of a job among the names of several whose databases are as one (`spreadOver`).
     *
     * @param string $key its process instance id, else its unique key, else the key of its series, else its id
     * @param list<string> $names
     * @throws ValueError there is no name
     */
    public static function engineOf(string $key, array $names): string
    {
        $weight = static fn (string $name): string => hash('sha256', "$name\n$key");
        usort($names, static fn (string $one, string $other): int => strcmp($weight($other), $weight($one)));

        return $names[0] ?? throw new ValueError('engineOf() needs names of engines');
    }
}
