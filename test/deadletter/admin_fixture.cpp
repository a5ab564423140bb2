#include "test/deadletter/admin_fixture.hpp"

#include "schema/job_transition.hpp"

#include <utility>

namespace jobstrand::deadletter {

namespace {

using schema::JobPlace;

[[nodiscard]] std::string_view word_of(ItemAnswer answer) {
    switch (answer) {
        case ItemAnswer::done:
            return "done";
        case ItemAnswer::unchanged:
            return "skipped";
        case ItemAnswer::not_found:
            return "not_found";
        case ItemAnswer::locked:
            return "locked";
        case ItemAnswer::refused:
            break;
    }
    return "refused";
}

}  // namespace

void AdminTest::insert_all(JobPlace place, const std::vector<std::string>& ids) {
    std::vector<schema::PlacedJob> jobs;
    for (const std::string& id : ids) {
        jobs.push_back({.place = place, .job = test::a_job(id).build()});
    }
    sql_store_->enqueuer().insert(std::move(jobs));
}

void AdminTest::insert(JobPlace place, schema::Job job) {
    std::vector<schema::PlacedJob> jobs;
    jobs.push_back({.place = place, .job = std::move(job)});
    sql_store_->enqueuer().insert(std::move(jobs));
}

void AdminTest::insert_unique(schema::Job job, const schema::KeyRule& rule) {
    persistence::EnqueuerStore& enqueuer = sql_store_->enqueuer();
    const persistence::KeyWish wish{.key = job.unique_key, .job = job.id, .rule = rule};
    enqueuer.in_transaction(
        [&](persistence::Transaction& transaction) {
            (void)enqueuer.take_keys(transaction, std::span(&wish, 1), clock_.now());
            (void)enqueuer.insert(transaction, {{.place = JobPlace::executable, .job = job}});
        },
        {}
    );
}

void AdminTest::insert_series(const std::string& key, const std::string& group) {
    std::vector<persistence::NewSeries> series;
    series.push_back({
        .series = {.key = key, .group = group, .repeat = "R/P1Y"},
        .first_turn = test::a_job(key + "-turn"),
    });
    sql_store_->enqueuer().create(std::move(series), clock_.now());
}

void AdminTest::lock_all() {
    const std::vector<std::string> types{"noop"};
    (void)sql_store_->executor().acquire(
        {.owner = "node-1", .until = clock_.now() + std::chrono::minutes(5)}, types, 100
    );
}

void AdminTest::run_all(const std::optional<std::string>& failure) {
    const std::vector<std::string> types{"noop"};
    const persistence::LockClaim claim{
        .owner = "node-1", .until = clock_.now() + std::chrono::minutes(5), .now = clock_.now()};
    std::vector<persistence::Outcome> outcomes;
    for (schema::Job& job : sql_store_->executor().acquire(claim, types, 100)) {
        const schema::Transition end =
            failure ? schema::failed(job, {.message = *failure}, {}, clock_.now())
                    : schema::completed(job);
        outcomes.push_back(
            {.job = std::make_shared<const schema::Job>(std::move(job)), .transition = end}
        );
    }
    (void)sql_store_->executor().apply("node-1", outcomes);
}

void AdminTest::execute(std::string_view sql) {
    file_.connect()->execute(sql, {});
}

std::string AdminTest::places() {
    std::string text;
    for (const JobPlace place : schema::kJobPlaces) {
        if (const std::int64_t count = store_.count(place, {}); count > 0) {
            text += (text.empty() ? "" : " ") + std::string(schema::name_of(place)) + '=' +
                    std::to_string(count);
        }
    }
    return text;
}

BulkWatch AdminTest::watch() {
    items_.clear();
    return {.on_item = [this](const ItemResult& item) {
        items_ += (items_.empty() ? "" : " ") + item.id + ':' + std::string(word_of(item.answer));
        last_ = item;
    }};
}

}  // namespace jobstrand::deadletter
