#include "tools/output/table.hpp"

#include <gtest/gtest.h>

namespace jobstrand::cli {
namespace {

using Ids = std::vector<std::string>;

TEST(ShortIds, Keep_time_and_counter_of_a_uuid_at_least) {
    EXPECT_EQ(
        shortened({"01a205a8-3e16-7001-9b02-1dac6f1bacd0", "01a20777-3e16-7001-9b02-1dac6f1bacd0"}),
        (Ids{"01a205a8-3e16-7001…", "01a20777-3e16-7001…"})
    );
}

TEST(ShortIds, Are_as_long_as_it_takes_to_tell_them_apart) {
    EXPECT_EQ(
        shortened(
            {"01a205a8-3e16-7001-9b02-1dac6f1bacd0",
             "01a205a8-3e16-7001-9b07-1dac6f1bacd0",
             "01a20777-3e16-7001-9b02-1dac6f1bacd0"}
        ),
        (Ids{"01a205a8-3e16-7001-9b02…", "01a205a8-3e16-7001-9b07…", "01a20777-3e16-7001…"})
    );
}

TEST(ShortIds, Are_whole_where_nothing_is_won) {
    const Ids ids{
        "order-17",
        "01a20000-0000-7000-8000-000000000001",
        "01a20000-0000-7000-8000-000000000002",
        "a-name-that-has-19",
        "",
    };
    EXPECT_EQ(shortened(ids), ids);
    EXPECT_EQ(shortened({}), Ids{});
}

TEST(ShortIds, Of_one_job_twice_are_no_longer) {
    const std::string id = "01a205a8-3e16-7001-9b02-1dac6f1bacd0";
    EXPECT_EQ(shortened({id, id}), (Ids{"01a205a8-3e16-7001…", "01a205a8-3e16-7001…"}));
}

TEST(ShortIds, Are_known_by_their_end) {
    EXPECT_EQ(beginning_of("01a205a8…"), "01a205a8");
    EXPECT_EQ(beginning_of("01a205a8..."), "01a205a8");
    EXPECT_EQ(beginning_of("01a205a8"), "");
    EXPECT_EQ(beginning_of("…"), "");
    EXPECT_EQ(beginning_of(""), "");
}

}  // namespace
}  // namespace jobstrand::cli
