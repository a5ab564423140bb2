#pragma once

#include "persistence/sql/dialect.hpp"
#include "test/conformance/rows/odd_values.hpp"
#include "test/conformance/store_test.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

/// Rows that a producer's SQL has written wrong: each harms itself alone.
class UnreadableRows : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        if (!IsSkipped()) {
            allow_odd_values(*connection_);
        }
    }

    [[nodiscard]] const persistence::Dialect& dialect() const { return connection_->dialect(); }

    /// A row whose other columns are right; its type is "noop".
    void insert_odd(JobPlace place, std::string_view id, const OddValue& odd) {
        const bool is_timer = place == JobPlace::timer && odd.column != "DUEDATE_";
        execute(fmt::format(
            "INSERT INTO {} (ID_, HANDLER_TYPE_, {}{}) VALUES ('{}', 'noop', {}{})",
            schema::table_of(place),
            odd.column,
            is_timer ? ", DUEDATE_" : "",
            id,
            odd.literal,
            is_timer ? ", '2025-12-31 23:00:00.000'" : ""
        ));
    }

    Job a_timer(std::string id, schema::Duration due_in = 0ms) {
        return a_job(std::move(id)).of_kind(schema::kTimerType).due_at(clock_.now() + due_in);
    }

    std::vector<std::string> move() {
        return ids_of(
            store_.timers().move_due_timers(clock_.now(), 100, claim_of("node-1"), noop_).locked
        );
    }

    std::vector<std::string> listed(JobPlace place) {
        return ids_of(store_.jobs().list(place, {}, "", 100));
    }

    std::int64_t reset(JobPlace place) {
        return store_.executor().reset_expired_locks(place, {.now = clock_.now()}).freed;
    }

    void expect_dead_letter(std::string_view id, std::string_view column) {
        EXPECT_EQ(place_of(id), "dead") << column;
        EXPECT_THAT(job(id).exception_message, testing::StartsWith(fmt::format("{} \"", column)));
    }
};

}  // namespace jobstrand::test
