#include "tools/service/api/enqueue_once.hpp"

#include "persistence/request_store.hpp"
#include "tools/access/token.hpp"
#include "tools/service/api/enqueue_responses.hpp"
#include "tools/service/api/job_reader.hpp"
#include "tools/service/http/problem.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/member_values.hpp"
#include "tools/text/percent.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

namespace jobstrand::service {

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

/// Where the job is, of an answer about one.
[[nodiscard]] std::optional<Header> location_in(const std::string& answer) {
    const auto members = cli::members_of(answer);
    if (!members) {
        return std::nullopt;
    }
    for (const cli::JsonMember& member : members.value()) {
        std::string id;
        if (member.name == "id" && cli::read_text(member.value, id).empty()) {
            return Header{"Location", "/api/v1/jobs/" + percent_encoded(id)};
        }
    }
    return std::nullopt;
}

[[nodiscard]] Response replay(RememberedRequest remembered, std::string_view digest) {
    if (remembered.digest != digest) {
        return problem(422, "this Idempotency-Key was sent with another request; take a new one");
    }
    Response response{.status = remembered.status, .body = std::move(remembered.answer)};
    response.headers.push_back({"Idempotency-Replayed", "true"});
    if (auto location = location_in(response.body)) {
        response.headers.push_back(std::move(*location));
    }
    return response;
}

/// A transaction that has taken the key has also enqueued, or it was rolled back.
[[nodiscard]] bool
is_remembered(persistence::Transaction& transaction, const RepeatableRequest& request) {
    const auto found = RequestStore::find_request(transaction, request.key);
    return found && found->digest == request.digest;
}

[[nodiscard]] Response carry_out(
    const ApiParts& api,
    EnqueueCounts& counts,
    const Order& order,
    RepeatableRequest request
) {
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
        counts.repeated_requests.fetch_add(remembered->digest == request.digest ? 1 : 0);
        return replay(std::move(*remembered), request.digest);
    }
    counts.add(enqueued);
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

Response
enqueue_once(const ApiParts& api, EnqueueCounts& counts, const Order& order, const Request& http) {
    const std::string digest = digest_of(http, order);
    const std::string key = key_of(http);
    const schema::TimePoint now = api.engine.clock().now();
    // Defended catch: an id that is taken is an answer to the caller, who is told which.
    try {
        return carry_out(
            api,
            counts,
            order,
            {.key = key, .digest = digest, .now = now, .until = now + kRemembered}
        );
    } catch (const std::exception& error) {
        counts.add_failure(error);
        return enqueue_failure(api, error, order.jobs);
    }
}

WorkPool::BlockingHandler enqueue_once(const ApiParts& api, EnqueueCounts& counts) {
    return [&api, &counts](const Request& http) -> Response {
        if (const std::string_view mistake = mistake_in_key(http); !mistake.empty()) {
            return problem(400, std::string(mistake));
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
        if (!problems.empty()) {
            return bad_job(problems);
        }
        return enqueue_once(api, counts, order, http);
    };
}

}  // namespace jobstrand::service
