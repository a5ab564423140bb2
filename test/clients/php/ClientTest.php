<?php

declare(strict_types=1);

use Jobstrand\BusinessError;
use Jobstrand\Client;
use Jobstrand\Engines;
use Jobstrand\Fail;
use Jobstrand\Job;
use Jobstrand\Jobs;
use Jobstrand\KeyHeld;
use Jobstrand\NewJob;
use Jobstrand\Refused;
use Jobstrand\Unreachable;
use Jobstrand\Worker;
use PHPUnit\Framework\TestCase;

/** What the package for PHP claims, on services with SQLite and on the servers that POSTGRESQL_DSN and MARIADB_DSN name. */
final class ClientTest extends TestCase
{
    private const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    private const TABLES = ['ACT_RU_JOB', 'ACT_RU_TIMER_JOB', 'ACT_RU_EXTERNAL_JOB', 'ACT_GE_BYTEARRAY', 'JS_UNIQUE'];

    private Service $service;
    private string $log = '';

    protected function setUp(): void
    {
        $this->service = new Service();
    }

    protected function tearDown(): void
    {
        $this->service->end(SIGTERM);
        array_map(unlink(...), glob("{$this->service->folder}/*"));
        rmdir($this->service->folder);
    }

    private static function full(string $id, string $onDuplicate = 'keep'): NewJob
    {
        return new NewJob(
            'mail', ['to' => '<a@b>/ä'], id: $id, delay: 3600, retries: 4, retryCycle: 'R5/PT1M', priority: 7, external: true, exclusive: false,
            processInstanceId: 'order-1', processDefinitionId: 'orders:1', category: 'shop', tenantId: 'acme', correlationId: 'c-1',
            traceparent: self::TRACE, uniqueKey: 'mail-1', uniqueFor: 7200, onDuplicate: $onDuplicate,
        );
    }

    /** @return iterable<string, PDO> */
    private function apps(): iterable
    {
        // One that no node works on, so that jobs stay where they were put.
        $this->service->command('schema', 'create', '--db', 'sqlite:app.db');
        yield 'sqlite' => $this->service->database('app.db');
        yield 'pgsql' => new PDO(getenv('POSTGRESQL_DSN'));
        yield 'mysql' => new PDO(getenv('MARIADB_DSN'), getenv('MARIADB_USER'), getenv('MARIADB_PASSWORD'));
    }

    private function eachApp(Closure $test): void
    {
        foreach ($this->apps() as $name => $pdo) {
            foreach (self::TABLES as $table) {
                $pdo->exec("DELETE FROM $table");
            }
            $test($pdo, $name);
        }
    }

    private static function add(PDO $pdo, NewJob $job): string
    {
        $pdo->beginTransaction();
        try {
            $id = Jobs::enqueue($pdo, $job);
            $pdo->commit();
            return $id;
        } catch (Throwable $error) {
            $pdo->rollBack();
            throw $error;
        }
    }

    /** The first column of a query's first row; null: there is none. */
    private static function text(PDO $pdo, string $query): ?string
    {
        $found = $pdo->query($query)->fetchColumn();
        return $found === false ? null : (is_resource($found) ? stream_get_contents($found) : (string) $found);
    }

    public function testAJobIsThereExactlyIfTheAppCommits(): void
    {
        $this->eachApp(function (PDO $pdo): void {
            foreach (['rollBack' => null, 'commit' => '{"order":17}'] as $ending => $wanted) {
                $pdo->beginTransaction();
                $id = Jobs::enqueue($pdo, new NewJob('log', ['order' => 17]));
                $pdo->$ending();
                self::assertMatchesRegularExpression('/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/', $id);
                self::assertSame($wanted, self::text($pdo, "SELECT HANDLER_CFG_ FROM ACT_RU_JOB WHERE ID_ = '$id'"));
            }
        });
    }

