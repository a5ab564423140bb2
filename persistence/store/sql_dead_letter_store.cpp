#include "persistence/queries/job_queries.hpp"
#include "persistence/rows/restore_dead_letters.hpp"
#include "persistence/store/sql_store.hpp"

// What SqlStore forwards for dead letters.
namespace jobstrand::persistence {

using schema::Job;

std::vector<Job> SqlStore::newest_dead_letters(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    return persistence::newest_dead_letters(context_, filter, behind, limit);
}

std::vector<DeadLetterFailure> SqlStore::newest_failures(
    const JobFilter& filter,
    const std::optional<DeadLetterMark>& behind,
    std::size_t limit
) {
    return persistence::newest_failures(context_, filter, behind, limit);
}

std::string SqlStore::exception_details(const Job& job) {
    return persistence::exception_details(context_, job);
}

std::vector<DeadLetterFailure>
SqlStore::list_failures(const JobFilter& filter, std::string_view after, std::size_t limit) {
    return persistence::list_failures(context_, filter, after, limit);
}

std::vector<bool> SqlStore::restore(std::span<const DeadLetterCopy> copies) {
    return restore_dead_letters(context_, copies);
}

}  // namespace jobstrand::persistence
