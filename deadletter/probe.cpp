#include "deadletter/bulk/item_answer.hpp"
#include "deadletter/dead_letters.hpp"
#include "persistence/operator_store.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace jobstrand::deadletter {

namespace {

using schema::JobPlace;

/// One attempt: where it fails it is a dead letter again, and nothing is left behind that runs.
constexpr int kAttemptsOfProbe = 1;

/// What a look at the job shows.
[[nodiscard]] ProbeResult seen(const std::string& id, std::optional<schema::PlacedJob> placed) {
    if (!placed) {
        return {.end = ProbeEnd::succeeded, .id = id};
    }
    ProbeResult result{.end = ProbeEnd::not_ended, .id = id, .place = placed->place};
    result.message = std::move(placed->job.exception_message);
    if (placed->place == JobPlace::dead_letter || placed->place == JobPlace::timer) {
        result.end = ProbeEnd::failed;
    } else if (placed->place == JobPlace::suspended) {
        result.end = ProbeEnd::suspended;
    }
    return result;
}

}  // namespace

ProbeResult DeadLetters::probe(const DeadSelection& selection, const ProbePatience& patience) {
    const std::vector<std::string> first = first_ids(selection, 1);
    if (first.empty()) {
        return {};
    }
    const std::string& id = first.front();
    ItemResult item = requeue_one(id, kAttemptsOfProbe, {});
    if (item.answer != ItemAnswer::done) {
        return {.end = ProbeEnd::not_requeued, .id = id, .item = std::move(item)};
    }
    return wait_for_end(id, patience);
}

ProbeResult DeadLetters::wait_for_end(const std::string& id, const ProbePatience& patience) {
    const schema::SteadyPoint until = clock_.steady_now() + patience.most;
    while (true) {
        ProbeResult result = seen(id, store_.find(id));
        if (result.end != ProbeEnd::not_ended || clock_.steady_now() >= until) {
            return result;
        }
        patience.wait(patience.between);
    }
}

std::vector<std::string> DeadLetters::first_ids(const DeadSelection& selection, std::size_t most)
    const {
    const auto* const jobs = std::get_if<JobSelection>(&selection);
    if (jobs == nullptr || !jobs->is_by_id()) {
        return reader_of(selection)("", most);
    }
    const std::vector<std::string>& ids = jobs->ids();
    return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(most, ids.size()))};
}

}  // namespace jobstrand::deadletter
