#pragma once

#include "persistence/history/history_book.hpp"
#include "persistence/history_store.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What is known of a move beside the job and where it goes.
struct MoveFacts {
    schema::TimePoint time{};    ///< By the database's clock.
    std::string_view node = {};  ///< Who held it.
    std::optional<schema::Duration> duration = {};
    std::string_view message = {};  ///< Of what is no transition.
};

/// The lines that one transaction adds to the job log. Where the level leaves an event out, it
/// costs nothing.
class JobLogPage final {
public:
    explicit JobLogPage(HistoryBook& book) : book_(book) {}

    [[nodiscard]] bool wants(schema::JobEvent event) const;

    /// A job, as it was before it makes the transition.
    void add(const schema::Job& job, const schema::Transition& transition, const MoveFacts& facts);

    /// What is no transition of the state machine; `reason` in a word.
    void add(
        const schema::Job& job,
        schema::JobEvent event,
        std::string_view reason,
        const MoveFacts& facts
    );

    /// A job whose lock has ended, as it was before.
    void add_interrupted(const schema::Job& job, std::string_view node, schema::TimePoint now);

    /// A new job; one that does not say when it was made is made now.
    void add_created(const schema::Job& job, schema::TimePoint now);

    /// One statement for many lines; none for none.
    void write(Transaction& transaction);

private:
    HistoryBook& book_;
    std::vector<JobLogLine> lines_;
};

}  // namespace jobstrand::persistence
