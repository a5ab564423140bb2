#pragma once

#include <cstddef>
#include <limits>

namespace jobstrand::persistence {

/// How much one acquisition takes at most. A first job that has more bytes than that alone is taken
/// all the same, or it would never run.
struct PageLimit {
    PageLimit(std::size_t most_jobs) : jobs(most_jobs) {}
    PageLimit(std::size_t most_jobs, std::size_t most_bytes) : jobs(most_jobs), bytes(most_bytes) {}

    std::size_t jobs = 0;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< Of their payloads.

    /// Of jobs that meet a limit (schema::JobLimits); further ones wait.
    std::size_t limited = std::numeric_limits<std::size_t>::max();

    /// Where to write how many jobs of the last page wait for an exclusive one or a limit instead
    /// of being taken; nullptr: nobody asks. Whoever goes on behind a page counts them as taken.
    std::size_t* waiting = nullptr;

    bool operator==(const PageLimit& other) const {
        return jobs == other.jobs && bytes == other.bytes && limited == other.limited;
    }
};

}  // namespace jobstrand::persistence
