#include "tools/service/metrics.hpp"

#include <gmock/gmock.h>

#include <string>

namespace jobstrand::service {
namespace {

using testing::HasSubstr;

TEST(MetricsText, A_label_may_have_any_value) {
    EXPECT_EQ(label("type", "mail"), R"(type="mail")");
    EXPECT_EQ(label("type", "a\"b\\c\nd"), R"(type="a\"b\\c\nd")");
    EXPECT_EQ(label("type", "\xff"), "type=\"\xEF\xBF\xBD\"");
    EXPECT_EQ(label("type", std::string(1000, 'x')).size(), 255 + std::string("type=\"\"").size());
}

TEST(MetricsText, Each_bucket_of_sizes_counts_those_below_it_as_well) {
    schema::SizeHistogram sizes;
    sizes.add(1);
    sizes.add(7);
    sizes.add(5000);
    MetricsText text;
    const MetricHead head{"batch", MetricKind::histogram, "Jobs at once"};
    text.begin(head);
    text.add(sizes);
    for (const char* const line :
         {"# TYPE batch histogram\n",
          "\nbatch_bucket{le=\"1\"} 1\n",
          "\nbatch_bucket{le=\"5\"} 1\n",
          "\nbatch_bucket{le=\"10\"} 2\n",
          "\nbatch_bucket{le=\"1000\"} 2\n",
          "\nbatch_bucket{le=\"+Inf\"} 3\n",
          "\nbatch_sum 5008\n",
          "\nbatch_count 3\n"}) {
        EXPECT_THAT(text.text(), HasSubstr(line));
    }
}

TEST(MetricsText, A_metric_without_a_value_is_not_there) {
    MetricsText text;
    const MetricHead none{"none", MetricKind::gauge, "Nothing"};
    const MetricHead some{"some", MetricKind::gauge, "Something", {"place", "type"}};
    text.begin(none);
    text.begin(some);
    text.add(std::uint64_t{1}, {"a", "b"});
    text.add(0.5, {"a", "\"c\""});
    EXPECT_EQ(
        text.text(),
        "# HELP some Something.\n# TYPE some gauge\n"
        "some{place=\"a\",type=\"b\"} 1\nsome{place=\"a\",type=\"\\\"c\\\"\"} 0.5\n"
    );
}

}  // namespace
}  // namespace jobstrand::service
