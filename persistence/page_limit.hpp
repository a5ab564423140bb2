#pragma once

#include <cstddef>
#include <limits>
#include <string>

namespace jobstrand::persistence {

/// What an acquisition has found, for who goes on behind it.
struct PageFound {
    /// How many jobs of the last page wait for an exclusive one or a limit instead of being taken.
    std::size_t waiting = 0;

    /// How many were taken along, and do not count where the next page begins.
    std::size_t companions = 0;

    /// The last id that was taken and not taken along; empty: none.
    std::string last = {};
};

/// How much one acquisition takes at most. A first job that has more bytes than that alone is taken
/// all the same, or it would never run.
struct PageLimit {
    PageLimit(std::size_t most_jobs) : jobs(most_jobs) {}
    PageLimit(std::size_t most_jobs, std::size_t most_bytes) : jobs(most_jobs), bytes(most_bytes) {}

    std::size_t jobs = 0;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< Of their payloads.

    /// Of jobs that meet a limit (schema::JobLimits); further ones wait.
    std::size_t limited = std::numeric_limits<std::size_t>::max();

    /// Room besides, for jobs that stand behind the page and are of instances that have an
    /// exclusive one in it (R087). 0: none are looked for. Else it needs schema::kInstanceIndex.
    std::size_t companions = 0;

    /// Where to write what was found; nullptr: nobody asks.
    PageFound* found = nullptr;

    bool operator==(const PageLimit& other) const {
        return jobs == other.jobs && bytes == other.bytes && limited == other.limited &&
               companions == other.companions;
    }
};

}  // namespace jobstrand::persistence
