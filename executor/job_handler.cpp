#include "executor/job_handler.hpp"

#include "executor/report/run_news_book.hpp"

namespace jobstrand::executor {

void JobContext::progress(double part, std::string_view note) const {
    if (news != nullptr && run != nullptr) {
        news->progress(*run, part, note);
    }
}

void JobContext::log(std::string_view text) const {
    if (news != nullptr && run != nullptr) {
        news->log(*run, text);
    }
}

}  // namespace jobstrand::executor
