<?php

// As Composer does it by composer.json.
spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'Jobstrand\\')) {
        require __DIR__ . '/../../../tools/clients/php/src/' . strtr(substr($class, strlen('Jobstrand\\')), '\\', '/') . '.php';
    }
});
require __DIR__ . '/Service.php';
