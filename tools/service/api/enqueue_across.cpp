#include "tools/service/api/enqueue_across.hpp"

#include "tools/service/http/message.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

namespace jobstrand::service {

namespace {

/// Half as many of them for who reads.
constexpr std::size_t kMemberThreads = 4;
constexpr std::size_t kMemberRequests = 1024;

constexpr std::chrono::seconds kAwayFor{1};

/// Requests that wait for an engine that is silent: any, and while a long one may join them.
constexpr std::size_t kMostWhileSilent = 64;
constexpr std::size_t kFewWhileSilent = 4;
constexpr std::size_t kLongBody = std::size_t{64} * 1024;

}  // namespace

SetMember::SetMember(const ApiParts& parts, schema::Duration patience)
    : parts_(parts),
      pool_(kMemberThreads, kMemberRequests, parts_.log),
      singles_(parts_),
      enqueue_(enqueue_jobs(parts_, pool_, singles_)),
      show_(pool_.wrap(std::bind_front(show_job, std::cref(parts_)))),
      patience_(patience) {}

bool SetMember::post(std::function<void()> act) {
    if (posted_.fetch_add(1) >= kMemberRequests) {
        posted_.fetch_sub(1);
        return false;
    }
    pool_.post([this, act = std::move(act)] {
        act();
        posted_.fetch_sub(1);
    });
    return true;
}

bool SetMember::is_silent_now() const {
    return waiting_ > 0 && std::chrono::steady_clock::now() - silent_since_ > patience_;
}

bool SetMember::is_silent() const {
    const std::lock_guard lock(mutex_);
    return is_silent_now();
}

bool SetMember::has_room_for(std::size_t bytes) const {
    const std::lock_guard lock(mutex_);
    const std::size_t most = bytes > kLongBody ? kFewWhileSilent : kMostWhileSilent;
    return waiting_ < most || !is_silent_now();
}

bool SetMember::seems_away() const {
    if (is_silent()) {
        return true;
    }
    const std::lock_guard lock(mutex_);
    return std::chrono::steady_clock::now() < away_until_;
}

void SetMember::begin_waiting() {
    const std::lock_guard lock(mutex_);
    if (waiting_++ == 0) {
        silent_since_ = std::chrono::steady_clock::now();
    }
}

void SetMember::end_waiting(bool has_answered) {
    const std::lock_guard lock(mutex_);
    const schema::SteadyPoint now = std::chrono::steady_clock::now();
    --waiting_;
    if (has_answered) {
        silent_since_ = now;
    }
    away_until_ = has_answered ? now : now + kAwayFor;
}

void SetMember::stop() {
    singles_.stop();
    pool_.stop();
}

Response naming(const std::string& engine, Response response) {
    if (response.status < 500 && response.status != 409) {
        return response;
    }
    auto document = nlohmann::ordered_json::parse(response.body);
    document["detail"] = engine + ": " + document["detail"].get<std::string>();
    document["engine"] = engine;
    response.body = document.dump() + '\n';
    return response;
}

namespace {

using nlohmann::ordered_json;

[[nodiscard]] bool is_stored(const Response& response) {
    return response.status < 300;
}

/// What a repeated request must have in common with the one before: another set would part it
/// otherwise.
[[nodiscard]] std::string numbers_of(const PartOfRequest& part) {
    std::string numbers;
    for (const JobText& job : part.jobs) {
        numbers += fmt::format("\n{}", job.number);
    }
    return numbers;
}

/// A request while its parts are read and stored; whoever works on one holds it.
class AcrossEngines final : public std::enable_shared_from_this<AcrossEngines> {
public:
    AcrossEngines(std::shared_ptr<const Request> request, Answer answer)
        : request_(std::move(request)), answer_(std::move(answer)) {}

    void begin(std::vector<PartOfRequest> parts) {
        std::ranges::transform(parts, std::back_inserter(parts_), [](PartOfRequest& part) {
            return Part{.of = std::move(part), .batch = {}, .response = {}};
        });
        for (Part& part : parts_) {
            if (part.of.member == nullptr) {
                part.response = come_again("the engine is not open; nothing was done");
            } else if (part.of.member->is_silent()) {
                part.response = come_again("the database does not answer; nothing was done");
            }
        }
        for_each_part(&AcrossEngines::read, &AcrossEngines::refuse_or_store);
    }

private:
    struct Part {
        PartOfRequest of;
        JobBatch batch;
        std::optional<Response> response;  ///< Nothing is left to do.
    };
    /// Whoever waits for the database of a part does so no more.
    struct ForgetWaiting {
        explicit ForgetWaiting(Part& its) : part(its) {}
        ~ForgetWaiting() {
            part.of.member->end_waiting(part.response && part.response->status != 503);
        }
        ForgetWaiting(const ForgetWaiting&) = delete;
        ForgetWaiting& operator=(const ForgetWaiting&) = delete;

        Part& part;
    };
    using Step = void (AcrossEngines::*)(Part&);
    using Next = void (AcrossEngines::*)();

    /// Takes the step with each part that has no response, on threads of its engine; then the last
    /// one goes on.
    void for_each_part(Step step, Next next) {
        left_ = parts_.size();
        for (Part& part : parts_) {
            if (part.response) {
                end_part(next);
                continue;
            }
            const bool is_taken =
                part.of.member->post([self = shared_from_this(), &part, step, next] {
                    self->try_step(part, step);
                    self->end_part(next);
                });
            if (!is_taken) {
                part.response = come_again("too many requests at once; nothing was done");
                end_part(next);
            }
        }
    }

