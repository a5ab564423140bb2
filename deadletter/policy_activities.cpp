#include "deadletter/policy_activities.hpp"

#include "deadletter/failure_cause.hpp"
#include "deadletter/job_selection.hpp"
#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::deadletter {

using persistence::DeadLetterFailure;
using persistence::JobAnswer;
using persistence::SortedPart;
using schema::Job;
using schema::JobPlace;

namespace {

constexpr std::size_t kReadInAPass = 10'000;
constexpr std::size_t kRequeuedAtOnce = schema::limits::kJobsPerTransaction;
constexpr std::size_t kRefusedKept = 10'000;

/// Between two passes of which the first has left something to do.
constexpr schema::Duration kBreath = std::chrono::milliseconds(50);

RequeueRule checked(RequeueRule rule) {
    if (const std::string mistake = mistake_in(rule); !mistake.empty()) {
        throw std::invalid_argument(fmt::format("[requeues.{}] {}", rule.name, mistake));
    }
    return rule;
}

bool is_of_class(const std::string& error_class, const DeadLetterFailure& failure) {
    return error_class.empty() ||
           cause_of(failure.handler_type, failure.message).error_class == error_class;
}

/// Evenly over the time, the first at once.
std::vector<schema::TimePoint>
spread_over(schema::Duration time, std::size_t jobs, schema::TimePoint now) {
    std::vector<schema::TimePoint> dates;
    const auto count = static_cast<std::int64_t>(jobs);
    for (std::int64_t i = 0; i < count; ++i) {
        dates.push_back(now + schema::Duration(time.count() * i / count));
    }
    return dates;
}

}  // namespace

AutomaticRequeue::AutomaticRequeue(PolicyParts parts, RequeueRule rule, schema::Duration interval)
    : use_(std::move(parts)),
      rule_(checked(std::move(rule))),
      window_(schema::DayWindow::of(rule_.window_start, rule_.window_end).value()),
      interval_(interval) {}

schema::Duration AutomaticRequeue::run_once() {
    const schema::TimePoint now = use_.clock.now();
    if (!window_.contains(now)) {
        position_.clear();
        return std::min(window_.wait_at(now), interval_);  // The clock may be set meanwhile.
    }
    if (const Ids ids = next_ids(now); !ids.empty()) {
        requeue(ids, now);
    }
    return position_.empty() ? interval_ : kBreath;
}

persistence::JobFilter AutomaticRequeue::filter(schema::TimePoint now) const {
    persistence::JobFilter filter{
        .fields = {
            persistence::is_before(&Job::failed_time, now - rule_.wait),
            persistence::is_after(&Job::create_time, now - rule_.until)}};
    filter.only_ours = true;
    if (!rule_.handler_type.empty()) {
        filter.fields.push_back(persistence::equals(&Job::handler_type, rule_.handler_type));
    }
    if (!rule_.message.empty()) {
        filter.fields.push_back(persistence::contains(&Job::exception_message, rule_.message));
    }
    return filter;
}

/// Those that the rule means among the next ones.
AutomaticRequeue::Ids AutomaticRequeue::next_ids(schema::TimePoint now) {
    const persistence::JobFilter asked = filter(now);
    Ids ids;
    for (std::size_t read = 0; read < kReadInAPass; read += kRequeuedAtOnce) {
        const auto page = use_.store.list_failures(asked, position_, kRequeuedAtOnce);
        for (const DeadLetterFailure& failure : page) {
            if (is_of_class(rule_.error_class, failure) && !refused_.contains(failure.id)) {
                ids.push_back(failure.id);
            }
        }
        position_ = page.size() < kRequeuedAtOnce ? std::string() : page.back().id;
        if (position_.empty()) {
            break;
        }
    }
    return ids;
}

std::string AutomaticRequeue::arguments() const {
    std::string text = fmt::format("[requeues.{}]", rule_.name);
    const auto add = [&](std::string_view name, const std::string& value) {
        text += value.empty() ? "" : fmt::format(" {} = {}", name, value);
    };
    add("handlerType", rule_.handler_type);
    add("errorClass", rule_.error_class);
    add("message", rule_.message);
    add("wait", schema::format_duration(rule_.wait));
    add("until", schema::format_duration(rule_.until));
    return text;
}

