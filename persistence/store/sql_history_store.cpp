#include "persistence/history/history_operations.hpp"
#include "persistence/store/sql_store.hpp"

// What SqlStore forwards for the past of jobs.
namespace jobstrand::persistence {

std::vector<JobLogLine>
SqlStore::job_log(const JobLogFilter& filter, std::string_view behind, std::size_t limit) {
    return list_job_log(runner_, filter, behind, limit);
}

std::optional<JobLogLine> SqlStore::find_log_line(std::string_view id) {
    return persistence::find_log_line(runner_, id);
}

JobLogCleaning SqlStore::clean_job_log(const JobLogBounds& bounds) {
    return persistence::clean_job_log(runner_, bounds);
}

std::vector<Incident>
SqlStore::incidents(const IncidentFilter& filter, std::string_view behind, std::size_t limit) {
    return list_incidents(runner_, filter, behind, limit);
}

std::int64_t SqlStore::count_open_incidents() {
    return persistence::count_open_incidents(runner_);
}

std::vector<JobAnswer>
SqlStore::annotate_incidents(std::span<const std::string> jobs, std::string_view text) {
    return persistence::annotate_incidents(runner_, jobs, text);
}

std::vector<JobAnswer>
SqlStore::resolve_incidents(std::span<const std::string> jobs, schema::TimePoint now) {
    return persistence::resolve_incidents(runner_, history_, jobs, now);
}

JobLogCleaning SqlStore::clean_incidents(const JobLogBounds& bounds) {
    return persistence::clean_incidents(runner_, bounds);
}

void SqlStore::add_runs(std::span<const EndedRun> runs) {
    persistence::add_runs(runner_, history_, runs);
}

std::vector<EndedRun>
SqlStore::ended_runs(const EndedRunFilter& filter, std::string_view behind, std::size_t limit) {
    return list_runs(runner_, filter, behind, limit);
}

JobLogCleaning SqlStore::clean_runs(const EndedRunBounds& bounds) {
    return persistence::clean_runs(runner_, bounds);
}

}  // namespace jobstrand::persistence
