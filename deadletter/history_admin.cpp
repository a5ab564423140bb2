#include "deadletter/history_admin.hpp"

#include "deadletter/bulk_change.hpp"
#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace jobstrand::deadletter {

void ActionCounts::add(std::string_view action, std::string_view result, std::int64_t changed) {
    Kind kind{.action = std::string(action), .result = std::string(result)};
    const std::scoped_lock lock(mutex_);
    if (counts_.size() == kMost && !counts_.contains(kind)) {
        return;
    }
    Count& count = counts_[std::move(kind)];
    ++count.actions;
    count.changed += static_cast<std::uint64_t>(std::max<std::int64_t>(changed, 0));
}

ActionCounts::Counts ActionCounts::counts() const {
    const std::scoped_lock lock(mutex_);
    return counts_;
}

void AuditTrail::run(
    const persistence::AuditedAction& action,
    const std::function<ActionEnd()>& carry_out
) {
    const std::string id = store_.begin_action(action, clock_.now());
    ActionEnd end;
    try {
        end = carry_out();
    } catch (...) {
        write_end(id, action.action, {.result = "failed"});
        throw;
    }
    write_end(id, action.action, end);
}

void AuditTrail::write_end(const std::string& id, const std::string& action, const ActionEnd& end) {
    if (counts_ != nullptr) {
        counts_->add(action, end.result, end.changed.value_or(0));
    }
    try {
        store_.end_action(id, end.result, end.changed);
    } catch (const persistence::DbError&) {
        // Defended catch: what the action did or why it failed says more than this, and an error
        // here would make a caller repeat what is done.
    }
}

schema::Page<persistence::AuditEntry> AuditTrail::list(
    const persistence::AuditFilter& filter,
    const std::string& behind,
    std::size_t limit
) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.audit(filter, behind, most);
    });
}

namespace {

using persistence::JobAnswer;

/// Resolved incidents of one job that are shown with it.
constexpr std::size_t kIncidentsOfJob = 100;

ItemResult incident_item(std::string job, JobAnswer answer) {
    const bool is_done = answer == JobAnswer::done;
    return {.id = std::move(job), .answer = is_done ? ItemAnswer::done : ItemAnswer::not_found};
}

}  // namespace

schema::Page<JobLogLine>
HistoryAdmin::log(const JobLogQuery& filter, const std::string& behind, std::size_t limit) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.job_log(filter, behind, most);
    });
}

std::int64_t HistoryAdmin::forget_log(schema::TimePoint before) {
    std::int64_t removed = 0;
    persistence::JobLogCleaning cleaning{.is_more = true};
    while (cleaning.is_more) {
        cleaning = store_.clean_job_log({.before = before, .rows = {}});
        removed += cleaning.removed;
    }
    return removed;
}

schema::Page<Incident>
HistoryAdmin::incidents(const IncidentQuery& filter, const std::string& behind, std::size_t limit) {
    return schema::first_page(limit, [&](std::size_t most) {
        return store_.incidents(filter, behind, most);
    });
}

std::vector<Incident> HistoryAdmin::incidents_of(const std::string& job) {
    std::vector<Incident> all = store_.incidents({.is_open = true, .job = job}, {}, 1);
    auto resolved = store_.incidents({.is_open = false, .job = job}, {}, kIncidentsOfJob);
    for (Incident& incident : resolved) {
        all.push_back(std::move(incident));
    }
    return all;
}

BulkCounts HistoryAdmin::annotate(
    const std::vector<std::string>& jobs,
    const std::string& text,
    const BulkWatch& watch
) {
    const auto annotate_one = [&](const std::string& job) {
        return incident_item(job, store_.annotate_incidents(std::span(&job, 1), text).front());
    };
    return change_each(jobs, annotate_one, watch);
}

BulkCounts HistoryAdmin::resolve(const std::vector<std::string>& jobs, const BulkWatch& watch) {
    const auto resolve_one = [&](const std::string& job) {
        return incident_item(
            job, store_.resolve_incidents(std::span(&job, 1), clock_.now()).front()
        );
    };
    return change_each(jobs, resolve_one, watch);
}

BulkCounts HistoryAdmin::resolve_all(const IncidentQuery& filter, const BulkWatch& watch) {
    const auto read = [&](const std::string& after, std::size_t most) {
        return store_.incidents(filter, after, most);
    };
    const auto key_of = [](const Incident& incident) { return incident.job; };
    const auto resolve_page = [&](const std::vector<Incident>& page) {
        std::vector<std::string> jobs;
        for (const Incident& incident : page) {
            jobs.push_back(incident.job);
        }
        const auto answers = store_.resolve_incidents(jobs, clock_.now());
        std::vector<ItemResult> items;
        for (std::size_t i = 0; i < jobs.size(); ++i) {
            items.push_back(incident_item(jobs[i], answers[i]));
        }
        return items;
    };
    const BulkSource source{
        .total = store_.count_open_incidents(),
        .page = schema::limits::kJobsPerTransaction,
        .read = read,
        .key_of = key_of,
    };
    return change_all(source, resolve_page, watch);
}

}  // namespace jobstrand::deadletter
