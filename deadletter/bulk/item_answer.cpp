#include "deadletter/bulk/item_answer.hpp"

namespace jobstrand::deadletter {

using persistence::JobAnswer;

namespace {

[[nodiscard]] ItemResult key_held(persistence::OperatorStore& store, const std::string& id) {
    ItemResult item{
        .id = id, .answer = ItemAnswer::refused, .refusal = Refusal::unique_key_is_held};
    if (const auto placed = store.find(id)) {
        item.unique_key = placed->job.unique_key;
        item.place = placed->place;
    }
    if (const auto owner = store.key_owner(item.unique_key)) {
        item.holder = owner->job;
    }
    return item;
}

}  // namespace

ItemResult result_of(persistence::OperatorStore& store, const std::string& id, JobAnswer answer) {
    switch (answer) {
        case JobAnswer::done:
            return {.id = id};
        case JobAnswer::locked:
            return {.id = id, .answer = ItemAnswer::locked};
        case JobAnswer::key_held:
            return key_held(store, id);
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

ItemResult refused_as_of_engine(const std::string& id) {
    return {.id = id, .answer = ItemAnswer::refused, .refusal = Refusal::is_of_engine};
}

}  // namespace jobstrand::deadletter
