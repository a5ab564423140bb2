#include "tools/service/api/job_paths.hpp"

#include "deadletter/job_search.hpp"
#include "persistence/journal_store.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "tools/access/narrowed_store.hpp"
#include "tools/access/token_file.hpp"
#include "tools/output/record.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/service/http/message.hpp"
#include "tools/text/http_address.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

EnqueueGroup::EnqueueGroup(const ApiParts& parts) : parts_(parts), thread_([this] { run(); }) {}

EnqueueGroup::~EnqueueGroup() {
    stop();
}

void EnqueueGroup::add(Request request, Answer answer) {
    const std::unique_lock lock(mutex_);
    if (waiting_.size() >= kWaiting || is_stopping_) {
        answer(come_again("too many requests at once"));
        return;
    }
    std::string traceparent = traceparent_of(request);
    waiting_.push_back(
        {.body = std::move(request.body),
         .traceparent = std::move(traceparent),
         .scope = std::move(request.scope),
         .answer = std::move(answer)}
    );
    news_.notify_one();
}

void EnqueueGroup::stop() {
    {
        const std::unique_lock lock(mutex_);
        is_stopping_ = true;
    }
    news_.notify_one();
    if (thread_.joinable()) {
        thread_.join();
    }
    const std::unique_lock lock(mutex_);
    waiting_.clear();
}

void EnqueueGroup::run() {
    while (true) {
        std::vector<Waiting> batch = next_batch();
        if (batch.empty()) {
            return;
        }
        enqueue(std::move(batch));
    }
}

/// Empty: it was stopped.
std::vector<EnqueueGroup::Waiting> EnqueueGroup::next_batch() {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return is_stopping_ || !waiting_.empty(); });
    if (is_stopping_) {
        return {};
    }
    const auto most = static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kBatch));
    std::vector<Waiting> batch(
        std::move_iterator(waiting_.begin()), std::move_iterator(waiting_.begin() + most)
    );
    waiting_.erase(waiting_.begin(), waiting_.begin() + most);
    return batch;
}

void EnqueueGroup::enqueue(std::vector<Waiting> batch) {
    JobReader reader(parts_);
    std::vector<Item> fresh;
    std::vector<Item> named;   // Their ids are looked for in all places, which costs more.
    std::vector<Item> unique;  // One whose key is held fails, and with it all of its transaction.
    std::vector<Item> single;
    for (Waiting& waiting : batch) {
        // Defended catch: what one request meets is its own answer.
        try {
            ReadJob read = reader.read(waiting.body, waiting.scope, waiting.traceparent);
            if (!read.problems.empty()) {
                waiting.answer(bad_job(read.problems));
                continue;
            }
            std::vector<Item>& kind = read.job.repeats()                 ? single
                                      : !read.job.job.unique_key.empty() ? unique
                                      : read.job.job.id.empty()          ? fresh
                                                                         : named;
            kind.push_back({.job = std::move(read.job), .answer = std::move(waiting.answer)});
        } catch (const std::exception& error) {
            waiting.answer(response_to(error, parts_.log));
        }
    }
    store(std::move(fresh));
    store(std::move(named));
    store(std::move(unique));
    std::ranges::for_each(single, [this](const Item& item) { store_one(item); });
}

void EnqueueGroup::store(std::vector<Item> items) {
    if (items.empty()) {
        return;
    }
    std::vector<executor::UniqueJob> jobs;
    jobs.reserve(items.size());
    std::ranges::transform(items, std::back_inserter(jobs), [](const Item& item) {
        return executor::UniqueJob{.job = item.job.job, .rule = item.job.key_rule};
    });
    const auto store_each = [&] {
        std::ranges::for_each(items, [this](const Item& item) { store_one(item); });
    };
    // Defended catch: one bad job spoils no other's transaction, and what the database has is told
    // to all.
    try {
        const auto enqueued = parts_.engine.enqueue_unique(std::move(jobs));
        parts_.enqueued->add(enqueued);
        for (std::size_t i = 0; i < items.size(); ++i) {
            items[i].answer(added(parts_, items[i].job, enqueued[i]));
        }
    } catch (const std::invalid_argument&) {
        store_each();
    } catch (const persistence::KeyHeld&) {
        store_each();
    } catch (const persistence::DbError& error) {
        const auto kind = error.kind();
        if (kind == persistence::DbErrorKind::duplicate_key ||
            kind == persistence::DbErrorKind::too_long) {
            store_each();
            return;
        }
        for (const Item& item : items) {
            item.answer(response_to(error, parts_.log));
        }
    } catch (const std::exception& error) {
        for (const Item& item : items) {
            item.answer(response_to(error, parts_.log));
        }
    }
}