    public function testAllKindsOfJobsGoInTheTransaction(): void
    {
        $long = str_repeat('ä\\', 2000);
        $this->eachApp(function (PDO $pdo, string $name) use ($long): void {
            self::add($pdo, self::full('full-1'));
            self::add($pdo, new NewJob('mail', id: 'external', external: true));
            self::add($pdo, new NewJob('log', id: 'hourly', due: new DateTimeImmutable('2037-01-01T14:00:00.125+02:00'), repeat: 'R/PT1H'));
            self::add($pdo, new NewJob('log', $long, id: 'long'));
            self::add($pdo, new NewJob('log', str_repeat('ä', 3998), id: 'short'));
            foreach (
                [
                    "SELECT TYPE_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = 'external'" => 'externalWorker',
                    "SELECT TYPE_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'full-1' AND PRIORITY_ = 7" => 'externalWorker',
                    "SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'hourly' AND TYPE_ = 'timer'" => 'R/PT1H',
                    "SELECT b.BYTES_ FROM ACT_RU_JOB j JOIN ACT_GE_BYTEARRAY b ON b.ID_ = j.CUSTOM_VALUES_ID_ WHERE j.ID_ = 'long'" => Client::json($long),
                    "SELECT HANDLER_TYPE_ FROM ACT_RU_JOB WHERE ID_ = 'short' AND CUSTOM_VALUES_ID_ IS NULL" => 'log',
                    "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'mail-1' AND UNTIL_ IS NOT NULL" => 'full-1',
                ] as $query => $wanted
            ) {
                self::assertSame($wanted, self::text($pdo, $query), "$name: $query");
            }
        });
    }

    public function testManyJobsAreThereExactlyIfTheAppCommits(): void
    {
        $this->eachApp(function (PDO $pdo, string $name): void {
            $numbered = array_map(static fn (int $number) => new NewJob('log', $number, external: true), range(0, 1199));
            $jobs = [self::full('full-1'), new NewJob('log', str_repeat('ä', 5000)), ...$numbered, self::full('kept')];
            foreach (['rollBack' => ['0', '0', '0'], 'commit' => ['1', '1', '1200']] as $ending => $wanted) {
                $pdo->beginTransaction();
                $ids = Jobs::enqueueAll($pdo, $jobs);
                $pdo->$ending();
                self::assertSame(['full-1', 1202, 'full-1'], [$ids[0], count(array_unique($ids)), end($ids)]);
                $counted = array_map(static fn (string $table) => self::text($pdo, "SELECT COUNT(*) FROM ACT_RU_$table"), ['TIMER_JOB', 'JOB', 'EXTERNAL_JOB']);
                self::assertSame($wanted, $counted, $name);
            }
            self::assertSame($ids[1201], self::text($pdo, "SELECT ID_ FROM ACT_RU_EXTERNAL_JOB WHERE HANDLER_CFG_ = '1199'"));
            $pdo->beginTransaction();
            self::assertSame([], Jobs::enqueueAll($pdo, []));
            $pdo->commit();
        });
        $client = $this->service->client();
        $ids = $client->enqueueAll([new NewJob('mail', 1, external: true), new NewJob('mail', 2, external: true, delay: 60)]);
        self::assertSame(['external', 'timer'], array_map(fn (string $id) => $this->service->job($id)['place'], $ids));
    }

    public function testTimesAreInUtcAndTheSessionIsLeftAsItWas(): void
    {
        $this->eachApp(function (PDO $pdo, string $name): void {
            if ($name === 'mysql') {
                $pdo->exec("SET time_zone = '+05:00'");
            }
            self::add($pdo, new NewJob('log', due: new DateTimeImmutable('2037-01-01T14:00:00.125+02:00')));
            $read = $name === 'mysql' ? 'UNIX_TIMESTAMP(DUEDATE_)' : 'CAST(DUEDATE_ AS CHAR(23))';
            self::assertSame($name === 'mysql' ? '2114424000.125' : '2037-01-01 12:00:00.125', self::text($pdo, "SELECT $read FROM ACT_RU_TIMER_JOB"));
            if ($name === 'mysql') {
                self::assertSame('+05:00', self::text($pdo, 'SELECT @@session.time_zone'));
            }
        });
    }

    public function testTheServiceReadsWhatWasEnqueuedEitherWay(): void
    {
        self::add($this->service->database(), self::full('full-1'));
        $byTables = $this->service->job('full-1');
        self::assertSame([['to' => '<a@b>/ä'], 'timer', 4, 7, false], [
            $byTables['payload'], $byTables['place'], $byTables['retries'], $byTables['priority'], $byTables['exclusive'],
        ]);
        self::assertEqualsWithDelta(time() + 3600, strtotime($byTables['dueDate']), 600);
        self::assertSame('full-1', $this->service->client()->enqueue(self::full('full-2')));
        self::assertSame('full-2', $this->service->client()->enqueue(self::full('full-2', 'replace')));
        $overHttp = $this->service->job('full-2');
        foreach (['payload', 'place', 'retries', 'retryCycle', 'priority', 'exclusive', 'processInstanceId', 'processDefinitionId', 'category', 'tenantId',
            'correlationId', 'traceparent', 'uniqueKey'] as $name) {
            self::assertSame($byTables[$name], $overHttp[$name], $name);
        }
    }

