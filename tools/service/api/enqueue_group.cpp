#include "tools/service/api/enqueue_group.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/unique_keys.hpp"
#include "tools/service/api/enqueue_responses.hpp"
#include "tools/service/http/problem.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace jobstrand::service {

EnqueueGroup::EnqueueGroup(const ApiParts& parts, EnqueueCounts& counts)
    : parts_(parts), counts_(counts), thread_([this] { run(); }) {}

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
        counts_.add(enqueued);
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
        counts_.add({enqueued});
        item.answer(added(parts_, item.job, enqueued));
    } catch (const std::exception& error) {
        counts_.add_failure(error);
        item.answer(enqueue_failure(parts_, error, {&item.job, 1}));
    }
}

}  // namespace jobstrand::service
