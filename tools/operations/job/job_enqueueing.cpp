#include "tools/operations/job/job_enqueueing.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

schema::Enqueued enqueue(Session& session, const executor::NewJob& job) {
    return session.enqueueing().enqueue(job);
}

std::string what_is_taken(Session& session, const executor::NewJob& job) {
    const auto taken = session.enqueueing().find_taken(job);
    return taken ? in_words(*taken) : "";
}

std::string in_words(const executor::TakenName& taken) {
    if (!taken.why.empty()) {
        return taken.why;
    }
    return fmt::format(
        "there is a {} {} already", taken.is_series ? "series" : "job", quoted_if_needed(taken.name)
    );
}

}  // namespace jobstrand::cli
