#include "persistence/run_store.hpp"
#include "test/conformance/store_test.hpp"

#include <chrono>
#include <string>

namespace jobstrand::test {

namespace {

using persistence::SpanSearch;
using persistence::SpanSums;
using schema::RunSums;
using schema::Throughput;
using schema::ThroughputSpan;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

[[nodiscard]] RunSums ten_of(schema::Duration ran) {
    RunSums sums{.begun = 10, .completed = 9, .failed = 1};
    sums.waited.add_to(0, 10);
    sums.ran.add_to(schema::TimeHistogram::bucket_of(ran), 10);
    return sums;
}

/// What nodes write of their runs.
class ThroughputOfNodes : public StoreTest {
protected:
    void write(
        const std::string& node,
        schema::Duration length,
        schema::TimePoint at,
        const std::string& type = "mail"
    ) {
        ThroughputSpan span{.length = length, .at = at};
        span.counts.of(type).merge(ten_of(5ms));
        of_nodes_.add_throughput(node, std::span(&span, 1));
    }

    [[nodiscard]] std::vector<SpanSums> series(SpanSearch search) {
        return of_nodes_.throughput(search);
    }

    persistence::ThroughputStore& of_nodes_ = store_.throughput();
    const schema::TimePoint at_ = clock_.now() - clock_.now().time_since_epoch() % 60s;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    ThroughputOfNodes,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

TEST_P(ThroughputOfNodes, What_all_nodes_wrote_of_a_span_is_added_up) {
    write("nøde-1", 2s, at_);
    write("node-2", 2s, at_, "ørder");
    write("node-2", 2s, at_ + 2s);
    RunSums both = ten_of(5ms);
    both.merge(ten_of(5ms));
    EXPECT_THAT(
        series({.length = 2s, .from = at_}),
        ElementsAre(SpanSums{at_, both}, SpanSums{at_ + 2s, ten_of(5ms)})
    );
    EXPECT_THAT(series({.length = 2s, .from = at_ + 1s}), SizeIs(1));
    EXPECT_THAT(series({.length = 1min, .from = at_}), IsEmpty()) << "spans of another length";
    EXPECT_THAT(
        series({.length = 2s, .from = at_, .handler_type = "ørder"}),
        ElementsAre(SpanSums{at_, ten_of(5ms)})
    );
    EXPECT_THAT(
        of_nodes_.throughput_by_type({.length = 2s, .from = at_}).types(),
        ElementsAre(Pair("mail", both), Pair("ørder", ten_of(5ms)))
    );
}

TEST_P(ThroughputOfNodes, A_node_that_comes_back_adds_to_what_it_has_written_of_a_span) {
    write("node-1", 1min, at_);
    write("node-1", 1min, at_);
    write("node-1", 1min, at_, "pay");
    RunSums twice = ten_of(5ms);
    twice.merge(ten_of(5ms));
    EXPECT_THAT(
        of_nodes_.throughput_by_type({.length = 1min, .from = at_}).types(),
        ElementsAre(Pair("mail", twice), Pair("pay", ten_of(5ms)))
    );
}

TEST_P(ThroughputOfNodes, Many_types_with_long_names_fit) {
    ThroughputSpan span{.length = 2s, .at = at_};
    for (int i = 0; i < 100; ++i) {
        RunSums& sums = span.counts.of(std::string(250, 'x') + std::to_string(i));
        for (std::size_t bucket = 0; bucket < schema::TimeHistogram::kBuckets; ++bucket) {
            sums.ran.add_to(bucket, 1'000'000);
        }
    }
    of_nodes_.add_throughput("node-1", std::span(&span, 1));
    EXPECT_EQ(
        of_nodes_.throughput_by_type({.length = 2s, .from = at_}).types(), span.counts.types()
    );
}

TEST_P(ThroughputOfNodes, What_another_version_wrote_counts_as_nothing) {
    write("node-1", 2s, at_);
    execute("UPDATE JS_THROUGHPUT SET DATA_ = NULL");
    EXPECT_THAT(series({.length = 2s, .from = at_}), IsEmpty());
    write("node-1", 2s, at_);
    EXPECT_THAT(series({.length = 2s, .from = at_}), ElementsAre(SpanSums{at_, ten_of(5ms)}));
}

TEST_P(ThroughputOfNodes, Old_spans_are_forgotten_a_page_at_a_time) {
    std::vector<ThroughputSpan> spans;
    for (int i = 0; i < 510; ++i) {
        spans.push_back({.length = 2s, .at = at_ + i * 2s});
        spans.back().counts.of("mail").merge(ten_of(5ms));
    }
    of_nodes_.add_throughput("node-1", spans);
    write("node-1", 1min, at_);
    EXPECT_TRUE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_THAT(series({.length = 2s, .from = at_}), SizeIs(10));
    EXPECT_FALSE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_FALSE(of_nodes_.forget_throughput(2s, spans.back().at));
    EXPECT_THAT(series({.length = 2s, .from = at_}), SizeIs(1));
    EXPECT_THAT(series({.length = 1min, .from = at_}), SizeIs(1)) << "spans of another length";
}

}  // namespace

}  // namespace jobstrand::test
