<?php

return [
    'default' => 'sqlite',
    'connections' => [
        'sqlite' => ['driver' => 'sqlite', 'database' => env('DATABASE_FILE', 'jobs.db'), 'prefix' => '', 'options' => [PDO::ATTR_TIMEOUT => 30]],
    ],
    'migrations' => 'migrations',
];
