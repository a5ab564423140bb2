<?php

declare(strict_types=1);

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Config\Repository;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Database\ConnectionInterface;
use Illuminate\Database\DatabaseServiceProvider;
use Illuminate\Foundation\Application;
use Illuminate\Queue\Events\JobFailed;
use Illuminate\Queue\Events\JobTimedOut;
use Illuminate\Queue\QueueServiceProvider;
use Illuminate\Queue\WorkerOptions;
use Illuminate\Support\Facades\Facade;
use Jobstrand\Laravel\JobstrandQueue;
use Jobstrand\Laravel\JobstrandServiceProvider;
use Monolog\Handler\NullHandler;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/jobs.php';

/** What the driver for Laravel's queues claims, on services with SQLite and on the servers that POSTGRESQL_DSN and MARIADB_DSN name. */
final class QueueTest extends TestCase
{
    private const TABLES = ['ACT_RU_TIMER_JOB', 'ACT_RU_EXTERNAL_JOB', 'ACT_GE_BYTEARRAY'];

    private Service $service;
    private Application $app;

    protected function setUp(): void
    {
        Runs::$all = [];
        $this->service = new Service();
        $this->service->command('schema', 'create', '--db', 'sqlite:app.db'); // No node works on it.
        $this->app = new Application($this->service->folder);
        $jobstrand = ['driver' => 'jobstrand', 'url' => $this->service->address];
        $sqlite = ['driver' => 'sqlite', 'prefix' => '', 'options' => [PDO::ATTR_TIMEOUT => Service::PATIENCE_S]];
        $this->app->instance('config', new Repository(['app' => [], 'cache' => [], 'logging' => ['default' => 'null', 'channels' => [
            'null' => ['driver' => 'monolog', 'handler' => NullHandler::class],
        ]], 'queue' => ['default' => 'jobstrand', 'failed' => ['driver' => 'null'], 'connections' => [
            'jobstrand' => $jobstrand,
            'http' => $jobstrand + ['over_http' => true],
            'sqlite' => $jobstrand + ['connection' => 'sqlite'],
            'pgsql' => $jobstrand + ['connection' => 'pgsql'],
            'mysql' => $jobstrand + ['connection' => 'mysql'],
        ]], 'database' => ['default' => 'service', 'connections' => [
            'service' => $sqlite + ['database' => "{$this->service->folder}/jobs.db"],
            'sqlite' => $sqlite + ['database' => "{$this->service->folder}/app.db"],
            'pgsql' => self::server('POSTGRESQL', 'pgsql') + ['charset' => 'utf8'],
            'mysql' => self::server('MARIADB', 'mysql') + ['charset' => 'utf8mb4', 'collation' => 'utf8mb4_unicode_ci'],
        ]]]));
        foreach ([BusServiceProvider::class, DatabaseServiceProvider::class, QueueServiceProvider::class, JobstrandServiceProvider::class] as $provider) {
            $this->app->register($provider);
        }
        $this->app->instance(ExceptionHandler::class, $this->createStub(ExceptionHandler::class));
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication($this->app);
        $this->app->boot();
    }

    protected function tearDown(): void
    {
        foreach (['service', 'sqlite', 'pgsql', 'mysql'] as $name) {
            $this->app['db']->purge($name);
        }
        $this->service->end(SIGTERM);
        array_map(unlink(...), glob("{$this->service->folder}/*"));
        rmdir($this->service->folder);
    }

    /** @return array<string, string> */
    private static function server(string $name, string $driver): array
    {
        preg_match_all('/(host|port|dbname|user|password)=([^;]+)/', getenv("{$name}_DSN"), $found);
        $told = array_combine($found[1], $found[2]);
        return ['driver' => $driver, 'host' => $told['host'], 'port' => $told['port'], 'database' => $told['dbname'], 'prefix' => '',
            'username' => $told['user'] ?? getenv("{$name}_USER"), 'password' => $told['password'] ?? getenv("{$name}_PASSWORD")];
    }

