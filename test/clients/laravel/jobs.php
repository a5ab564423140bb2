<?php

declare(strict_types=1);

use Illuminate\Bus\Queueable;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Queue\InteractsWithQueue;

/** What the jobs of the tests have done. */
final class Runs
{
    /** @var list<mixed> */
    public static array $all = [];
}

enum Name: string
{
    case Mails = 'mails';
}

final class SendMail implements ShouldQueue
{
    use InteractsWithQueue;
    use Queueable;

    public function __construct(private readonly string $to)
    {
    }

    public function handle(): void
    {
        Runs::$all[] = [$this->to, $this->job->getJobId(), $this->attempts()];
    }
}

final class Failing implements ShouldQueue
{
    use InteractsWithQueue;
    use Queueable;

    public ?int $tries;

    public function __construct(private readonly string $how, ?int $tries = 3)
    {
        $this->tries = $tries;
    }

    public function handle(): void
    {
        Runs::$all[] = $this->attempts();
        match ($this->how) {
            'throw' => throw new DomainException('no printer'),
            'release' => $this->attempts() < 3 && $this->release(),
            'fail' => $this->fail(new LengthException('too long')),
            'delete' => $this->delete(),
        };
    }

    public function failed(Throwable $error): void
    {
        Runs::$all[] = 'failed: ' . $error->getMessage();
    }
}
