#pragma once

#include "executor/loop/activity.hpp"
#include "executor/report/run_news_book.hpp"
#include "persistence/run_news_store.hpp"
#include "schema/clock.hpp"

#include <string_view>

namespace jobstrand::executor {

/// Writes down what runs tell: at once after a quiet time, and then once a second, as long as there
/// is something. What the database does not take is tried again, as it then is.
/// Every minute it removes what is left of runs that nobody has any more.
///
/// Thread safety: run_once() belongs to the loop's strand; write() comes when that has ended.
class RunNewsWriting final : public Activity {
public:
    RunNewsWriting(persistence::RunNewsStore& store, RunNewsBook& book, const schema::Clock& clock)
        : store_(store), book_(book), clock_(clock) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "news of runs"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// What there is, in one transaction. false: there is nothing. Throws DbError; what was not
    /// written is kept for the next call.
    bool write();

private:
    persistence::RunNewsStore& store_;
    RunNewsBook& book_;
    const schema::Clock& clock_;
    schema::SteadyPoint next_ = schema::SteadyPoint::min();
    schema::SteadyPoint next_cleaning_ = schema::SteadyPoint::min();
};

}  // namespace jobstrand::executor
