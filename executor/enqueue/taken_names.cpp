#include "executor/enqueue/taken_names.hpp"

namespace jobstrand::executor {

std::optional<TakenName> NewNames::add(const NewJob& job) {
    const std::string& id = job.job.id;
    const std::string& key = schema::series_key_of(job.job);
    if (!id.empty() && !ids_.insert(id).second) {
        return TakenName{.is_series = false, .name = id};
    }
    if (job.repeats() && !key.empty() && !keys_.insert(key).second) {
        return TakenName{.is_series = true, .name = key};
    }
    return std::nullopt;
}

std::optional<TakenName> find_taken(
    persistence::EnqueuerStore& store,
    persistence::SeriesStore& series_store,
    const NewJob& job
) {
    const std::string& id = job.job.id;
    if (!id.empty() && store.is_stored(id)) {
        return TakenName{.is_series = false, .name = id};
    }
    const std::string& key = schema::series_key_of(job.job);
    if (job.repeats() && !key.empty() && series_store.find_series(key)) {
        return TakenName{.is_series = true, .name = key};
    }
    return std::nullopt;
}

}  // namespace jobstrand::executor
