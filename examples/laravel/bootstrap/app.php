<?php

use Illuminate\Contracts;
use Illuminate\Foundation;

$app = new Foundation\Application(dirname(__DIR__));
$app->singleton(Contracts\Http\Kernel::class, Foundation\Http\Kernel::class);
$app->singleton(Contracts\Console\Kernel::class, Foundation\Console\Kernel::class);
$app->singleton(Contracts\Debug\ExceptionHandler::class, Foundation\Exceptions\Handler::class);

return $app;
