#pragma once

#include "deadletter/bulk_change.hpp"
#include "persistence/job_filter.hpp"
#include "persistence/operator_store.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::deadletter {

/// Which jobs a bulk operation means: these, or all that match a filter. No ids mean no jobs, and
/// never all of them.
class JobSelection final {
public:
    [[nodiscard]] static JobSelection these(std::vector<std::string> ids) {
        JobSelection selection;
        selection.filter_.ids = std::move(ids);
        selection.is_by_id_ = true;
        return selection;
    }

    /// An empty filter matches every job.
    [[nodiscard]] static JobSelection matching(persistence::JobFilter filter) {
        JobSelection selection;
        selection.filter_ = std::move(filter);
        return selection;
    }

    [[nodiscard]] bool is_by_id() const { return is_by_id_; }
    [[nodiscard]] bool is_nothing() const { return is_by_id_ && filter_.ids.empty(); }
    [[nodiscard]] const std::vector<std::string>& ids() const { return filter_.ids; }

    /// What finds them in the store. Precondition: !is_nothing().
    [[nodiscard]] const persistence::JobFilter& filter() const { return filter_; }

private:
    JobSelection() = default;

    persistence::JobFilter filter_;
    bool is_by_id_ = false;
};

/// Selects the dead letters of one cause that match a filter. To find them, all that the filter
/// matches is read.
struct CauseSelection {
    std::string cause;  ///< id_of() of it.
    persistence::JobFilter filter = {};
};

/// Which dead letters an operation means: these, all that match a filter, or all of one cause.
using DeadSelection = std::variant<JobSelection, CauseSelection>;

/// The jobs that were named; nullptr: they were not.
[[nodiscard]] const std::vector<std::string>* ids_in(const DeadSelection& selection);

/// Jobs whose payloads one statement looks into. An index finds no part of a payload, so a rare one
/// would be sought in all of a place by one statement that nobody can stop.
inline constexpr std::size_t kLookedInto = 5'000;

/// Walks through the part of a place that lies behind an id, so many jobs at a time, in the order
/// of ids. A filter that asks for no payload is one stretch, whatever its length.
class JobStretches final {
public:
    JobStretches(
        persistence::OperatorStore& store,
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        std::string_view after,
        std::size_t at_once = kLookedInto
    );

    /// Goes on to the next stretch; false: there is none.
    [[nodiscard]] bool next();

    /// What is meant of this stretch.
    [[nodiscard]] const persistence::JobFilter& filter() const { return filter_; }
    /// The id behind which the stretch begins.
    [[nodiscard]] const std::string& after() const { return after_; }
    /// The last job that was looked at; empty: none was.
    [[nodiscard]] const std::string& last() const { return last_; }
    [[nodiscard]] bool has_ended() const { return has_ended_; }

private:
    persistence::OperatorStore& store_;
    const schema::JobPlace place_;
    persistence::JobFilter filter_;
    const bool is_cut_;
    const std::size_t at_once_;
    std::string after_;
    std::string last_;
    bool has_ended_ = false;
};

/// The first `limit` behind `after` of what `read(filter, after, limit)` reads.
template <typename Read>
[[nodiscard]] auto first_of(JobStretches stretches, std::size_t limit, const Read& read) {
    decltype(read(stretches.filter(), stretches.after(), limit)) found;
    while (found.size() < limit && stretches.next()) {
        for (auto& item : read(stretches.filter(), stretches.after(), limit - found.size())) {
            found.push_back(std::move(item));
        }
    }
    return found;
}

/// The jobs themselves.
[[nodiscard]] std::vector<schema::Job> list_in(
    persistence::OperatorStore& store,
    schema::JobPlace place,
    const persistence::JobFilter& filter,
    std::string_view after,
    std::size_t limit
);

[[nodiscard]] std::vector<std::string> ids_of(const std::vector<schema::Job>& jobs);

/// How many a filter means.
[[nodiscard]] std::int64_t count_in(
    persistence::OperatorStore& store,
    schema::JobPlace place,
    const persistence::JobFilter& filter
);

/// What the store answered about one job, in the words of a bulk operation. Not found says where
/// the job stands instead.
[[nodiscard]] ItemResult
result_of(persistence::OperatorStore& store, const std::string& id, persistence::JobAnswer answer);

/// What only a Flowable engine may do.
[[nodiscard]] ItemResult refused_as_of_engine(const std::string& id);

}  // namespace jobstrand::deadletter