    private function queue(string $name = 'jobstrand'): JobstrandQueue
    {
        return $this->app['queue']->connection($name);
    }

    /** @param Closure(ConnectionInterface, JobstrandQueue): void $test */
    private function eachApp(Closure $test): void
    {
        foreach (['sqlite', 'pgsql', 'mysql'] as $name) {
            $database = $this->app['db']->connection($name);
            array_map(static fn (string $table) => $database->table($name === 'pgsql' ? strtolower($table) : $table)->delete(), self::TABLES);
            $test($database, $this->queue($name));
        }
    }

    private static function rows(ConnectionInterface $database, string $table = 'ACT_RU_EXTERNAL_JOB'): int
    {
        return (int) array_values((array) $database->selectOne("SELECT COUNT(*) FROM $table"))[0];
    }

    /** As `queue:work --stop-when-empty` does, until nothing waits any more. */
    private function workOff(?int $tries = 1): void
    {
        Service::eventually('all have ended', function () use ($tries): bool {
            $this->app['queue.worker']->daemon('jobstrand', 'default', new WorkerOptions(backoff: 0, sleep: 0, maxTries: $tries, stopWhenEmpty: true));
            return $this->queue()->size() === 0;
        });
    }

    public function testAJobIsThereExactlyIfTheTransactionOfTheAppCommits(): void
    {
        $this->eachApp(function (ConnectionInterface $database, JobstrandQueue $queue): void {
            $database->beginTransaction();
            $queue->push(new SendMail('a'));
            $database->rollBack();
            self::assertSame(0, self::rows($database));
            $database->transaction(function () use ($database, $queue): void {
                $queue->push(new SendMail('a'));
                $database->beginTransaction();
                $queue->push(new SendMail('b'));
                $database->rollBack();
            });
            self::assertSame(1, self::rows($database));
            $queue->push(new SendMail('c'));
            self::assertSame(2, self::rows($database));
        });
    }

    public function testQueueTimeAndIdsAreWhereJobstrandHasThem(): void
    {
        $this->eachApp(function (ConnectionInterface $database, JobstrandQueue $queue): void {
            $queue->createPayloadUsing(static fn () => ['uuid' => 'mine']);
            $id = $queue->push(new SendMail('a'), '', Name::Mails);
            $later = $queue->later(3600, new SendMail(str_repeat('ä', 5000)));
            $queue->createPayloadUsing(null);
            $row = "SELECT HANDLER_TYPE_ AS type, RETRIES_ AS retries FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = ? AND CORRELATION_ID_ = 'mine'";
            self::assertEquals((object) ['type' => 'mails', 'retries' => 1], $database->selectOne($row, [$id]));
            $row = "SELECT HANDLER_TYPE_ AS type FROM ACT_RU_TIMER_JOB WHERE ID_ = ? AND CUSTOM_VALUES_ID_ IS NOT NULL AND TYPE_ = 'externalWorker'";
            self::assertEquals((object) ['type' => 'default'], $database->selectOne($row, [$later]));
        });
    }

    public function testManyJobsAreAddedTogether(): void
    {
        $this->eachApp(function (ConnectionInterface $database, JobstrandQueue $queue): void {
            $queue->bulk([...array_map(static fn (int $number) => new SendMail("$number"), range(1, 700)), (new SendMail('later'))->delay(60)], '', 'mails');
            self::assertSame([700, 1], [self::rows($database), self::rows($database, 'ACT_RU_TIMER_JOB')]);
            $database->beginTransaction();
            $queue->bulk([new SendMail('now'), (new SendMail('after'))->afterCommit()]);
            self::assertSame(701, self::rows($database));
            $database->commit();
            self::assertSame(702, self::rows($database));
        });
    }

    public function testOverHttpJobsWaitForTheCommit(): void
    {
        $queue = $this->queue('http');
        foreach (['rollBack' => 0, 'commit' => 3] as $ending => $wanted) {
            $this->app['db']->beginTransaction();
            $queue->push(new SendMail('a'));
            $queue->bulk([new SendMail('b'), new SendMail('c')]);
            self::assertSame(0, $queue->size());
            $this->app['db']->$ending();
            self::assertSame($wanted, $queue->size());
        }
    }

