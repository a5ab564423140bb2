<?php

declare(strict_types=1);

namespace Jobstrand;

use RuntimeException;

/** No answer came from the service. What was asked for may have been done all the same. */
final class Unreachable extends RuntimeException
{
}
