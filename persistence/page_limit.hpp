#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// What an acquisition has seen, beside what it took.
struct SeenRows {
    /// Jobs of the last page that wait for an exclusive one or a limit instead of being taken:
    /// whoever goes on behind a page counts them as taken.
    std::size_t waiting = 0;

    /// The first free job that was passed over, because somebody was deciding about its group at
    /// that moment; empty: there was none. It may be looked for again at once.
    std::string first_left = {};

    /// Jobs that were taken along from behind the page: they come last.
    std::size_t same_instance = 0;

    /// In the order of the ids: the last row of the page that was looked at, if there may be more
    /// behind it; empty: it saw the end of the table.
    std::string end = {};

    /// Other nodes that live and serve such jobs too, as a full page from the start of the table
    /// finds them, where the limit asks for them; nullopt otherwise. Claims of pages do not ask:
    /// they begin behind each other's anyway.
    std::optional<std::size_t> nodes_beside = {};

    /// What it took to find them, without what was done with them.
    std::chrono::steady_clock::duration search{0};
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

    /// Room besides, for exclusive jobs of the instances that the page takes, wherever they stand
    /// (R087). 0: none are looked for. Else it needs schema::kInstanceIndex.
    std::size_t same_instance = 0;

    /// It looks only at ids before this one; empty: at all. Only in the order of ids.
    std::string before = {};

    bool asks_for_nodes = false;  ///< See SeenRows::nodes_beside.

    /// Where to write what was seen; nullptr: nobody asks.
    SeenRows* seen = nullptr;

    /// Told of the last row of a page behind which there may be more (SeenRows::end), before the
    /// page is claimed: another may look behind it. Told again when the claim has to begin anew.
    /// Empty: nobody asks.
    std::function<void(std::string_view end)> when_found = {};

    bool operator==(const PageLimit& other) const {
        return jobs == other.jobs && bytes == other.bytes && limited == other.limited &&
               same_instance == other.same_instance;
    }
};

}  // namespace jobstrand::persistence
