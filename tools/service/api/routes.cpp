#include "tools/service/api/routes.hpp"

#include "tools/service/api/job_paths.hpp"

#include <string_view>

namespace jobstrand::service {

namespace {

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kJsonLines = "application/x-ndjson";
constexpr std::string_view kJsonLinesToo = "application/jsonl";

void answer_alive(const Request& /*request*/, const Answer& answer) {
    answer({.status = 200, .body = "{\"status\":\"live\"}\n"});
}

}  // namespace

std::vector<Route> all_routes(const RouteParts& parts) {
    Readiness& readiness = parts.readiness;
    const auto is_ready = [&readiness](const Request&) { return readiness.answer(); };
    return {
        {"GET", "/health/live", Role::anybody, answer_alive},
        {"GET", "/health/ready", Role::anybody, parts.pool.wrap(is_ready)},
        {"POST",
         "/api/v1/jobs",
         Role::worker,
         enqueue_jobs(parts),
         {kJson, kJsonLines, kJsonLinesToo}},
        {"GET", "/api/v1/jobs/{id}", Role::read, parts.pool.wrap(show_job(parts.api))},
    };
}

}  // namespace jobstrand::service