    public function testUniqueKeysAreRefusedKeptAndReplaced(): void
    {
        $this->eachApp(function (PDO $pdo): void {
            $remind = ['external' => true, 'uniqueKey' => 'remind'];
            self::add($pdo, new NewJob('log', str_repeat('x', 5000), ...$remind, id: 'first'));
            try {
                self::add($pdo, new NewJob('log', ...$remind));
                self::fail('the key is taken');
            } catch (PDOException $taken) {
                self::assertStringStartsWith('23', (string) $taken->getCode());
            }
            self::assertSame('first', self::add($pdo, new NewJob('log', ...$remind, onDuplicate: 'keep')));
            $replacing = [...$remind, 'onDuplicate' => 'replace', 'uniqueFor' => 3600];
            self::assertSame('second', self::add($pdo, new NewJob('log', str_repeat('x', 5000), ...$replacing, id: 'second')));
            self::assertSame('second', self::text($pdo, 'SELECT ID_ FROM ACT_RU_EXTERNAL_JOB'));
            self::assertSame('second', self::text($pdo, "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'remind' AND UNTIL_ IS NOT NULL"));
            self::assertSame('1', self::text($pdo, 'SELECT COUNT(*) FROM ACT_GE_BYTEARRAY'));
            $pdo->exec('DELETE FROM ACT_RU_EXTERNAL_JOB');
            $this->expectNoJob($pdo, KeyHeld::class, new NewJob('log', ...$replacing, id: 'third'));
        });
    }

    private function expectNoJob(PDO $pdo, string $class, NewJob $job): void
    {
        try {
            self::add($pdo, $job);
        } catch (Throwable $error) {
            self::assertInstanceOf($class, $error);
            return;
        }
        self::fail("no $class");
    }

    public function testWhatCannotBeMeantSoIsRefused(): void
    {
        $pdo = $this->service->database();
        foreach ([['due' => 'tomorrow 09:00'], ['repeat' => 'R/PT1H'], ['delay' => 1, 'repeat' => 'R/PT1H', 'uniqueKey' => 'k'], ['onDuplicate' => 'keep'],
            ['uniqueFor' => 1], ['payload' => NAN]] as $wrong) {
            $this->expectNoJob($pdo, InvalidArgumentException::class, new NewJob(...['handlerType' => 'x', ...$wrong]));
        }
        foreach ([['handlerType' => ''], ['delay' => -1], ['delay' => 1, 'due' => 'now'], ['uniqueKey' => 'k', 'onDuplicate' => 'kepe']] as $wrong) {
            try {
                new NewJob(...['handlerType' => 'x', ...$wrong]);
                self::fail(json_encode($wrong));
            } catch (InvalidArgumentException) {
                self::assertSame(0, $this->service->place('executable'));
            }
        }
        $this->expectException(LogicException::class);
        Jobs::enqueue($pdo, new NewJob('x'));
    }

    public function testAServiceThatRefusesSaysWhy(): void
    {
        $client = $this->service->client();
        $client->enqueue(new NewJob('mail', id: 'mail-1', external: true));
        foreach ([409 => new NewJob('mail', id: 'mail-1'), 400 => new NewJob('mail', retryCycle: 'nonsense')] as $status => $job) {
            try {
                $client->enqueue($job);
                self::fail("no $status");
            } catch (Refused $refused) {
                self::assertSame([$status, $status === 400], [$refused->status, $refused->isInvalid()]);
            }
        }
        $this->expectException(Unreachable::class);
        (new Client('http://127.0.0.1:1', retries: 0))->get('/api/v1/stats');
    }

    /** Works until so many handlers have begun. */
    private function work(int $jobs, Closure $handler, ?string $name = null): void
    {
        $worker = new Worker($this->service->client(), $name, wait: 1, log: function (string $line): void {
            $this->log .= "$line\n";
        });
        $begun = 0;
        $worker->handle('mail', static function (Job $job) use ($handler, $worker, $jobs, &$begun): void {
            if (++$begun === $jobs) {
                $worker->stop();
            }
            $handler($job);
        })->run();
    }

