<?php

declare(strict_types=1);

namespace Jobstrand\Laravel;

use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Queue\Connectors\ConnectorInterface;
use Jobstrand\Client;

/** Makes queues by what stands in config/queue.php. */
final class JobstrandConnector implements ConnectorInterface
{
    public function __construct(private readonly ConnectionResolverInterface $databases)
    {
    }

    /** @param array<string, mixed> $config */
    public function connect(array $config): JobstrandQueue
    {
        $isOverHttp = $config['over_http'] ?? false;
        return new JobstrandQueue(
            new Client($config['url'] ?? 'http://127.0.0.1:8080', $config['token'] ?? null),
            $isOverHttp ? null : $this->databases->connection($config['connection'] ?? null),
            $config['queue'] ?? 'default',
            $config['retry_after'] ?? 90,
            $config['block_for'] ?? 0,
            // What goes over HTTP must not run before the app commits.
            $config['after_commit'] ?? $isOverHttp,
        );
    }
}
