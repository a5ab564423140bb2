<?php

declare(strict_types=1);

namespace Jobstrand;

use RuntimeException;

/** A job that is to be replaced has begun to run, or has ended while its unique key goes on to hold. */
final class KeyHeld extends RuntimeException
{
}
