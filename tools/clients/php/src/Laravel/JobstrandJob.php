<?php

declare(strict_types=1);

namespace Jobstrand\Laravel;

use Illuminate\Container\Container;
use Illuminate\Contracts\Queue\Job as JobContract;
use Illuminate\Queue\Jobs\Job;
use Jobstrand\Client;
use Jobstrand\ExternalJobs;
use Jobstrand\Fail;
use Jobstrand\Job as HeldJob;
use Throwable;

/** A job that a worker of Laravel holds. */
final class JobstrandJob extends Job implements JobContract
{
    /**
     * A released job has so many retries and its attempts until then. One that was requeued as a dead letter has those that the
     * operator gave it: Laravel counts it anew, and does not give it up at once.
     */
    private const RELEASED = 1000;

    private ?Throwable $thrown = null;

    /**
     * @param string $connectionName
     * @param string $queue
     */
    public function __construct(
        Container $container,
        private readonly ExternalJobs $jobs,
        private readonly HeldJob $held,
        $connectionName,
        $queue,
    ) {
        $this->container = $container;
        $this->connectionName = $connectionName;
        $this->queue = $queue;
    }

    public function getJobId()
    {
        return $this->held->id;
    }

    public function getRawBody()
    {
        return Client::json($this->held->payload);
    }

    public function attempts()
    {
        return max(0, $this->held->retries - self::RELEASED) + 1;
    }

    /** Why it is released: Laravel does not say so there. */
    public function hasThrown(Throwable $error): void
    {
        $this->thrown = $error;
    }

    /** Makes a dead letter of it. */
    public function fail($e = null)
    {
        $this->thrown = $e;
        parent::fail($e);
    }

    /** The job is done, unless Laravel has marked it as failed: so it ends both. */
    public function delete()
    {
        parent::delete();
        if ($this->hasFailed()) {
            $this->jobs->fail($this->held, $this->thrown ?? new Fail('the app has failed it'), retries: 0);
        } else {
            $this->jobs->complete($this->held);
        }
    }

    /** @param int $delay in seconds */
    public function release($delay = 0)
    {
        parent::release($delay);
        $why = $this->thrown ?? new Fail('the app has released it');
        $this->jobs->fail($this->held, $why, $this->secondsUntil($delay), self::RELEASED + $this->attempts());
    }
}
