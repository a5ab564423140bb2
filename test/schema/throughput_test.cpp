#include "schema/throughput.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace jobstrand::schema {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Pair;

[[nodiscard]] TimeHistogram histogram_of(std::initializer_list<Duration> times) {
    TimeHistogram histogram;
    for (const Duration time : times) {
        histogram.add(time);
    }
    return histogram;
}

TEST(TimeHistogram, A_bucket_is_at_most_a_quarter_wide) {
    for (std::int64_t ms = 0; ms < 5'000'000; ms += 1 + ms / 7) {
        const TimeHistogram one = histogram_of({Duration(ms)});
        const double begin = one.percentile(0).value() * 1000;
        const double end = one.percentile(1).value() * 1000;
        ASSERT_LE(begin, static_cast<double>(ms));
        ASSERT_GT(end, static_cast<double>(ms));
        ASSERT_LE(end - begin, std::max(1.0, static_cast<double>(ms) / 4));
    }
}

TEST(TimeHistogram, Whatever_a_time_is_it_has_a_bucket) {
    EXPECT_EQ(TimeHistogram::bucket_of(-1ms), 0U);
    EXPECT_EQ(TimeHistogram::bucket_of(Duration::max()), TimeHistogram::kBuckets - 1);
    TimeHistogram histogram;
    histogram.add_to(TimeHistogram::kBuckets, 1);
    EXPECT_EQ(histogram, TimeHistogram()) << "a bucket that there is not";
}

TEST(TimeHistogram, Percentiles_are_those_of_all_that_were_added_together) {
    TimeHistogram histogram;
    EXPECT_EQ(histogram.percentile(0.5), std::nullopt);
    for (int i = 1; i <= 900; ++i) {
        histogram.add(10ms);
    }
    TimeHistogram of_another_node;
    for (int i = 1; i <= 100; ++i) {
        of_another_node.add(3s);
    }
    histogram.merge(of_another_node);
    EXPECT_NEAR(histogram.percentile(0.5).value(), 0.011, 0.002);
    EXPECT_NEAR(histogram.percentile(0.95).value(), 3.3, 0.5);
    EXPECT_NEAR(histogram.percentile(0.99).value(), 3.5, 0.5);
}

TEST(Throughput, What_was_written_is_read_as_it_was) {
    Throughput throughput;
    throughput.of("mail; to: ørder, 7") = {
        .begun = 3,
        .completed = 2,
        .failed = 1,
        .dead = 1,
        .waited = histogram_of({0ms, 90s, 90s}),
        .ran = histogram_of({5ms})};
    throughput.of("noop").begun = 3'000'000'000;
    EXPECT_EQ(
        text_of(throughput),
        "throughput 1\n3 2 1 1;0:1,61:2;5:1;mail; to: ørder, 7\n3000000000 0 0 0;;;noop\n"
    );
    EXPECT_EQ(parse_throughput(text_of(throughput)).value().types(), throughput.types());
}

TEST(Throughput, What_another_version_has_written_is_left_out) {
    EXPECT_EQ(parse_throughput("throughput 2\n1 1 0 0;;;mail\n"), std::nullopt);
    EXPECT_EQ(parse_throughput(""), std::nullopt);
    const auto read = parse_throughput(
        "throughput 1\n"
        "1 1 0 0;;;mail\n"
        "1 1 0;;;three\n"
        "1 1 0 0 7;;;five\n"
        "1 1 0 -1;;;negative\n"
        "1 1 0 0;x;;text\n"
        "1 1 0 0;0:1\n"
        "\n"
        "2 0 0 0;999:1;0:1;noop\n"
        "2 0 0 0;;;cut"
    );
    ASSERT_TRUE(read);
    RunSums noop{.begun = 2, .ran = histogram_of({0ms})};
    EXPECT_THAT(
        read->types(),
        ElementsAre(Pair("mail", RunSums{.begun = 1, .completed = 1}), Pair("noop", noop))
    );
}

TEST(Throughput, Behind_a_hundred_types_the_others_count_as_one) {
    Throughput throughput;
    for (int i = 0; i < 150; ++i) {
        ++throughput.of("type-" + std::to_string(i)).begun;
    }
    ++throughput.of("type-7").begun;
    ++throughput.of("in\ntwo lines").begun;
    EXPECT_EQ(throughput.types().size(), Throughput::kMostTypes + 1);
    EXPECT_EQ(throughput.types().find("type-7")->second.begun, 2);
    EXPECT_EQ(throughput.types().find("")->second.begun, 51);
}

}  // namespace
}  // namespace jobstrand::schema
