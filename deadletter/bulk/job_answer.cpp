#include "deadletter/bulk/job_answer.hpp"

namespace jobstrand::deadletter {

using persistence::Answer;

ItemResult result_of(persistence::JobStore& store, const std::string& id, Answer answer) {
    switch (answer) {
        case Answer::done:
            return {.id = id};
        case Answer::locked:
        case Answer::lost_lock:
            return {.id = id, .answer = ItemAnswer::locked};
        case Answer::not_found:
            break;
    }
    const auto placed = store.find(id);
    return {
        .id = id,
        .answer = ItemAnswer::not_found,
        .place = placed ? std::optional(placed->place) : std::nullopt,
    };
}

}  // namespace jobstrand::deadletter
