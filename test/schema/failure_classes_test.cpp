#include "schema/histogram.hpp"
#include "schema/job_failure.hpp"

#include <gmock/gmock.h>

#include <string>

namespace jobstrand::schema {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(FailureClasses, Count_failures_by_what_their_messages_begin_with) {
    FailureClasses classes;
    classes.add("java.io.IOException: disk full");
    classes.add("java.io.IOException: no such file");
    classes.add("HTTP 503: try later");
    classes.add("order 17 was refused");
    classes.add("");
    EXPECT_THAT(
        classes.counts(),
        ElementsAre(Pair("HTTP 503", 1), Pair("java.io.IOException", 2), Pair("none", 2))
    );
}

TEST(FailureClasses, Tell_no_more_apart_than_somebody_may_want_to_see) {
    FailureClasses classes;
    for (std::size_t i = 0; i < 2 * FailureClasses::kMost; ++i) {
        classes.add("E" + std::to_string(i) + ": no");
    }
    classes.add("E0: no");
    classes.add("nothing like a class");
    const auto counts = classes.counts();
    EXPECT_EQ(counts.size(), FailureClasses::kMost + 2);
    EXPECT_EQ(counts.at("E0"), 2);
    EXPECT_EQ(counts.at("other"), FailureClasses::kMost);
    EXPECT_EQ(counts.at("none"), 1);
}

TEST(SizeHistogram, Sizes_fall_into_the_bucket_that_includes_them) {
    SizeHistogram sizes;
    for (const std::uint64_t size : {1U, 2U, 1000U, 1001U}) {
        sizes.add(size);
    }
    EXPECT_EQ(sizes.count(0), 1);
    EXPECT_EQ(sizes.count(1), 1);
    EXPECT_EQ(sizes.count(SizeHistogram::kBounds.size() - 1), 1);
    EXPECT_EQ(sizes.count(SizeHistogram::kBounds.size()), 1) << "beyond all bounds";
    EXPECT_EQ(sizes.sum(), 2004);
}

}  // namespace
}  // namespace jobstrand::schema
