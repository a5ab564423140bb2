<?php

// What Composer would load: Laravel as Debian has it, and the package.
require 'Illuminate/autoload.php';
require __DIR__ . '/../php/autoload.php';
