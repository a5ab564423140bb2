#include "executor/enqueue/bulk_enqueue.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "persistence/unique_keys.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

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

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::KeyHeld;
using persistence::Transaction;
using schema::Enqueued;

using JobPage = std::vector<NumberedJob>;

constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

/// Instances and the like that are told one by one.
constexpr std::size_t kKindsTold = 1000;

void for_each_page(NewJobSource& source, const std::function<void(JobPage)>& use) {
    source.rewind();
    JobPage page;
    while (auto job = source.next()) {
        page.push_back(std::move(*job));
        if (page.size() == kPage) {
            use(std::exchange(page, {}));
        }
    }
    if (!page.empty()) {
        use(std::move(page));
    }
}

[[nodiscard]] std::vector<NewJob> jobs_of(JobPage page) {
    std::vector<NewJob> jobs;
    jobs.reserve(page.size());
    for (NumberedJob& one : page) {
        jobs.push_back(std::move(one.job));
    }
    return jobs;
}

void tell(const EnqueueWatch& watch, const EnqueueCounts& counts) {
    if (watch.on_page) {
        watch.on_page(counts.added + counts.kept_out);
    }
}

void count(EnqueueCounts& counts, const std::vector<Enqueued>& enqueued) {
    std::ranges::for_each(enqueued, [&counts](const Enqueued& one) { counts.add(one); });
}

/// Jobs without a series.
[[nodiscard]] std::vector<UniqueJob> unique_jobs_of(std::vector<NewJob> jobs) {
    std::vector<UniqueJob> unique;
    unique.reserve(jobs.size());
    for (NewJob& job : jobs) {
        unique.push_back({.job = std::move(job.job), .rule = job.key_rule});
    }
    return unique;
}

}  // namespace

/// Counts only what a transaction has committed: it may have to begin again.
class BulkEnqueue::Suspended final {
public:
    [[nodiscard]] JobProducer::Seen seen() {
        return [this](std::span<const schema::PlacedJob> stored) {
            for (const schema::PlacedJob& placed : stored) {
                if (placed.place == schema::JobPlace::suspended) {
                    add(placed.job);
                }
            }
        };
    }

    void begin() { seen_.clear(); }

    void commit() {
        for (const auto& [kind, jobs] : std::exchange(seen_, {})) {
            add_to(counts_, kind, jobs);
        }
    }

    void tell(const EnqueueWatch& watch) const {
        std::vector<SuspendedNewJobs> all;
        for (const auto& [kind, jobs] : counts_) {
            all.push_back({.like = job_like(kind), .jobs = jobs});
        }
        if (watch.on_suspended && !all.empty()) {
            watch.on_suspended(all);
        }
    }

private:
    /// Instance, definition, and of a turn that carries its series on, which one and its text.
    using Kind = std::tuple<std::string, std::string, std::string, std::string>;
    using Counts = std::map<Kind, std::int64_t>;

    [[nodiscard]] static schema::Job job_like(const Kind& kind) {
        schema::Job like;
        std::tie(like.process_instance_id, like.process_definition_id, like.series, like.repeat) =
            kind;
        return like;
    }

    static void add_to(Counts& counts, const Kind& kind, std::int64_t jobs) {
        const bool is_told = counts.size() < kKindsTold || counts.contains(kind);
        counts[is_told ? kind : Kind()] += jobs;
    }

    void add(const schema::Job& job) {
        const bool carries_on = !job.repeat.empty();
        add_to(
            seen_,
            {job.process_instance_id,
             job.process_definition_id,
             carries_on ? job.series : "",
             job.repeat},
            1
        );
    }

    Counts seen_;
    Counts counts_;
};

schema::Enqueued BulkEnqueue::enqueue(NewJob job) {
    Suspended nobody_asks;
    return enqueue(std::move(job), nobody_asks);
}

schema::Enqueued BulkEnqueue::enqueue(NewJob job, Suspended& suspended) {
    std::vector<NewJob> one;
    one.push_back(std::move(job));
    if (!one.front().repeats()) {
        return enqueue_all(std::move(one), suspended).front();
    }
    give_id(one.front());
    const std::string id = one.front().job.id;
    stores_.jobs.in_transaction(
        [&](Transaction& transaction) {
            suspended.begin();
            (void)enqueue_in(transaction, one, suspended);
        },
        [&](Transaction&) { return stores_.jobs.is_stored(id); }
    );
    suspended.commit();
    return {.id = id};
}

std::vector<Enqueued>
BulkEnqueue::enqueue_all(std::vector<NewJob> jobs, const EnqueueWatch& watch) {
    Suspended suspended;
    std::vector<Enqueued> enqueued = enqueue_all(std::move(jobs), suspended);
    suspended.tell(watch);
    return enqueued;
}

