<?php

namespace App\Providers;

use App\Http\Controllers\OrderController;
use Illuminate\Support\Facades\Route;
use Illuminate\Support\ServiceProvider;

class AppServiceProvider extends ServiceProvider
{
    public function boot(): void
    {
        Route::apiResource('orders', OrderController::class)->only(['index', 'store']);
    }
}
