#include "deadletter/bulk/job_answer.hpp"
#include "deadletter/desk/job_desk.hpp"

namespace jobstrand::deadletter {

namespace {

using persistence::JobAnswer;
using schema::JobPlace;

/// A job may move while it is looked for: between the timers and the executable jobs.
constexpr int kTriesToFind = 3;

[[nodiscard]] bool waits_for_date(JobPlace place) {
    return place == JobPlace::timer || place == JobPlace::executable ||
           place == JobPlace::external_worker;
}

}  // namespace

ItemResult JobDesk::set_due_date(const std::string& id, schema::TimePoint due_date) {
    for (int i = 0; i < kTriesToFind; ++i) {
        const auto found = store_.find(id);
        if (!found) {
            break;
        }
        if (!waits_for_date(found->place)) {
            return {
                .id = id,
                .answer = ItemAnswer::refused,
                .refusal = Refusal::waits_for_no_date,
                .place = found->place,
            };
        }
        const bool is_timer = found->place == JobPlace::timer;
        const schema::TimePoint now = clock_.now();
        const JobAnswer answer = is_timer ? store_.reschedule_timer(id, due_date, now)
                                          : store_.postpone(found->place, id, due_date, now);
        if (answer != JobAnswer::not_found) {
            ItemResult item = result_of(store_, id, answer);
            if (is_timer && !found->job.repeat.empty()) {
                item.series = schema::series_key_of(found->job);
            }
            return item;
        }
    }
    return result_of(store_, id, JobAnswer::not_found);
}

}  // namespace jobstrand::deadletter