    public function testAHandlerThatReturnsHasDoneItsJob(): void
    {
        $this->service->enqueue(10);
        $sum = 0;
        $this->work(10, static function (Job $job) use (&$sum): int {
            return $sum += $job->payload;
        }, 'worker-7');
        self::assertSame([45, 0, 0, 0], [$sum, $this->service->place('external'), $this->service->place('dead'), $this->service->place('timer')]);
        self::assertStringContainsString('worker worker-7 starts: serves mail', $this->log);
    }

    public function testAFailureHasItsClassItsMessageAndItsTrace(): void
    {
        $ids = $this->service->enqueue(3, retries: 1);
        $this->work(3, static fn (Job $job) => throw match ($job->payload) {
            0 => new DomainException('no such address', 0, new LengthException('letter 7')),
            1 => new TypeError('a bug'),
            2 => new Fail('later', retryAfter: 3600, retries: 7),
        });
        $messages = array_map(fn (string $id) => $this->service->job($id)['exceptionMessage'], $ids);
        self::assertSame(['DomainException: no such address', 'TypeError: a bug', 'later'], $messages);
        self::assertSame([2, 1, 7], [$this->service->place('dead'), $this->service->place('timer'), $this->service->job($ids[2])['retries']]);
        $query = 'SELECT b.BYTES_ FROM ACT_GE_BYTEARRAY b JOIN ACT_RU_DEADLETTER_JOB j ON b.ID_ = j.EXCEPTION_STACK_ID_ WHERE j.ID_ = ';
        $details = self::text($this->service->database(), "$query '$ids[0]'");
        self::assertStringContainsString('LengthException: letter 7', $details);
        self::assertStringContainsString('ClientTest.php', $details);
    }

    public function testAHandlerThatAsksHearsThatItsJobWasCancelled(): void
    {
        [$id] = $this->service->enqueue(1);
        $heard = [];
        $this->work(1, function (Job $job) use ($id, &$heard): void {
            $heard[] = $job->extend();
            $this->service->command('job', 'cancel', $id, '--reason', 'the wrong file');
            $heard[] = $job->extend();
        });
        self::assertSame([true, false], $heard);
        self::assertStringContainsString("the result of job $id does not count", $this->log);
    }

    public function testAnOddResultTouchesNoOther(): void
    {
        $ids = $this->service->enqueue(20, retries: 1);
        $this->work(20, static function (Job $job): void {
            match ($job->payload) {
                0 => $job->handOn(['number' => NAN]),
                1 => $job->handOn(['text' => "half a letter \xC3"]),
                2 => $job->handOn(['text' => str_repeat('x', 9 << 20)]),
                3 => throw new RuntimeException("half a letter \xC3, and a \0"),
                4 => throw new Fail('later', retryAfter: 10 ** 12), // Which the service refuses.
                5 => throw new BusinessError('X', '', ['number' => NAN]),
                default => null,
            };
        });
        self::assertSame([0, 6], [$this->service->place('external'), $this->service->place('dead')]);
        self::assertStringContainsString('the service refuses its result: ', $this->service->job($ids[4])['exceptionMessage']);
    }

    public function testAServiceThatIsKilledLosesNothing(): void
    {
        $this->service->enqueue(50);
        $runs = [];
        $this->work(50, function (Job $job) use (&$runs): void {
            $runs[] = $job->id;
            if (count($runs) === 20) {
                $this->service->end(SIGKILL);
                // It is ready only when the worker has tried in vain.
                $this->service->serve(substr($this->service->address, strrpos($this->service->address, ':') + 1));
            }
        });
        self::assertSame([50, 50, 0], [count($runs), count(array_unique($runs)), $this->service->place('external')]);
        self::assertStringContainsString('trying again until the service answers', $this->log);
        self::assertStringContainsString('the service answers again', $this->log);
    }

    public function testAWorkerThatMayNotEndsWithAnException(): void
    {
        $this->expectException(Refused::class);
        $this->work(1, static fn () => null, str_repeat('x', 300));
    }

    public function testTheEngineOfAKeyIsTheOneThatAllClientsName(): void
    {
        foreach (json_decode(file_get_contents(__DIR__ . '/../engine_of.json'), true) as $one) {
            self::assertSame($one['engine'], Engines::engineOf($one['key'], $one['names']));
        }
        $this->expectException(ValueError::class);
        Engines::engineOf('key', []);
    }
}
