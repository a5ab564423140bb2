#pragma once

#include "deadletter/job_selection.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "schema/paging.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::deadletter {

/// Another order than that of ids.
struct JobOrder {
    schema::JobMember by = &schema::Job::id;
    bool is_descending = false;
    std::size_t skipped = 0;                 ///< Jobs of the list that were seen.
    std::optional<schema::Job> behind = {};  ///< See persistence::SortedPart.
};

/// How long a list for somebody who waits for it may look into payloads.
inline constexpr std::chrono::milliseconds kPatience{2'000};

/// Which jobs to list.
struct JobQuery {
    std::vector<schema::JobPlace> places;
    persistence::JobFilter filter = {};
    /// Set: of one place, and without `after` and `is_wanted`. All that the filter matches is read.
    std::optional<JobOrder> order = {};
    std::string after = {};  ///< An id, exclusive; empty: from the start.
    std::size_t limit = 100;
    std::optional<std::size_t> rows = {};  ///< What list_soon() looks at.

    /// How long a search for payloads may take until its page ends; nullopt: without a bound.
    std::optional<std::chrono::milliseconds> patience = {};
    std::size_t looked_into = kLookedInto;  ///< Jobs that one statement looks into then.

    /// May pass over some that the filter matches; null: none.
    bool (*is_wanted)(const schema::PlacedJob&) = nullptr;
};

/// Rows of a place that a question looks at which is to be answered soon, however many there are:
/// an index leads to them.
inline constexpr std::size_t kRowsSoon = 20'000;

/// Which jobs a store shows, of those that there are.
enum class Shown { some, every };

struct JobPage : schema::Page<schema::PlacedJob> {
    /// Jobs that were not looked at could belong to the page. Then `has_more` is not set.
    bool is_partial = false;

    /// The list goes on behind this job, which need not be one of the items; nullopt of a partial
    /// page: nobody knows where, it has to be asked as a whole.
    std::optional<schema::Job> looked_until = {};
};

/// Which instances or definitions to list.
struct ScopeQuery {
    persistence::SuspensionScope scope = persistence::SuspensionScope::instance;
    bool only_suspended = false;  ///< Else those that have jobs as well.
    std::string after = {};       ///< An id, exclusive; empty: from the start.
    std::size_t limit = 100;
};

/// What a bulk operation would be about.
struct Preview {
    std::int64_t count = 0;
    std::vector<schema::PlacedJob> first;  ///< In id order.
};

/// A job with all that is stored about it.
struct JobDetails {
    schema::PlacedJob placed;
    std::string exception_details;  ///< The stack trace or output of the last failure, or empty.

    /// What keeps a suspended job where it is; empty: it is not suspended, or somebody else's
    /// engine has suspended it.
    std::vector<persistence::Suspension> suspended_by = {};

    /// What a waiting exclusive job waits for.
    std::optional<persistence::AwaitedGroup> awaits = {};
};

/// One line of the statistics.
struct PlaceCount {
    schema::JobPlace place = schema::JobPlace::executable;
    std::int64_t jobs = 0;
    std::optional<std::int64_t> locked = {};  ///< nullopt: nothing is ever locked there.

    /// Only so many were looked at, and there are more; nullopt: all were.
    std::optional<std::size_t> looked_at = {};
    /// When they were counted; nullopt: now.
    std::optional<schema::TimePoint> as_of = {};
};

/// The jobs of one handler type in one place.
struct PlacedTypeCount {
    schema::JobPlace place = schema::JobPlace::executable;
    persistence::TypeCount count;
    std::vector<persistence::OwnerCount> owners = {};  ///< Who holds how many, the most first.
    /// Executable: those that ended in the last minute.
    std::optional<persistence::TypeRuns> runs = {};
    /// How many jobs of the place were examined; nullopt: all.
    std::optional<std::size_t> looked_at = {};
};

/// How an operator finds jobs; nothing is changed. Throws DbError. Thread safety: safe. The store
/// must outlive it.
class JobSearch final {
public:
    explicit JobSearch(persistence::OperatorStore& store) : store_(store) {}

    /// The job wherever it stands; nullopt: there is none.
    [[nodiscard]] std::optional<JobDetails> find(std::string_view id) const;

    /// The jobs of all the places together, in id order, or those of one place in another one. Long
    /// payloads are left out.
    [[nodiscard]] JobPage list(const JobQuery& query) const;

    /// The same, of the next rows in the order of the list: as many as the query says, of each
    /// place. Where no index has the order: of the first ones in id order. Precondition:
    /// `is_wanted` is null, and the filter asks for no payload, which has its own bound.
    [[nodiscard]] JobPage list_soon(JobQuery query) const;

    /// The jobs of one place in another order. Long payloads are left out.
    [[nodiscard]] std::vector<schema::Job> list_in_order(
        schema::JobPlace place,
        const persistence::JobFilter& filter,
        const persistence::SortedPart& part
    ) const {
        return store_.list_in_order(place, filter, part);
    }

    [[nodiscard]] std::int64_t
    count(const std::vector<schema::JobPlace>& places, const JobSelection& selection) const;

    /// A dry run: how many jobs a selection means in these places, and the first `most` of them.
    [[nodiscard]] Preview preview(
        const std::vector<schema::JobPlace>& places,
        const JobSelection& selection,
        std::size_t most
    ) const;

    /// What keeps the job in the suspended place; empty: it is not there.
    [[nodiscard]] std::vector<persistence::Suspension> why_suspended(std::string_view id) const;

    /// What keeps such jobs there, or would.
    [[nodiscard]] std::vector<persistence::Suspension> why_suspended(const schema::Job& like
    ) const {
        return store_.suspensions_of(like);
    }

    /// Instances or definitions, in id order.
    [[nodiscard]] schema::Page<persistence::ScopeSummary> scopes(const ScopeQuery& query) const;

    /// What a filter without ids matches in a place, by handler type, the most frequent first.
    [[nodiscard]] std::vector<persistence::TypeCount>
    count_types(schema::JobPlace place, const persistence::JobFilter& filter) const {
        return store_.count_types(place, filter);
    }

    /// Counts jobs by handler type and place. Includes the executable place of a type that has run
    /// jobs there, even if none waits. Reads the first `most` jobs of each place; nullopt: all.
    [[nodiscard]] std::vector<PlacedTypeCount> count_types(
        const std::vector<persistence::TypeRuns>& last_minute,
        std::optional<std::size_t> most = {}
    ) const;

    /// Counts the jobs of every place, in the order of JobPlace, up to `most` each; nullopt: all.
    /// Of a store that shows `every` job, a place with more than `most` need not be counted.
    [[nodiscard]] std::vector<PlaceCount>
    count_places(std::optional<std::size_t> most = {}, Shown shown = Shown::some) const;

private:
    [[nodiscard]] std::string end_of_rows(
        schema::JobPlace place,
        const std::string& after,
        std::optional<std::size_t> most
    ) const;
    [[nodiscard]] JobPage list_soon_in_order(JobQuery query) const;
    [[nodiscard]] std::vector<schema::PlacedJob> first(const JobQuery& query, std::size_t most)
        const;

    persistence::OperatorStore& store_;
};

}  // namespace jobstrand::deadletter
