<?php

namespace App\Http\Controllers;

use App\Jobs\SendMail;
use App\Models\Order;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Routing\Controller;
use Illuminate\Support\Facades\DB;
use RuntimeException;

class OrderController extends Controller
{
    public function index(): JsonResponse
    {
        return response()->json(['orders' => Order::count()]);
    }

    public function store(Request $request): JsonResponse
    {
        $order = DB::transaction(function () use ($request): Order { // The order and its job are there when this ends, or neither.
            $order = Order::create(['item' => $request->input('item')]);
            SendMail::dispatch($order);
            if ($order->item === 'nothing') {
                throw new RuntimeException('nobody can buy that');
            }
            return $order;
        });
        return response()->json(['order' => $order->id], 201);
    }
}
