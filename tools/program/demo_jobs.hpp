#pragma once

#include "tools/engine/wiring.hpp"

#include <random>

/// What there is to see in a demonstration: the background jobs of a shop.
namespace jobstrand::cli {

/// Handlers that take their time and fail now and then, by several causes.
void add_demo_handlers(executor::HandlerRegistry& handlers);

/// What a shop that has been open for a while has: schedules, limits, timers, dead letters, a
/// suspended instance, jobs that nobody serves.
void fill_demo(engine::Wiring& engine);

/// Some orders have come in.
void add_demo_orders(engine::Wiring& engine, std::minstd_rand& random);

}  // namespace jobstrand::cli
