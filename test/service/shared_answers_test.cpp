#include "schema/clock.hpp"
#include "tools/service/http/work_pool.hpp"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace jobstrand::service {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

/// Asks a path whose answers count up, and which are given when the test says so.
class SharedAnswersTest : public testing::Test {
protected:
    void ask(const std::string& cache_control, const Scope& scope = {}, std::string target = "/a") {
        Request request{.method = "GET", .target = std::move(target), .scope = scope};
        if (!cache_control.empty()) {
            request.headers.push_back({"Cache-Control", cache_control});
        }
        asked_(std::move(request), [this](const Response& response) {
            std::string age;
            for (const Header& header : response.headers) {
                age += header.name == "Age" ? ", age " + header.value : "";
            }
            given.push_back(response.body + age);
        });
    }

    void answer_all(int status = 200) {
        for (const Answer& answer : std::exchange(waiting_, {})) {
            answer({.status = status, .body = std::to_string(++made)});
        }
    }

    int made = 0;
    std::vector<std::string> given;
    schema::ManualClock clock;

private:
    std::vector<Answer> waiting_;
    SharedAnswers shared_{[this] { return clock.steady_now(); }};
    Handler asked_ = shared_.wrap([this](const Request& /*request*/, const Answer& answer) {
        waiting_.push_back(answer);
    });
};

TEST_F(
    SharedAnswersTest,
    Who_accepts_an_age_waits_with_others_and_gets_what_they_got_for_half_of_it
) {
    ask("max-age=4");
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1, age 0", "1"));
    clock.tick(2s);
    ask("no-transform, max-age=4");
    EXPECT_EQ(given.back(), "1, age 2");
    clock.tick(1ms);
    ask("max-age=4");
    answer_all();
    EXPECT_EQ(given.back(), "2");
}

TEST_F(SharedAnswersTest, Who_says_nothing_gets_a_new_answer) {
    for (const char* const fresh : {"", "no-cache", "max-age=0", "max-age=", "max-age=-1"}) {
        ask(fresh);
        answer_all();
    }
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1", "2", "3", "4", "5", "6"));
}

TEST_F(SharedAnswersTest, Nobody_is_shown_an_older_state_than_he_has_seen) {
    ask("max-age=4");
    answer_all();
    ask("");
    ask("max-age=4");
    EXPECT_EQ(given.size(), 1U) << "it waits for the new one";
    answer_all();
    ask("max-age=4");
    EXPECT_THAT(given, ElementsAre("1", "2, age 0", "2", "2, age 0"));
}

TEST_F(SharedAnswersTest, Another_scope_or_target_has_another_answer) {
    ask("max-age=4", {.tenants = {"acme"}});
    ask("max-age=4", {.topics = {"acme"}});
    ask("max-age=4", {.hidden = {"acme"}});
    ask("max-age=4", {.tenants = {"acme"}}, "/a?limit=1");
    answer_all();
    EXPECT_EQ(made, 4);
}

TEST_F(SharedAnswersTest, What_goes_wrong_is_told_to_those_who_wait_and_to_nobody_later) {
    ask("max-age=4");
    ask("max-age=4");
    answer_all(503);
    ask("max-age=4");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1, age 0", "1", "2"));
}

TEST_F(SharedAnswersTest, One_that_takes_longer_than_the_age_is_made_again) {
    ask("max-age=1");
    clock.tick(1001ms);
    ask("max-age=1");
    answer_all();
    EXPECT_THAT(given, ElementsAre("1", "2"));
    ask("max-age=1");
    EXPECT_EQ(given.back(), "2, age 0");
}

TEST_F(SharedAnswersTest, What_is_kept_has_bounds) {
    for (std::size_t i = 0; i < SharedAnswers::kMost + 1; ++i) {
        ask("max-age=60", {}, "/" + std::to_string(i));
    }
    answer_all();
    const int first = made;
    ask("max-age=60", {}, "/" + std::to_string(SharedAnswers::kMost));
    answer_all();
    EXPECT_EQ(made, first + 1) << "that was one too many";
    clock.tick(SharedAnswers::kLongest + 1ms);
    ask("max-age=60", {}, "/1");
    answer_all();
    EXPECT_EQ(made, first + 2) << "no age is longer";
}

}  // namespace
}  // namespace jobstrand::service
