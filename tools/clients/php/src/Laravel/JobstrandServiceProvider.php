<?php

declare(strict_types=1);

namespace Jobstrand\Laravel;

use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobTimedOut;
use Illuminate\Queue\QueueManager;
use Illuminate\Support\ServiceProvider;

/** Adds the driver `jobstrand` to the queues of an app; Laravel finds it by composer.json. */
final class JobstrandServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->callAfterResolving('queue', function (QueueManager $queue): void {
            $queue->addConnector('jobstrand', fn () => new JobstrandConnector($this->app['db']));
        });
    }

    public function boot(Dispatcher $events): void
    {
        $events->listen(JobExceptionOccurred::class, static function (JobExceptionOccurred $event): void {
            if ($event->job instanceof JobstrandJob) {
                $event->job->hasThrown($event->exception);
            }
        });
        // The process ends after this, so that nobody else would tell. (Laravel 8 has no such event.)
        $events->listen(JobTimedOut::class, static function (JobTimedOut $event): void {
            if ($event->job instanceof JobstrandJob && !$event->job->isDeletedOrReleased()) {
                $event->job->release();
            }
        });
    }
}
