<?php

use Illuminate\Bus\BusServiceProvider;
use Illuminate\Cache\CacheServiceProvider;
use Illuminate\Database\DatabaseServiceProvider;
use Illuminate\Filesystem\FilesystemServiceProvider;
use Illuminate\Foundation\Providers\ConsoleSupportServiceProvider;
use Illuminate\Foundation\Providers\FoundationServiceProvider;
use Illuminate\Queue\QueueServiceProvider;
use Illuminate\View\ViewServiceProvider;

return [
    'name' => 'Shop',
    'env' => 'production',
    'providers' => [
        BusServiceProvider::class, CacheServiceProvider::class, ConsoleSupportServiceProvider::class, DatabaseServiceProvider::class,
        FilesystemServiceProvider::class, FoundationServiceProvider::class, QueueServiceProvider::class,
        ViewServiceProvider::class, App\Providers\AppServiceProvider::class,
    ],
];