void EnqueueGroup::store_one(const Item& item) {
    // Defended catch: see store().
    try {
        const schema::Enqueued enqueued = parts_.engine.enqueueing().enqueue(item.job);
        parts_.enqueued->add({enqueued});
        item.answer(added(parts_, item.job, enqueued));
    } catch (const std::exception& error) {
        parts_.enqueued->add_failure(error);
        item.answer(enqueue_failure(parts_, error, {&item.job, 1}));
    }
}

namespace {

using persistence::RememberedRequest;
using persistence::RepeatableRequest;
using persistence::RequestStore;

constexpr std::chrono::hours kRemembered{24};

/// Leaves room for who asks.
constexpr std::size_t kKeyLengthMax = 200;

/// Two callers may have had the same idea.
[[nodiscard]] std::string key_of(const Request& request) {
    return request.caller + ' ' + std::string(request.header(kIdempotencyKey));
}

/// What makes two requests the same.
[[nodiscard]] std::string digest_of(const Request& request, const Order& order) {
    return hex_of(
        hash_of(std::string(request.header("Content-Type")) + '\n' + request.body + order.part)
    );
}

[[nodiscard]] Response response_for(
    const ApiParts& api,
    const Order& order,
    const std::vector<schema::Enqueued>& enqueued
) {
    return order.is_single ? added(api, order.jobs.front(), enqueued.front())
                           : added(api, enqueued);
}

[[nodiscard]] Response replay(RememberedRequest remembered, std::string_view digest) {
    if (remembered.digest != digest) {
        return problem(422, "this Idempotency-Key was sent with another request; take a new one");
    }
    Response response{.status = remembered.status, .body = std::move(remembered.answer)};
    response.headers.push_back({"Idempotency-Replayed", "true"});
    // Where the job is, of an answer about one.
    if (const std::string id = text_member_of(response.body, "id"); !id.empty()) {
        response.headers.push_back({"Location", "/api/v1/jobs/" + percent_encoded(id)});
    }
    return response;
}

/// A transaction that has taken the key has also enqueued, or it was rolled back.
[[nodiscard]] bool
is_remembered(persistence::Transaction& transaction, const RepeatableRequest& request) {
    const auto found = RequestStore::find_request(transaction, request.key);
    return found && found->digest == request.digest;
}

[[nodiscard]] Response
carry_out(const ApiParts& api, const Order& order, RepeatableRequest request) {
    std::optional<RememberedRequest> remembered;
    std::vector<schema::Enqueued> enqueued;
    Response response;
    api.engine.in_transaction(
        [&](persistence::Transaction& transaction) {
            remembered = RequestStore::take_request(transaction, request);
            if (!remembered) {
                enqueued = api.engine.enqueueing().enqueue_all(transaction, order.jobs);
                response = response_for(api, order, enqueued);
                RequestStore::answer_request(
                    transaction, request.key, response.status, response.body
                );
            }
        },
        [&](persistence::Transaction& transaction) {
            return !remembered && is_remembered(transaction, request);
        }
    );
    if (remembered) {
        api.enqueued->repeated_requests.fetch_add(remembered->digest == request.digest ? 1 : 0);
        return replay(std::move(*remembered), request.digest);
    }
    api.enqueued->add(enqueued);
    api.engine.request_store().forget_requests(request.now);
    return response;
}

}  // namespace

std::string_view mistake_in_key(const Request& request) {
    const std::string_view key = request.header(kIdempotencyKey);
    const bool is_visible =
        std::ranges::all_of(key, [](char letter) { return letter > ' ' && letter <= '~'; });
    if (request.count_headers(kIdempotencyKey) != 1 || key.empty() || key.size() > kKeyLengthMax ||
        !is_visible) {
        return "Idempotency-Key must be said once, in 1 to 200 visible ASCII characters";
    }
    return {};
}

