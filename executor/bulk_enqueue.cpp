#include "executor/bulk_enqueue.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Transaction;

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

void tell(const EnqueueWatch& watch, std::int64_t added) {
    if (watch.on_page) {
        watch.on_page(added);
    }
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

std::string BulkEnqueue::enqueue(NewJob job) {
    Suspended nobody_asks;
    return enqueue(std::move(job), nobody_asks);
}

std::string BulkEnqueue::enqueue(NewJob job, Suspended& suspended) {
    if (!job.repeats()) {
        suspended.begin();
        std::string id = producer_.enqueue({std::move(job.job)}, suspended.seen()).front();
        suspended.commit();
        return id;
    }
    give_id(job);
    std::string id = job.job.id;
    stores_.jobs.in_transaction(
        [&](Transaction& transaction) {
            suspended.begin();
            enqueue_in(transaction, {job}, suspended);
        },
        [&](Transaction&) { return stores_.jobs.is_stored(id); }
    );
    suspended.commit();
    return id;
}

std::vector<std::string>
BulkEnqueue::enqueue_all(std::vector<NewJob> jobs, const EnqueueWatch& watch) {
    Suspended suspended;
    std::vector<std::string> ids = enqueue_all(std::move(jobs), suspended);
    suspended.tell(watch);
    return ids;
}

std::vector<std::string> BulkEnqueue::enqueue_all(std::vector<NewJob> jobs, Suspended& suspended) {
    suspended.begin();
    std::vector<std::string> ids;
    if (std::ranges::none_of(jobs, &NewJob::repeats)) {
        std::vector<schema::Job> plain;
        plain.reserve(jobs.size());
        for (NewJob& job : jobs) {
            plain.push_back(std::move(job.job));
        }
        ids = producer_.enqueue(std::move(plain), suspended.seen());
    } else {
        ids.reserve(jobs.size());
        for (NewJob& job : jobs) {
            give_id(job);
            ids.push_back(job.job.id);
        }
        stores_.jobs.in_transaction(
            [&](Transaction& transaction) {
                suspended.begin();
                enqueue_in(transaction, jobs, suspended);
            },
            {}
        );
    }
    suspended.commit();
    return ids;
}

std::int64_t
BulkEnqueue::import_all(NewJobSource& source, std::int64_t expected, const EnqueueWatch& watch) {
    std::int64_t added = 0;
    Suspended suspended;
    const auto import = [&](Transaction& transaction) {
        added = 0;
        suspended.begin();
        for_each_page(source, [&](JobPage page) {
            added += static_cast<std::int64_t>(page.size());
            enqueue_in(transaction, jobs_of(std::move(page)), suspended);
            tell(watch, added);
        });
        if (added != expected) {
            throw SourceChanged();
        }
    };
    stores_.jobs.in_transaction(import, {});
    suspended.commit();
    suspended.tell(watch);
    return added;
}

std::int64_t BulkEnqueue::import_each(NewJobSource& source, const EnqueueWatch& watch) {
    std::int64_t added = 0;
    Suspended suspended;
    for_each_page(source, [&](const JobPage& page) {
        // Defended catch: a name that is taken spoils its job only; one by one tells which it is.
        try {
            (void)enqueue_all(jobs_of(page), suspended);
            added += static_cast<std::int64_t>(page.size());
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
            added += std::ranges::count_if(page, [&](const NumberedJob& one) {
                return was_enqueued(one, watch, suspended);
            });
        }
        tell(watch, added);
    });
    suspended.tell(watch);
    return added;
}

bool BulkEnqueue::was_enqueued(
    const NumberedJob& one,
    const EnqueueWatch& watch,
    Suspended& suspended
) {
    // Defended catch: see import_each.
    try {
        (void)enqueue(one.job, suspended);
        return true;
    } catch (const DbError& error) {
        const auto taken =
            error.kind() == DbErrorKind::duplicate_key ? find_taken(one.job) : std::nullopt;
        if (!taken) {
            throw;
        }
        if (watch.on_taken) {
            watch.on_taken(one.number, *taken);
        }
        return false;
    }
}

std::optional<TakenName> BulkEnqueue::find_taken(const NewJob& job) {
    return executor::find_taken(stores_.jobs, stores_.series, job);
}

void BulkEnqueue::enqueue_in(
    Transaction& transaction,
    std::vector<NewJob> jobs,
    Suspended& suspended
) {
    std::vector<schema::Job> plain;
    plain.reserve(jobs.size());
    for (NewJob& job : jobs) {
        if (!job.repeats()) {
            plain.push_back(std::move(job.job));
            continue;
        }
        give_id(job);
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
        (void)producer_.enqueue(transaction, std::move(plain), suspended.seen());
    }
}

// The key of a series is the id of its first turn unless there is another; so it must be known.
void BulkEnqueue::give_id(NewJob& job) {
    if (job.job.id.empty()) {
        job.job.id = ids_.next(clock_.now());
    }
}

}  // namespace jobstrand::executor
