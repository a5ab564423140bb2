#include "tools/engine/management_desks.hpp"

#include <utility>

namespace jobstrand {

using engine::with_public_errors;

namespace {

schema::JobLimit limit_of(const JobLimit& limit) {
    schema::JobLimit ours = schema::limit_named(limit.name);
    ours.concurrent = limit.concurrent;
    ours.per_node = limit.per_node;
    if (limit.rate) {
        ours.rate = schema::StartRate{.starts = limit.rate->starts, .period = limit.rate->period};
    }
    return ours;
}

StoredLimit stored_limit_of(const deadletter::LimitSummary& summary) {
    StoredLimit limit;
    limit.name = schema::name_of(summary.limit);
    limit.concurrent = summary.limit.concurrent;
    limit.per_node = summary.limit.per_node;
    if (const auto& rate = summary.limit.rate) {
        limit.rate = StartRate{.starts = rate->starts, .period = rate->period};
    }
    limit.running = summary.running;
    limit.waiting = summary.waiting;
    return limit;
}

}  // namespace

void Management::set_limit(const JobLimit& limit) {
    desks_->outside_transaction([&] { desks_->limits().set(limit_of(limit)); });
}

std::vector<StoredLimit> Management::limits() {
    return with_public_errors([&] {
        std::vector<StoredLimit> limits;
        for (const deadletter::LimitSummary& summary : desks_->limits().list()) {
            limits.push_back(stored_limit_of(summary));
        }
        return limits;
    });
}

ChangeAnswer Management::remove_limit(const std::string& name) {
    return desks_->change([&] {
        return engine::answer_of([&](const deadletter::BulkWatch& watch) {
            desks_->limits().remove({name}, watch);
        });
    });
}

}  // namespace jobstrand
