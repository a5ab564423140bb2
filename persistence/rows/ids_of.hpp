#pragma once

#include "schema/job.hpp"

#include <ranges>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

inline std::string_view id_of(const schema::Job& job) {
    return job.id;
}
inline std::string_view id_of(const schema::Job* job) {
    return job->id;
}
inline std::string_view id_of(const schema::PlacedJob& placed) {
    return placed.job.id;
}
inline std::string_view id_of(const schema::PlacedJob* placed) {
    return placed->job.id;
}

/// The ids of jobs, in their order, for a statement; they are borrowed from the jobs.
template <std::ranges::sized_range Jobs>
[[nodiscard]] std::vector<std::string_view> ids_of(const Jobs& jobs) {
    std::vector<std::string_view> ids;
    ids.reserve(std::ranges::size(jobs));
    for (const auto& job : jobs) {
        ids.push_back(id_of(job));
    }
    return ids;
}

}  // namespace jobstrand::persistence