    void try_step(Part& part, Step step) {
        // Defended catch: what one engine meets is its answer, and ends no other's part.
        try {
            (this->*step)(part);
        } catch (const std::exception& error) {
            part.response = response_to(error, part.of.member->parts().log);
        }
    }

    void end_part(Next next) {
        if (left_.fetch_sub(1) == 1) {
            (this->*next)();
        }
    }

    void read(Part& part) {
        JobReader reader(part.of.member->parts());
        part.batch = read_batch(*request_, part.of.jobs, reader);
    }

    void refuse_or_store() {
        std::vector<std::string> problems;
        for (Part& part : parts_) {
            std::ranges::move(part.batch.problems, std::back_inserter(problems));
            if (part.response && part.response->status < 500) {
                answer_(std::move(*part.response));
                return;
            }
        }
        if (!problems.empty()) {
            answer_(bad_job(problems));
            return;
        }
        for_each_part(&AcrossEngines::store, &AcrossEngines::finish);
    }

    void store(Part& part) {
        const ApiParts& api = part.of.member->parts();
        const bool has_key = request_->count_headers(kIdempotencyKey) > 0;
        part.of.member->begin_waiting();
        const ForgetWaiting forget{part};
        part.response = has_key
                            ? enqueue_once(
                                  api,
                                  {.jobs = std::move(part.batch.jobs), .part = numbers_of(part.of)},
                                  *request_
                              )
                            : enqueue_all(api, part.batch.jobs);
    }

    void finish() {
        const bool is_all_stored =
            std::ranges::all_of(parts_, [](const Part& part) { return is_stored(*part.response); });
        answer_(is_all_stored ? added_everywhere() : stored_in_part());
    }

    [[nodiscard]] Response added_everywhere() const {
        std::int64_t added = 0;
        std::int64_t kept_out = 0;
        std::int64_t replaced = 0;
        std::size_t jobs = 0;
        std::size_t repeated = 0;
        std::vector<std::pair<std::size_t, std::pair<std::string, std::string>>> ids_by_number;
        for (const Part& part : parts_) {
            const auto answer = ordered_json::parse(part.response->body);
            added += answer["added"].get<std::int64_t>();
            kept_out += answer["keptOut"].get<std::int64_t>();
            replaced += answer["replaced"].get<std::int64_t>();
            repeated += part.response->headers.empty() ? 0U : 1U;
            for (std::size_t i = 0; i < part.of.jobs.size(); ++i, ++jobs) {
                ids_by_number.push_back(
                    {part.of.jobs[i].number, {answer["ids"][i].get<std::string>(), part.of.engine}}
                );
            }
        }
        std::ranges::sort(ids_by_number);
        ordered_json body{
            {"added", added},
            {"ids", ordered_json::array()},
            {"keptOut", kept_out},
            {"replaced", replaced},
            {"engines", ordered_json::array()}};
        for (const auto& [number, job] : ids_by_number) {
            body["ids"].push_back(job.first);
            body["engines"].push_back(job.second);
        }
        Response response{.status = added > 0 ? 201 : 200, .body = body.dump() + '\n'};
        if (repeated == parts_.size()) {
            response.headers.push_back(parts_.front().response->headers.front());
        }
        return response;
    }

    /// Of what did not happen: to come again helps, or else what the first engine says.
    [[nodiscard]] int status_of_failures() const {
        int status = 0;
        for (const Part& part : parts_) {
            const int one = part.response->status;
            if (!is_stored(*part.response) && (status == 0 || one == 503)) {
                status = one;
            }
        }
        return status;
    }

    [[nodiscard]] Response stored_in_part() const {
        ordered_json told = ordered_json::array();
        std::vector<std::string> summary;
        for (const Part& part : parts_) {
            const auto answer = ordered_json::parse(part.response->body);
            ordered_json one{
                {"engine", part.of.engine},
                {"status", part.response->status},
                {"jobs", ordered_json::array()}};
            for (const JobText& job : part.of.jobs) {
                one["jobs"].push_back(job.number);
            }
            const char* const said = is_stored(*part.response) ? "ids" : "detail";
            one[said] = answer[said];
            summary.push_back(fmt::format(
                "{}: {}",
                part.of.engine,
                is_stored(*part.response) ? "stored" : answer["detail"].get<std::string>()
            ));
            told.push_back(std::move(one));
        }
        const std::string detail = fmt::format("{}", fmt::join(summary, "; "));
        const int status = status_of_failures();
        Response response = status == 503 ? come_again(detail) : problem(status, detail);
        auto document = ordered_json::parse(response.body);
        document["parts"] = std::move(told);
        response.body = document.dump() + '\n';
        return response;
    }

    const std::shared_ptr<const Request> request_;
    const Answer answer_;
    std::vector<Part> parts_;
    std::atomic<std::size_t> left_{0};
};

}  // namespace

void enqueue_across(
    std::shared_ptr<const Request> request,
    std::vector<PartOfRequest> parts,
    Answer answer
) {
    std::make_shared<AcrossEngines>(std::move(request), std::move(answer))->begin(std::move(parts));
}

}  // namespace jobstrand::service
