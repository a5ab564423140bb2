#include "tools/access/narrowed_store.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace jobstrand::service {

using persistence::JobAnswer;
using persistence::JobFilter;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;
using schema::TimePoint;

namespace {

constexpr std::string_view kHidden = R"("***")";
constexpr std::string_view kAll = "*";

[[nodiscard]] bool are_all(std::span<const std::string> names) {
    return std::ranges::find(names, kAll) != names.end();
}

[[nodiscard]] bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
    });
    return text;
}

/// Goes through a text that is known to be JSON.
class MemberScan final {
public:
    MemberScan(std::span<const std::string> names, std::string_view json) : json_(json) {
        for (const std::string& name : names) {
            names_.push_back(lowered(name));
        }
    }

    [[nodiscard]] std::string run() {
        while (at_ < json_.size()) {
            if (json_[at_] != '"') {
                out_ += json_[at_++];
                continue;
            }
            const std::string_view text = take_string();
            out_ += text;
            if (take_colon() && is_hidden(text)) {
                skip_value();
                out_ += kHidden;
            }
        }
        return std::move(out_);
    }

private:
    /// With its quotes.
    [[nodiscard]] std::string_view take_string() {
        const std::size_t begin = at_++;
        while (json_[at_] != '"') {
            at_ += json_[at_] == '\\' ? 2U : 1U;
        }
        return json_.substr(begin, ++at_ - begin);
    }

    /// Whether the string before was the name of a member. What stands there is written.
    [[nodiscard]] bool take_colon() {
        std::size_t colon = at_;
        while (colon < json_.size() && is_blank(json_[colon])) {
            ++colon;
        }
        if (colon == json_.size() || json_[colon] != ':') {
            return false;
        }
        const std::size_t begin = at_;
        at_ = colon + 1;
        while (is_blank(json_[at_])) {
            ++at_;
        }
        out_ += json_.substr(begin, at_ - begin);
        return true;
    }

    [[nodiscard]] bool is_hidden(std::string_view quoted) const {
        const auto name = nlohmann::json::parse(quoted).get<std::string>();
        return std::ranges::find(names_, lowered(name)) != names_.end();
    }

    void skip_value() {
        std::size_t depth = 0;
        do {
            const char c = json_[at_];
            if (c == '"') {
                (void)take_string();
                continue;
            }
            if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                --depth;
            }
            ++at_;
        } while (at_ < json_.size() && (depth > 0 || !ends_value(json_[at_])));
    }

    [[nodiscard]] static bool ends_value(char c) {
        return c == ',' || c == '}' || c == ']' || is_blank(c);
    }

    const std::string_view json_;
    std::vector<std::string> names_;
    std::size_t at_ = 0;
    std::string out_;
};

}  // namespace

bool is_hidden_path(std::span<const std::string> names, std::span<const std::string> path) {
    return are_all(names) || std::ranges::any_of(path, [&](const std::string& member) {
               return std::ranges::any_of(names, [&](const std::string& name) {
                   return lowered(name) == lowered(member);
               });
           });
}

std::string without_values_of(std::span<const std::string> names, std::string_view json) {
    if (are_all(names)) {
        return std::string(json.empty() ? json : kHidden);
    }
    if (names.empty() || !nlohmann::json::accept(json)) {
        return std::string(json);
    }
    return MemberScan(names, json).run();
}

schema::Page<FinishedRun>
SeenRuns::list(const FinishedRunQuery& filter, std::string behind, std::size_t limit) {
    schema::Page<FinishedRun> page;
    for (;;) {
        std::vector<FinishedRun> runs = store_.ended_runs(filter, behind, limit + 1);
        const bool is_end = runs.size() <= limit;
        if (!runs.empty()) {
            behind = runs.back().id;
        }
        for (FinishedRun& run : runs) {
            if (!is_seen(run)) {
                continue;
            }
            if (page.items.size() == limit) {
                page.has_more = true;
                return page;
            }
            page.items.push_back(std::move(run));
        }
        if (is_end) {
            return page;
        }
    }
}

std::optional<FinishedRun> SeenRuns::last_of(const std::string& job) {
    auto page = list({.job = job}, {}, 1);
    return page.items.empty() ? std::nullopt : std::optional(std::move(page.items.front()));
}

bool SeenRuns::is_seen(const FinishedRun& run) const {
    return scope_.serves(run.handler_type) && scope_.sees(run.tenant_id);
}

namespace {

using Indices = std::vector<std::size_t>;

/// Whoever may ask what a value is need not be shown it.
void refuse_hidden(const Scope& scope, const persistence::JobTerm& term) {
    const auto* const payload = std::get_if<persistence::PayloadCondition>(&term.leaf);
    if (payload != nullptr && is_hidden_path(scope.hidden, payload->path)) {
        throw OutOfScope("this token may not search by a part of payloads that it is not shown");
    }
    for (const persistence::JobTerm& part : term.parts) {
        refuse_hidden(scope, part);
    }
}

}  // namespace

