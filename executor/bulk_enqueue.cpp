#include "executor/bulk_enqueue.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <utility>

namespace jobstrand::executor {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Transaction;

using JobPage = std::vector<NumberedJob>;

constexpr std::size_t kPage = schema::limits::kJobsPerTransaction;

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

std::string BulkEnqueue::enqueue(NewJob job) {
    if (!job.repeats()) {
        return producer_.enqueue({std::move(job.job)}).front();
    }
    give_id(job);
    const std::string id = job.job.id;
    stores_.jobs.in_transaction(
        [&](Transaction& transaction) { enqueue_in(transaction, {job}); },
        [&](Transaction&) { return stores_.jobs.is_stored(id); }
    );
    return id;
}

std::vector<std::string> BulkEnqueue::enqueue_all(std::vector<NewJob> jobs) {
    if (std::ranges::none_of(jobs, &NewJob::repeats)) {
        std::vector<schema::Job> plain;
        plain.reserve(jobs.size());
        for (NewJob& job : jobs) {
            plain.push_back(std::move(job.job));
        }
        return producer_.enqueue(std::move(plain));
    }
    std::vector<std::string> ids;
    ids.reserve(jobs.size());
    for (NewJob& job : jobs) {
        give_id(job);
        ids.push_back(job.job.id);
    }
    stores_.jobs.in_transaction(
        [&](Transaction& transaction) { enqueue_in(transaction, jobs); }, {}
    );
    return ids;
}

std::int64_t
BulkEnqueue::import_all(NewJobSource& source, std::int64_t expected, const EnqueueWatch& watch) {
    std::int64_t added = 0;
    const auto import = [&](Transaction& transaction) {
        added = 0;
        for_each_page(source, [&](JobPage page) {
            added += static_cast<std::int64_t>(page.size());
            enqueue_in(transaction, jobs_of(std::move(page)));
            tell(watch, added);
        });
        if (added != expected) {
            throw SourceChanged();
        }
    };
    stores_.jobs.in_transaction(import, {});
    return added;
}

std::int64_t BulkEnqueue::import_each(NewJobSource& source, const EnqueueWatch& watch) {
    std::int64_t added = 0;
    for_each_page(source, [&](const JobPage& page) {
        // Defended catch: a name that is taken spoils its job only; one by one tells which it is.
        try {
            (void)enqueue_all(jobs_of(page));
            added += static_cast<std::int64_t>(page.size());
        } catch (const DbError& error) {
            if (error.kind() != DbErrorKind::duplicate_key) {
                throw;
            }
            added += std::ranges::count_if(page, [&](const NumberedJob& one) {
                return was_enqueued(one, watch);
            });
        }
        tell(watch, added);
    });
    return added;
}

bool BulkEnqueue::was_enqueued(const NumberedJob& one, const EnqueueWatch& watch) {
    // Defended catch: see import_each.
    try {
        (void)enqueue(one.job);
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

void BulkEnqueue::enqueue_in(Transaction& transaction, std::vector<NewJob> jobs) {
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
             .starts_paused = job.starts_paused}
        );
    }
    if (!plain.empty()) {
        (void)producer_.enqueue(transaction, std::move(plain));
    }
}

// The key of a series is the id of its first turn unless there is another; so it must be known.
void BulkEnqueue::give_id(NewJob& job) {
    if (job.job.id.empty()) {
        job.job.id = ids_.next(clock_.now());
    }
}

}  // namespace jobstrand::executor