std::vector<Enqueued> BulkEnqueue::enqueue_all(std::vector<NewJob> jobs, Suspended& suspended) {
    suspended.begin();
    std::vector<Enqueued> enqueued;
    if (std::ranges::none_of(jobs, &NewJob::repeats)) {
        enqueued = producer_.enqueue_unique(unique_jobs_of(std::move(jobs)), suspended.seen());
    } else {
        std::ranges::for_each(jobs, [this](NewJob& job) { give_id(job); });
        stores_.jobs.in_transaction(
            [&](Transaction& transaction) {
                suspended.begin();
                enqueued = enqueue_in(transaction, jobs, suspended);
            },
            {}
        );
    }
    suspended.commit();
    return enqueued;
}

std::vector<Enqueued> BulkEnqueue::enqueue_all(Transaction& transaction, std::vector<NewJob> jobs) {
    Suspended nobody_asks;
    return enqueue_in(transaction, std::move(jobs), nobody_asks);
}

EnqueueCounts
BulkEnqueue::import_all(NewJobSource& source, std::int64_t expected, const EnqueueWatch& watch) {
    EnqueueCounts counts;
    Suspended suspended;
    const auto import = [&](Transaction& transaction) {
        counts = {};
        suspended.begin();
        for_each_page(source, [&](JobPage page) {
            count(counts, enqueue_in(transaction, jobs_of(std::move(page)), suspended));
            tell(watch, counts);
        });
        if (counts.added + counts.kept_out != expected) {
            throw SourceChanged();
        }
    };
    stores_.jobs.in_transaction(import, {});
    suspended.commit();
    suspended.tell(watch);
    return counts;
}

EnqueueCounts BulkEnqueue::import_each(NewJobSource& source, const EnqueueWatch& watch) {
    EnqueueCounts counts;
    Suspended suspended;
    for_each_page(source, [&](const JobPage& page) {
        if (const auto enqueued = enqueue_page(page, suspended)) {
            count(counts, *enqueued);
        } else {
            // One by one tells which it is.
            for (const NumberedJob& one : page) {
                if (const auto alone = enqueue_unless_taken(one, watch, suspended)) {
                    counts.add(*alone);
                }
            }
        }
        tell(watch, counts);
    });
    suspended.tell(watch);
    return counts;
}

/// nullopt: a name is taken, and none was enqueued.
std::optional<std::vector<Enqueued>>
BulkEnqueue::enqueue_page(const JobPage& page, Suspended& suspended) {
    // Defended catch: a name that is taken spoils its job only.
    try {
        return enqueue_all(jobs_of(page), suspended);
    } catch (const KeyHeld&) {
        return std::nullopt;
    } catch (const DbError& error) {
        if (error.kind() != DbErrorKind::duplicate_key) {
            throw;
        }
        return std::nullopt;
    }
}

/// nullopt: it was left out.
std::optional<Enqueued> BulkEnqueue::enqueue_unless_taken(
    const NumberedJob& one,
    const EnqueueWatch& watch,
    Suspended& suspended
) {
    TakenName taken;
    // Defended catch: see enqueue_page.
    try {
        return enqueue(one.job, suspended);
    } catch (const KeyHeld& held) {
        taken = {.name = held.key(), .why = held.what()};
    } catch (const DbError& error) {
        const bool is_duplicate = error.kind() == DbErrorKind::duplicate_key;
        const auto found = is_duplicate ? find_taken(one.job) : std::nullopt;
        if (!found) {
            throw;
        }
        taken = *found;
    }
    if (watch.on_taken) {
        watch.on_taken(one.number, taken);
    }
    return std::nullopt;
}

std::optional<TakenName> BulkEnqueue::find_taken(const NewJob& job) {
    return executor::find_taken(stores_.jobs, stores_.series, job);
}

std::vector<Enqueued>
BulkEnqueue::enqueue_in(Transaction& transaction, std::vector<NewJob> jobs, Suspended& suspended) {
    std::vector<Enqueued> enqueued(jobs.size());
    std::vector<NewJob> plain;
    std::vector<std::size_t> places_of_plain;
    plain.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        NewJob& job = jobs[i];
        if (!job.repeats()) {
            plain.push_back(std::move(job));
            places_of_plain.push_back(i);
            continue;
        }
        give_id(job);
        enqueued[i].id = job.job.id;
        job.series.key = schema::series_key_of(job.job);
        (void)producer_.start_series(
            transaction,
            {.series = std::move(job.series),
             .first_turn = std::move(job.job),
             .starts_paused = job.starts_paused},
            suspended.seen()
        );
    }
    if (!plain.empty()) {
        auto answers = producer_.enqueue_unique(
            transaction, unique_jobs_of(std::move(plain)), suspended.seen()
        );
        for (std::size_t i = 0; i < answers.size(); ++i) {
            enqueued[places_of_plain[i]] = std::move(answers[i]);
        }
    }
    return enqueued;
}

// The key of a series is the id of its first turn unless there is another; so it must be known.
void BulkEnqueue::give_id(NewJob& job) {
    if (job.job.id.empty()) {
        job.job.id = ids_.next();
    }
}

}  // namespace jobstrand::executor
