#include "executor/report/attempt_trace.hpp"

#include "schema/text/trace_parent.hpp"

#include <fmt/format.h>

namespace jobstrand::executor {

namespace {

/// Of a seed; several nodes must not have the same spans.
[[nodiscard]] std::mt19937_64 seeded() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
}

}  // namespace

std::string trace_id_of(const schema::Job& job) {
    const auto parent = schema::parse_trace_parent(job.trace_parent);
    return parent ? parent->trace_id : "";
}

AttemptSpans::AttemptSpans() : random_(seeded()) {}

std::uint64_t AttemptSpans::number() {
    const std::lock_guard lock(mutex_);
    std::uint64_t number = 0;
    while (number == 0) {  // Which is no span.
        number = random_();
    }
    return number;
}

std::string AttemptSpans::next(const schema::Job& job, bool starts_trace) {
    auto span = schema::parse_trace_parent(job.trace_parent);
    if (!span && starts_trace) {
        span.emplace();
        span->trace_id = fmt::format("{:016x}{:016x}", number(), number());
        span->is_sampled = true;
    }
    if (!span) {
        return "";
    }
    span->parent_id = fmt::format("{:016x}", number());
    return schema::text_of(*span);
}

}  // namespace jobstrand::executor
