#pragma once

#include "deadletter/admin/external_topics.hpp"
#include "persistence/served_store.hpp"
#include "schema/job.hpp"
#include "tools/operations/doctor/finding.hpp"

#include <cstddef>
#include <optional>
#include <vector>

/// Pure.
namespace jobstrand::cli {

/// What is known of the jobs without reading all of them.
struct QueueFacts {
    /// Dead letters are counted up to this number.
    static constexpr std::size_t kMostCounted = 1000;

    schema::TimePoint now = {};
    std::vector<persistence::UnservedJobs> unserved = {};
    std::optional<schema::Job> first_free = {};  ///< The first one in the order of ids.
    std::optional<schema::TimePoint> next_due = {};
    std::size_t dead_letters = 0;  ///< kMostCounted + 1: more.
    std::optional<schema::Job> latest_dead = {};
    /// Series that have lost their turn, up to kMostCounted + 1 of them.
    std::vector<std::string> without_turn = {};
    std::string series_up_to = {};  ///< The key of the last one looked at; empty: all were.
    std::vector<deadletter::ExternalTopic> external = {};
};

void check_jobs(const QueueFacts& facts, Findings& findings);

}  // namespace jobstrand::cli
