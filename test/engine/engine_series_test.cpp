#include "test/engine/engine_fixture.hpp"

#include <mutex>
#include <stdexcept>

namespace jobstrand {
namespace {

using schema::JobPlace;
using test::eventually;

class SeriesOfAnEngine : public test::EngineTest {
protected:
    [[nodiscard]] static bool ends(engine::Wiring& engine, const std::string& key) {
        return eventually([&] {
            return engine.series_store().find_series(key)->condition ==
                       persistence::SeriesCondition::ended &&
                   count(engine, JobPlace::executable) == 0;
        });
    }

    /// Notes the payload of each run.
    executor::HandlerResult note(const executor::JobContext& context) {
        const std::lock_guard lock(mutex_);
        payloads_.push_back(context.job.payload);
        return executor::Succeeded{.payload = context.job.payload + "x"};
    }

    std::vector<std::string> payloads() {
        const std::lock_guard lock(mutex_);
        return payloads_;
    }

private:
    std::mutex mutex_;
    std::vector<std::string> payloads_;
};

// R125, R126
TEST_F(SeriesOfAnEngine, Its_turns_run_one_after_the_other_and_hand_their_payload_on) {
    const auto engine = an_engine();
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    engine->start();
    const std::string key = engine->start_series(
        {.key = "s", .repeat = "R3/PT0.02S", .keep_data = true},
        {.handler_type = "note", .payload = "1"}
    );
    EXPECT_EQ(key, "s");
    ASSERT_TRUE(ends(*engine, key));
    EXPECT_EQ(payloads(), (std::vector<std::string>{"1", "1x", "1xx"}));
}

TEST_F(SeriesOfAnEngine, A_job_with_a_repeat_is_the_first_turn_of_a_series) {
    const auto engine = an_engine();
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    engine->start();
    const std::vector<std::string> ids = engine->enqueue_all(
        {{.repeat = "R2/PT0.02S", .handler_type = "note", .payload = "turn"},
         {.handler_type = "note", .payload = "job"}}
    );
    ASSERT_TRUE(ends(*engine, ids.at(0)));
    ASSERT_TRUE(eventually([&] { return payloads().size() == 3; }));
}

TEST_F(SeriesOfAnEngine, It_begins_exactly_if_the_transaction_of_the_app_commits) {
    const auto engine = an_engine();
    const auto work = [&](persistence::Transaction& transaction) {
        (void)engine->start_series(
            transaction, {.key = "s", .repeat = "R/PT1H"}, {.handler_type = "note"}
        );
        throw std::runtime_error("the app has changed its mind");
    };
    EXPECT_THROW(engine->in_transaction(work), std::runtime_error);
    EXPECT_EQ(engine->series_store().find_series("s"), std::nullopt);
    EXPECT_EQ(count(*engine, JobPlace::timer), 0);
}

TEST_F(SeriesOfAnEngine, A_text_that_cannot_be_read_is_refused_with_all_that_came_with_it) {
    const auto engine = an_engine();
    EXPECT_THROW(
        engine->enqueue_all({{.handler_type = "note"}, {.repeat = "R/soon", .handler_type = "note"}}
        ),
        std::invalid_argument
    );
    EXPECT_EQ(count(*engine, JobPlace::executable), 0);
}

TEST_F(SeriesOfAnEngine, The_configured_misfire_threshold_counts) {
    executor::ExecutorSettings settings;
    settings.misfire_threshold = std::chrono::milliseconds(1);
    const auto engine = an_engine(settings);
    engine->handlers().add("note", [this](const executor::JobContext& context) {
        return note(context);
    });
    schema::Job turn{.handler_type = "note"};
    turn.due_date = clock.now() - std::chrono::milliseconds(500);
    (void
    )engine->start_series({.key = "s", .repeat = "R1/PT1H", .misfire = "next-with-existing"}, turn);
    engine->start();
    ASSERT_TRUE(ends(*engine, "s"));
    EXPECT_TRUE(payloads().empty());
}

}  // namespace
}  // namespace jobstrand