bool NarrowedStore::is_seen(const Job& job) const {
    return scope_.serves(job.handler_type) && scope_.sees(job.tenant_id);
}

void NarrowedStore::hide_in(Job& job) const {
    if (!scope_.hidden.empty()) {
        job.payload = without_values_of(scope_.hidden, job.payload);
    }
}

std::vector<Job> NarrowedStore::shown(std::vector<Job> jobs) const {
    for (Job& job : jobs) {
        hide_in(job);
    }
    return jobs;
}

JobFilter NarrowedStore::narrowed(JobFilter filter) const {
    for (const persistence::JobTerm& term : filter.where) {
        refuse_hidden(scope_, term);
    }
    if (!scope_.topics.empty()) {
        filter.fields.push_back(persistence::is_like_one_of(&Job::handler_type, scope_.topics));
    }
    if (!scope_.tenants.empty()) {
        filter.fields.push_back(persistence::is_one_of(&Job::tenant_id, scope_.tenants));
    }
    return filter;
}

void NarrowedStore::refuse_if_narrow() const {
    if (scope_.is_narrow()) {
        throw OutOfScope("this cannot be narrowed to the topics or tenants of the token");
    }
}

std::set<std::string, std::less<>>
NarrowedStore::seen(JobPlace place, std::span<const std::string> ids) {
    if (ids.empty()) {
        return {};
    }
    auto found =
        list_ids(place, {.ids = std::vector<std::string>(ids.begin(), ids.end())}, {}, ids.size());
    return {std::move_iterator(found.begin()), std::move_iterator(found.end())};
}

template <typename Act>
std::vector<JobAnswer>
NarrowedStore::for_seen(JobPlace place, std::span<const std::string> ids, const Act& act) {
    if (!scope_.is_narrow()) {
        return act(ids, Indices());
    }
    const auto in_scope = seen(place, ids);
    std::vector<std::string> wanted;
    Indices indices;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (in_scope.contains(ids[i])) {
            wanted.push_back(ids[i]);
            indices.push_back(i);
        }
    }
    std::vector<JobAnswer> answers(ids.size(), JobAnswer::not_found);
    if (!wanted.empty()) {
        const std::vector<JobAnswer> given = act(wanted, indices);
        for (std::size_t i = 0; i < given.size(); ++i) {
            answers[indices[i]] = given[i];
        }
    }
    return answers;
}

std::optional<schema::PlacedJob> NarrowedStore::find(std::string_view id) {
    auto found = store_.find(id);
    if (!found || !is_seen(found->job)) {
        return std::nullopt;
    }
    hide_in(found->job);
    return found;
}

std::vector<Job> NarrowedStore::list(
    JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    return shown(store_.list(place, narrowed(filter), after, limit));
}

std::vector<Job> NarrowedStore::list_in_order(
    JobPlace place,
    const JobFilter& filter,
    const persistence::SortedPart& part
) {
    return shown(store_.list_in_order(place, narrowed(filter), part));
}

/// It says how far rows reach, seen or not, and nothing else of them.
std::optional<Job> NarrowedStore::mark_ahead(JobPlace place, const persistence::SortedPart& part) {
    return store_.mark_ahead(place, part);
}

std::vector<std::string> NarrowedStore::list_ids(
    JobPlace place,
    const JobFilter& filter,
    std::string_view after,
    std::size_t limit
) {
    return store_.list_ids(place, narrowed(filter), after, limit);
}

std::int64_t NarrowedStore::count(JobPlace place, const JobFilter& filter) {
    return store_.count(place, narrowed(filter));
}

std::vector<persistence::TypeCount>
NarrowedStore::count_types(JobPlace place, const JobFilter& filter) {
    return store_.count_types(place, narrowed(filter));
}

std::vector<persistence::OwnerCount> NarrowedStore::count_lock_owners(std::string_view up_to) {
    refuse_if_narrow();
    return store_.count_lock_owners(up_to);
}

std::vector<Job> NarrowedStore::newest_dead_letters(
    const JobFilter& filter,
    const std::optional<persistence::DeadLetterMark>& behind,
    std::size_t limit
) {
    return shown(store_.newest_dead_letters(narrowed(filter), behind, limit));
}

std::vector<persistence::DeadLetterFailure> NarrowedStore::newest_failures(
    const JobFilter& filter,
    const std::optional<persistence::DeadLetterMark>& behind,
    std::size_t limit
) {
    return store_.newest_failures(narrowed(filter), behind, limit);
}

std::vector<persistence::DeadLetterFailure>
NarrowedStore::list_failures(const JobFilter& filter, std::string_view after, std::size_t limit) {
    return store_.list_failures(narrowed(filter), after, limit);
}

std::string NarrowedStore::exception_details(const Job& job) {
    return store_.exception_details(job);
}

