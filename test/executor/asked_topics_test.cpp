#include "executor/workers/external_work.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using namespace std::chrono_literals;
using persistence::AskedTopic;
using testing::ElementsAre;
using testing::IsEmpty;

using Topics = std::vector<std::string>;

const schema::TimePoint kFirstAsked = schema::TimePoint{} + 24h;

TEST(AskedTopics, Each_worker_is_known_with_each_topic_and_when_it_asked_last) {
    AskedTopics asked;
    asked.add("w2", Topics{"pay"}, kFirstAsked);
    asked.add("w1", Topics{"pay", "mail"}, kFirstAsked + 1s);
    asked.add("w2", Topics{"pay"}, kFirstAsked + 2s);
    EXPECT_THAT(
        asked.latest(kFirstAsked + 3s),
        ElementsAre(
            AskedTopic{"mail", "w1", kFirstAsked + 1s},
            AskedTopic{"pay", "w1", kFirstAsked + 1s},
            AskedTopic{"pay", "w2", kFirstAsked + 2s}
        )
    );
}

TEST(AskedTopics, Who_asks_no_more_is_forgotten) {
    AskedTopics asked;
    asked.add("w", Topics{"pay"}, kFirstAsked);
    EXPECT_EQ(asked.latest(kFirstAsked + AskedTopic::kLasts).size(), 1U);
    EXPECT_THAT(asked.latest(kFirstAsked + AskedTopic::kLasts + 1ms), IsEmpty());
}

TEST(AskedTopics, Of_very_many_the_latest_are_kept) {
    AskedTopics asked;
    for (std::size_t i = 0; i < 5 * AskedTopic::kMost; ++i) {
        asked.add("w" + std::to_string(i), Topics{"pay"}, kFirstAsked + schema::Duration(i));
    }
    const auto latest = asked.latest(kFirstAsked + 10s);
    EXPECT_EQ(latest.size(), AskedTopic::kMost);
    const auto oldest = std::ranges::min(latest, {}, &AskedTopic::last);
    EXPECT_EQ(oldest.last, kFirstAsked + schema::Duration(4 * AskedTopic::kMost));
}

}  // namespace
}  // namespace jobstrand::executor
