#include "deadletter/bulk/job_answer.hpp"

namespace jobstrand::deadletter {

using persistence::JobAnswer;

ItemResult result_of(persistence::OperatorStore& store, const std::string& id, JobAnswer answer) {
    switch (answer) {
        case JobAnswer::done:
            return {.id = id};
        case JobAnswer::locked:
            return {.id = id, .answer = ItemAnswer::locked};
        case JobAnswer::not_found:
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