    public function testTheSizesAreThoseOfOneQueue(): void
    {
        $queue = $this->queue();
        $queue->bulk([new SendMail('a'), new SendMail('b'), new SendMail('c')]);
        $queue->later(60, new SendMail('d'));
        $queue->push(new SendMail('e'), '', 'other');
        $held = $queue->pop();
        self::assertSame([4, 2, 1, 1], [$queue->size(), $queue->pendingSize(), $queue->delayedSize(), $queue->reservedSize()]);
        self::assertEqualsWithDelta(time(), $queue->creationTimeOfOldestPendingJob(), 600);
        self::assertSame([0, null], [$queue->size('none'), $queue->creationTimeOfOldestPendingJob('none')]);
        $held->delete();
        self::assertSame(3, $queue->size());
    }

    public function testAWorkerOfLaravelRunsJobs(): void
    {
        $first = $this->queue()->push(new SendMail('zoë@b'));
        $second = $this->queue()->later(1, new SendMail(str_repeat('x', 5000)));
        $this->workOff();
        self::assertSame([['zoë@b', $first, 1], [str_repeat('x', 5000), $second, 1]], Runs::$all);
        self::assertSame(0, $this->service->place('dead'));
    }

    public function testLaravelAloneSaysHowOftenAJobIsTriedAndWhatItGivesUpIsADeadLetter(): void
    {
        $events = [];
        $this->app['events']->listen(JobFailed::class, function (JobFailed $event) use (&$events): void {
            $events[] = $event->exception::class;
        });
        $id = $this->queue()->push(new Failing('throw'));
        $this->workOff();
        self::assertSame([1, 2, 3, 'failed: no printer'], Runs::$all);
        self::assertSame([DomainException::class], $events);
        self::assertSame(['dead', 'DomainException: no printer'], [$this->service->job($id)['place'], $this->service->job($id)['exceptionMessage']]);
        $untold = $this->queue()->push(new Failing('throw', tries: null));
        Runs::$all = [];
        $this->workOff(tries: 2);
        self::assertSame([[1, 2, 'failed: no printer'], 'dead'], [Runs::$all, $this->service->job($untold)['place']]);
    }

    public function testADeadLetterThatIsRequeuedIsTriedAnew(): void
    {
        $id = $this->queue()->push(new Failing('throw', tries: 1));
        $this->workOff();
        foreach ([3, 1] as $retries) {
            Runs::$all = [];
            $this->service->command('dead', 'requeue', $id, '--retries', "$retries");
            $this->workOff();
            self::assertSame([[1, 'failed: no printer'], 'dead'], [Runs::$all, $this->service->job($id)['place']]);
        }
    }

    public function testAJobThatIsReleasedComesAgain(): void
    {
        $this->queue()->push(new Failing('release'));
        $this->workOff();
        self::assertSame([[1, 2, 3], 0], [Runs::$all, $this->service->place('dead')]);
    }

    public function testAJobSaysItselfThatItHasFailedOrIsDone(): void
    {
        $failed = $this->queue()->push(new Failing('fail'));
        $done = $this->queue()->push(new Failing('delete'));
        $this->workOff();
        self::assertSame([1, 'failed: too long', 1], Runs::$all);
        self::assertSame('LengthException: too long', $this->service->job($failed)['exceptionMessage']);
        self::assertSame('done', $this->service->job($done)['place']);
    }

    public function testAnAttemptThatRunsOutOfTimeHasFailed(): void
    {
        if (!class_exists(JobTimedOut::class)) {
            require __DIR__ . '/JobTimedOut.php';
        }
        $id = $this->queue()->push(new Failing('throw'));
        $this->app['events']->dispatch(new JobTimedOut('jobstrand', $this->queue()->pop()));
        $this->workOff(); // The process had ended here.
        self::assertSame([2, 3, 'failed: no printer'], Runs::$all);
        self::assertSame(3, $this->service->job($id)['attempts']);
    }
}