std::vector<JobAnswer> NarrowedStore::change_all(
    JobPlace place,
    std::span<const std::string> ids,
    const persistence::ManyChanges& changes,
    TimePoint now
) {
    return for_seen(place, ids, [&](const auto& wanted, const Indices& /*where*/) {
        return store_.change_all(place, wanted, changes, now);
    });
}

std::vector<JobAnswer>
NarrowedStore::remove(JobPlace place, std::span<const std::string> ids, TimePoint now) {
    return for_seen(place, ids, [&](const auto& wanted, const Indices& /*where*/) {
        return store_.remove(place, wanted, now);
    });
}

std::vector<JobAnswer> NarrowedStore::cancel(
    JobPlace place,
    std::span<const std::string> ids,
    std::string_view message,
    TimePoint now
) {
    return for_seen(place, ids, [&](const auto& wanted, const Indices& /*where*/) {
        return store_.cancel(place, wanted, message, now);
    });
}

std::vector<JobAnswer> NarrowedStore::requeue(
    std::span<const std::string> ids,
    int retries,
    const persistence::DueDates& due_dates,
    TimePoint now
) {
    if (!scope_.is_narrow()) {  // The due dates stay with all of them.
        return store_.requeue(ids, retries, due_dates, now);
    }
    const auto act = [&](const auto& wanted, const Indices& indices) {
        std::vector<TimePoint> dates;
        for (const std::size_t index : indices) {
            if (const auto date = due_dates.of(index)) {
                dates.push_back(*date);
            }
        }
        return store_.requeue(
            wanted,
            retries,
            dates.empty() ? persistence::DueDates() : persistence::DueDates(dates),
            now
        );
    };
    return for_seen(JobPlace::dead_letter, ids, act);
}

std::vector<bool>
NarrowedStore::restore(JobPlace place, std::span<const persistence::JobCopy> copies) {
    for (const persistence::JobCopy& copy : copies) {
        scope_.require(copy.job.handler_type, copy.job.tenant_id);
    }
    return store_.restore(place, copies);
}

std::vector<JobAnswer>
NarrowedStore::remove_as_read(JobPlace place, std::span<const schema::Job> jobs, TimePoint now) {
    for (const schema::Job& job : jobs) {
        scope_.require(job.handler_type, job.tenant_id);
    }
    return store_.remove_as_read(place, jobs, now);
}

std::optional<persistence::KeyOwner> NarrowedStore::key_owner(std::string_view key) {
    auto owner = store_.key_owner(key);
    return owner && (!scope_.is_narrow() || find(owner->job)) ? std::move(owner) : std::nullopt;
}

bool NarrowedStore::is_timer_seen(std::string_view id) {
    return !scope_.is_narrow() || find(id).has_value();
}

JobAnswer NarrowedStore::fire_timer(std::string_view id, TimePoint now) {
    return is_timer_seen(id) ? store_.fire_timer(id, now) : JobAnswer::not_found;
}

JobAnswer NarrowedStore::reschedule_timer(std::string_view id, TimePoint due_date, TimePoint now) {
    return is_timer_seen(id) ? store_.reschedule_timer(id, due_date, now) : JobAnswer::not_found;
}

std::int64_t NarrowedStore::suspend(
    SuspensionScope scope,
    std::string_view id,
    TimePoint now,
    const persistence::OnMoved& on_moved
) {
    refuse_if_narrow();
    return store_.suspend(scope, id, now, on_moved);
}

std::int64_t NarrowedStore::activate(
    SuspensionScope scope,
    std::string_view id,
    TimePoint now,
    const persistence::OnMoved& on_moved
) {
    refuse_if_narrow();
    return store_.activate(scope, id, now, on_moved);
}

bool NarrowedStore::is_of_engine(SuspensionScope scope, std::string_view id) {
    return store_.is_of_engine(scope, id);
}

std::vector<persistence::Suspension> NarrowedStore::suspensions(SuspensionScope scope) {
    refuse_if_narrow();
    return store_.suspensions(scope);
}

std::vector<persistence::Suspension> NarrowedStore::suspensions_of(const Job& job) {
    return store_.suspensions_of(job);
}

std::vector<persistence::ScopeSummary>
NarrowedStore::scopes(SuspensionScope scope, std::string_view after, std::size_t limit) {
    refuse_if_narrow();
    return store_.scopes(scope, after, limit);
}

std::vector<persistence::ScopeSummary>
NarrowedStore::suspended_scopes(SuspensionScope scope, std::string_view after, std::size_t limit) {
    refuse_if_narrow();
    return store_.suspended_scopes(scope, after, limit);
}

std::optional<persistence::AwaitedGroup> NarrowedStore::awaited_group(const Job& job) {
    return store_.awaited_group(job);
}

std::optional<persistence::GroupHold> NarrowedStore::group_hold(const Job& job) {
    refuse_if_narrow();
    return store_.group_hold(job);
}

}  // namespace jobstrand::service
