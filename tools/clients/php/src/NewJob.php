<?php

declare(strict_types=1);

namespace Jobstrand;

use DateTimeImmutable;
use DateTimeInterface;
use DateTimeZone;
use InvalidArgumentException;

/** A job to be enqueued. Only the handler type is needed; what is null is as the service has it. Durations are seconds. */
final class NewJob
{
    /**
     * @param mixed $payload whatever JSON can say
     * @param ?string $id of the app's own, up to 64 characters; one that is taken is refused
     * @param DateTimeInterface|string|null $due when it runs at the earliest; in words only over HTTP
     * @param int|float|null $delay the same, from now
     * @param ?string $repeat such as R/PT1H
     * @param ?int $retries attempts, the first one included
     * @param ?string $retryCycle such as R5/PT1M
     * @param bool $external for workers such as this package's
     * @param bool $exclusive false: it may run beside others of its process instance
     * @param ?string $traceparent of W3C Trace Context: the trace that it belongs to
     * @param ?string $uniqueKey while a job with it is open, no other is added
     * @param int|float|null $uniqueFor the key is held for so long instead
     * @param ?string $onDuplicate reject, keep or replace, when the key is held
     */
    public function __construct(
        public readonly string $handlerType,
        public readonly mixed $payload = null,
        public readonly ?string $id = null,
        public readonly DateTimeInterface|string|null $due = null,
        public readonly int|float|null $delay = null,
        public readonly ?string $repeat = null,
        public readonly ?int $retries = null,
        public readonly ?string $retryCycle = null,
        public readonly ?int $priority = null,
        public readonly bool $external = false,
        public readonly bool $exclusive = true,
        public readonly ?string $processInstanceId = null,
        public readonly ?string $processDefinitionId = null,
        public readonly ?string $category = null,
        public readonly ?string $tenantId = null,
        public readonly ?string $correlationId = null,
        public readonly ?string $traceparent = null,
        public readonly ?string $uniqueKey = null,
        public readonly int|float|null $uniqueFor = null,
        public readonly ?string $onDuplicate = null,
    ) {
        if ($handlerType === '') {
            throw new InvalidArgumentException('a job needs a handler type');
        }
        if ($due !== null && $delay !== null) {
            throw new InvalidArgumentException('a job has one of due and delay');
        }
        if (($delay ?? 0) < 0 || ($uniqueFor ?? 0) < 0) {
            throw new InvalidArgumentException('a duration must not be negative');
        }
        if (!in_array($onDuplicate, [null, 'reject', 'keep', 'replace'], true)) {
            throw new InvalidArgumentException("onDuplicate is reject, keep or replace, not $onDuplicate");
        }
    }

    /**
     * As the service reads it.
     *
     * @return array<string, mixed>
     */
    public function asRead(): array
    {
        $due = $this->due instanceof DateTimeInterface ? self::utc($this->due)->format('Y-m-d\TH:i:s.v\Z') : $this->due;
        return array_filter([
            'dueDate' => $this->delay === null ? $due : self::duration($this->delay),
            'external' => $this->external ?: null,
            'exclusive' => $this->exclusive ? null : false,
            'uniqueFor' => $this->uniqueFor === null ? null : self::duration($this->uniqueFor),
        ] + array_diff_key(get_object_vars($this), ['due' => 0, 'delay' => 0]), static fn ($value) => $value !== null);
    }

    /** ISO 8601, to the millisecond; what is shorter is one. */
    public static function duration(int|float $seconds): string
    {
        return sprintf('PT%.3FS', $seconds > 0 ? max($seconds, 0.001) : 0);
    }

    public static function utc(DateTimeInterface $time): DateTimeImmutable
    {
        return DateTimeImmutable::createFromInterface($time)->setTimezone(new DateTimeZone('UTC'));
    }

    /** A UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database. */
    public static function freshId(): string
    {
        $hex = sprintf('%012x', (int) (microtime(true) * 1000)) . bin2hex(random_bytes(10));
        $hex[12] = '7';
        $hex[16] = '89ab'[random_int(0, 3)];
        return implode('-', sscanf($hex, '%8s%4s%4s%4s%12s'));
    }
}
