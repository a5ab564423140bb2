<?php

return [
    'default' => 'jobstrand',
    'connections' => [
        'jobstrand' => [
            'driver' => 'jobstrand',
            'url' => env('JOBSTRAND_URL', 'http://127.0.0.1:8080'),
            'token' => env('JOBSTRAND_TOKEN'),
            'queue' => 'default',
            'retry_after' => 90,
            'block_for' => 5,
        ],
    ],
    'failed' => ['driver' => 'null'], // What has failed for good is a dead letter of Jobstrand.
];
