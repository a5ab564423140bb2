#include "tools/jobstrand/commands/job/job_order.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::cli {

namespace {

using schema::Job;

const std::array<std::pair<std::string_view, schema::JobMember>, 6> kOrders{{
    {"id", &Job::id},
    {"due", &Job::due_date},
    {"created", &Job::create_time},
    {"priority", &Job::priority},
    {"retries", &Job::retries},
    {"type", &Job::handler_type},
}};

}  // namespace

std::optional<schema::JobMember> sort_named(std::string_view word) {
    const auto* const found =
        std::ranges::find(kOrders, word, &std::pair<std::string_view, schema::JobMember>::first);
    return found == kOrders.end() ? std::nullopt : std::optional(found->second);
}

std::string sort_names() {
    std::string names;
    for (std::size_t i = 0; i < kOrders.size(); ++i) {
        names += i == 0 ? "" : i + 1 == kOrders.size() ? " or " : ", ";
        names += kOrders[i].first;
    }
    return names;
}

}  // namespace jobstrand::cli
