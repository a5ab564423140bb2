#include "tools/service/api/set_member.hpp"

#include "tools/service/api/job_paths.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
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
      singles_(parts_, *parts_.enqueued),
      enqueue_(enqueue_jobs(parts_, pool_, singles_, *parts_.enqueued)),
      show_(pool_.wrap(show_job(parts_))),
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

}  // namespace jobstrand::service