void AutomaticRequeue::requeue(const Ids& ids, schema::TimePoint now) {
    const persistence::AuditedAction action{
        .who = use_.node,
        .via = kByPolicy,
        .action = "dead requeue",
        .arguments = arguments(),
        .reason = {}};
    use_.audit.run(action, [&] {
        const std::vector<schema::TimePoint> dates = spread_over(rule_.spread, ids.size(), now);
        std::int64_t requeued = 0;
        for (std::size_t begin = 0; begin < ids.size(); begin += kRequeuedAtOnce) {
            const std::size_t size = std::min(kRequeuedAtOnce, ids.size() - begin);
            const std::span<const std::string> page(&ids[begin], size);
            const auto first = dates.begin() + static_cast<std::ptrdiff_t>(begin);
            const persistence::DueDates due_dates =
                rule_.spread == schema::Duration{0}
                    ? persistence::DueDates(std::nullopt)
                    : persistence::DueDates(std::vector<schema::TimePoint>(
                          first, first + static_cast<std::ptrdiff_t>(size)
                      ));
            const auto answers = use_.store.requeue(page, rule_.retries, due_dates, now);
            requeued += std::ranges::count(answers, JobAnswer::done);
            for (std::size_t i = 0; i < size; ++i) {
                if (answers[i] == JobAnswer::key_held) {
                    leave_alone(page[i]);
                }
            }
        }
        return ActionEnd{.result = "done", .changed = requeued};
    });
}

/// So that the audit does not tell of it again and again.
void AutomaticRequeue::leave_alone(const std::string& id) {
    if (refused_.size() >= kRefusedKept) {
        refused_.clear();
    }
    refused_.insert(id);
}

namespace {

/// Jobs of one transaction, and transactions of one pass.
constexpr std::size_t kJobs = 500;
constexpr int kTransactions = 20;

}  // namespace

DeadLetterCleaning::DeadLetterCleaning(
    PolicyParts parts,
    DeadLetterRetention retention,
    schema::DayWindow window,
    schema::Duration interval
)
    : use_(std::move(parts)), retention_(retention), window_(window), interval_(interval) {}

schema::Duration DeadLetterCleaning::run_once() {
    const schema::TimePoint now = use_.clock.now();
    if (!window_.contains(now)) {
        return std::min(window_.wait_at(now), interval_);  // The clock may be set meanwhile.
    }
    std::vector<std::string> page = next_page();
    if (page.empty()) {
        return interval_;
    }
    remove(std::move(page));
    return kBreath;
}

/// What is to be removed first; empty: nothing.
std::vector<std::string> DeadLetterCleaning::next_page() const {
    std::vector<std::string> page = too_old();
    return page.empty() ? too_many() : page;
}

std::vector<std::string> DeadLetterCleaning::too_old() const {
    if (retention_.age == schema::Duration{0}) {
        return {};
    }
    const schema::TimePoint end = use_.clock.now() - retention_.age;
    return ids_of(use_.store.list_in_order(
        JobPlace::dead_letter,
        {.fields = {persistence::is_before(&Job::failed_time, end)}, .only_ours = true},
        {.by = &Job::failed_time, .limit = kJobs}
    ));
}

std::vector<std::string> DeadLetterCleaning::too_many() const {
    if (retention_.rows == 0) {
        return {};
    }
    const std::int64_t surplus =
        use_.store.count(JobPlace::dead_letter, {.only_ours = true}) - retention_.rows;
    if (surplus <= 0) {
        return {};
    }
    const std::size_t most = std::min(static_cast<std::size_t>(surplus), kJobs);
    const auto undated = use_.store.list_in_order(
        JobPlace::dead_letter,
        {.fields = {persistence::is_absent(&Job::failed_time)}, .only_ours = true},
        {.limit = most}
    );
    if (!undated.empty()) {
        return ids_of(undated);
    }
    return ids_of(use_.store.list_in_order(
        JobPlace::dead_letter, {.only_ours = true}, {.by = &Job::failed_time, .limit = most}
    ));
}

std::string DeadLetterCleaning::arguments() const {
    return fmt::format(
        "deadLetterRetention = {}, deadLetterMaxRows = {}",
        schema::format_duration(retention_.age),
        retention_.rows
    );
}

void DeadLetterCleaning::remove(std::vector<std::string> page) {
    const persistence::AuditedAction action{
        .who = use_.node,
        .via = kByPolicy,
        .action = "dead rm",
        .arguments = arguments(),
        .reason = {}};
    use_.audit.run(action, [&] {
        std::int64_t removed = 0;
        for (int pages = 0; pages < kTransactions && !page.empty(); ++pages, page = next_page()) {
            const auto answers = use_.store.remove(JobPlace::dead_letter, page, use_.clock.now());
            removed += std::ranges::count(answers, JobAnswer::done);
        }
        return ActionEnd{.result = "done", .changed = removed};
    });
}

}  // namespace jobstrand::deadletter
