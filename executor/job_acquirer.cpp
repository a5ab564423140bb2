#include "executor/job_acquirer.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace jobstrand::executor {

namespace {

/// So the oldest are looked at again soon, and one page in sixteen pays for it.
constexpr int kPagesFromTheOldest = 16;

}  // namespace

JobAcquirer::JobAcquirer(
    persistence::JobStore& store,
    JobIntake& intake,
    const schema::Clock& clock,
    std::vector<std::string> handler_types,
    const ExecutorSettings& settings
)
    : store_(store),
      intake_(intake),
      clock_(clock),
      handler_types_(std::move(handler_types)),
      page_(settings.acquire_page),
      // The pool announces room when its queue is half empty, so asking for more than that would
      // wait for ever; asking for less would claim a handful of jobs per transaction.
      least_room_(std::max<std::size_t>(1, std::min(page_, settings.queue_size / 2))),
      queue_full_wait_(settings.queue_full_wait),
      pace_(
          {.first = settings.acquire_first_wait, .idle_max = settings.acquire_wait},
          std::random_device{}()
      ) {}

schema::Duration JobAcquirer::run_once() {
    const std::size_t room = intake_.room();
    if (room < least_room_) {
        return std::max(queue_full_wait_, schema::Duration{1});
    }
    if (pace_.is_idle() && !store_.has_acquirable(handler_types_)) {
        return pace_.next_wait(0);
    }
    const schema::SteadyPoint locked_at = clock_.steady_now();
    const persistence::LockClaim claim{
        .owner = intake_.lock_owner(),
        .until = clock_.now() + intake_.lock_time(),
    };
    const std::size_t limit = std::min(room, page_);
    const bool is_first_page = last_id_.empty();
    std::vector<schema::Job> jobs = store_.acquire(claim, handler_types_, limit, last_id_);
    const std::size_t found = jobs.size();
    go_on_behind(jobs, limit);
    if (found > 0) {
        intake_.accept(std::move(jobs), locked_at);
    }
    if (found == 0 && !is_first_page) {
        return schema::Duration{0};  // There may be older ones.
    }
    return pace_.next_wait(found);
}

void JobAcquirer::go_on_behind(const std::vector<schema::Job>& page, std::size_t limit) {
    const bool is_last = page.size() < limit || ++pages_ == kPagesFromTheOldest;
    last_id_ = is_last ? std::string() : page.back().id;
    pages_ = is_last ? 0 : pages_;
}

}  // namespace jobstrand::executor