Response enqueue_once(const ApiParts& api, const Order& order, const Request& http) {
    const std::string digest = digest_of(http, order);
    const std::string key = key_of(http);
    const schema::TimePoint now = api.engine.clock().now();
    // Defended catch: an id that is taken is an answer to the caller, who is told which.
    try {
        return carry_out(
            api, order, {.key = key, .digest = digest, .now = now, .until = now + kRemembered}
        );
    } catch (const std::exception& error) {
        api.enqueued->add_failure(error);
        return enqueue_failure(api, error, order.jobs);
    }
}

namespace {

[[nodiscard]] Response told(const ApiParts& api, cli::Record record) {
    if (api.set != nullptr) {
        record.push_back(cli::text_field("engine", api.engine_name));
    }
    return {.status = 200, .body = json_of(record) + '\n'};
}

[[nodiscard]] Response enqueue_batch(const ApiParts& api, const Request& request) {
    JobReader reader(api);
    const JobBatch batch = read_batch(request, reader);
    if (!batch.problems.empty()) {
        return bad_job(batch.problems);
    }
    return enqueue_all(api, batch.jobs);
}

/// One job or many, with an Idempotency-Key.
[[nodiscard]] Response enqueue_with_key(const ApiParts& api, const Request& http) {
    if (const std::string_view mistake = mistake_in_key(http); !mistake.empty()) {
        return problem(400, mistake);
    }
    JobReader reader(api);
    Order order{.jobs = {}, .is_single = is_one_job(http)};
    std::vector<std::string> problems;
    if (order.is_single) {
        ReadJob read = reader.read(http.body, http.scope, traceparent_of(http));
        problems = std::move(read.problems);
        order.jobs.push_back(std::move(read.job));
    } else {
        JobBatch batch = read_batch(http, reader);
        problems = std::move(batch.problems);
        order.jobs = std::move(batch.jobs);
    }
    return problems.empty() ? enqueue_once(api, order, http) : bad_job(problems);
}

}  // namespace

Response enqueue_all(const ApiParts& api, const std::vector<executor::NewJob>& jobs) {
    // Defended catch: an id that is taken is an answer to the caller, who is told which.
    try {
        const auto enqueued = api.engine.enqueueing().enqueue_all(jobs);
        api.enqueued->add(enqueued);
        return added(api, enqueued);
    } catch (const std::exception& error) {
        api.enqueued->add_failure(error);
        return enqueue_failure(api, error, jobs);
    }
}

Handler enqueue_jobs(const ApiParts& api, WorkPool& pool, EnqueueGroup& singles) {
    Handler many = pool.wrap(std::bind_front(enqueue_batch, std::cref(api)));
    Handler once = pool.wrap(std::bind_front(enqueue_with_key, std::cref(api)));
    return
        [&singles, many = std::move(many), once = std::move(once)](Request request, Answer answer) {
            if (request.count_headers(kIdempotencyKey) > 0) {
                once(std::move(request), std::move(answer));
            } else if (is_one_job(request)) {
                singles.add(std::move(request), std::move(answer));
            } else {
                many(std::move(request), std::move(answer));
            }
        };
}

Response show_job(const ApiParts& api, const Request& request) {
    const std::string& id = request.parameters.front();
    NarrowedStore store(api.engine.store(), request.scope);
    const auto found = deadletter::JobSearch(store).find(id);
    if (!found) {
        if (const auto run = SeenRuns(api.engine.run_store(), request.scope).last_of(id)) {
            return told(api, cli::record_of(cli::done_fields(), *run));
        }
        return problem(404, "there is no such job: it may have run already");
    }
    cli::Record record = cli::record_of(found->placed);
    record.push_back(cli::text_or_null_field("exceptionDetails", found->exception_details));
    if (auto news = cli::news_field(api.engine.run_news_store(), found->placed)) {
        record.push_back(std::move(*news));
    }
    return told(api, std::move(record));
}

}  // namespace jobstrand::service
