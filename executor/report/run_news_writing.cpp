#include "executor/report/run_news_writing.hpp"

#include "persistence/sql/db_error.hpp"

#include <chrono>

namespace jobstrand::executor {

namespace {

/// Between two transactions.
constexpr schema::Duration kNewsInterval = std::chrono::seconds(1);

/// Between two looks for what is left over, and how old that is at least.
constexpr schema::Duration kLeftOverInterval = std::chrono::minutes(1);

}  // namespace

schema::Duration RunNewsWriting::run_once() {
    const schema::SteadyPoint now = clock_.steady_now();
    if (now >= next_cleaning_) {
        next_cleaning_ = now + kLeftOverInterval;
        store_.forget_news(clock_.now() - kLeftOverInterval);
    }
    if (now < next_) {
        return std::chrono::ceil<schema::Duration>(next_ - now);
    }
    if (!write()) {
        return std::chrono::ceil<schema::Duration>(next_cleaning_ - now);
    }
    next_ = now + kNewsInterval;
    return kNewsInterval;
}

bool RunNewsWriting::write() {
    const RunNewsBook::Page page = book_.take(clock_.now());
    if (page.is_empty()) {
        return false;
    }
    try {
        store_.write_news(page.told, page.ended);
    } catch (const persistence::DbError&) {
        book_.put_back(page);
        throw;
    }
    return true;
}

}  // namespace jobstrand::executor
