#include "persistence/queries/watched_counts.hpp"
#include "persistence/store/sql_store.hpp"

namespace jobstrand::persistence {

std::int64_t SqlStore::count_due(schema::TimePoint until, std::size_t most) {
    return persistence::count_due(context_, until, most);
}

WaitingJobs SqlStore::count_waiting(std::size_t most) {
    return persistence::count_waiting(context_, most);
}

std::vector<FreeJobs>
SqlStore::free_by_type(schema::JobPlace place, std::size_t rows, std::size_t types) {
    return persistence::free_by_type(context_, place, rows, types);
}

std::vector<ExternalJobs> SqlStore::external_by_type(schema::TimePoint now, std::size_t rows) {
    return persistence::external_by_type(context_, now, rows);
}

std::vector<RunningJob> SqlStore::longest_runs(schema::TimePoint now, std::size_t most) {
    return persistence::longest_runs(context_, now, most);
}

}  // namespace jobstrand::persistence
