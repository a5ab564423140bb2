#include "executor/report/attempt_trace.hpp"

#include "schema/text/trace_parent.hpp"
#include "test/fixtures/job_builder.hpp"

#include <gtest/gtest.h>

namespace jobstrand::executor {
namespace {

using schema::parse_trace_parent;
using test::a_job;

schema::Job a_traced_job(const char* flags) {
    schema::Job job = a_job("a");
    job.trace_parent = std::string("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-") + flags;
    return job;
}

TEST(AttemptTrace, Each_attempt_is_a_span_of_its_own_in_the_trace_of_the_job) {
    AttemptSpans spans;
    const auto first = parse_trace_parent(spans.next(a_traced_job("01")));
    const auto second = parse_trace_parent(spans.next(a_traced_job("00")));
    ASSERT_TRUE(first && second);
    for (const auto& span : {*first, *second}) {
        EXPECT_EQ(span.trace_id, "4bf92f3577b34da6a3ce929d0e0e4736");
        EXPECT_NE(span.parent_id, "00f067aa0ba902b7");
    }
    EXPECT_NE(first->parent_id, second->parent_id);
    EXPECT_TRUE(first->is_sampled);
    EXPECT_FALSE(second->is_sampled);
}

TEST(AttemptTrace, Two_nodes_do_not_give_the_same_spans) {
    EXPECT_NE(AttemptSpans().next(a_traced_job("01")), AttemptSpans().next(a_traced_job("01")));
}

TEST(AttemptTrace, A_job_without_a_trace_may_start_one) {
    AttemptSpans spans;
    const auto span = parse_trace_parent(spans.next(a_job("a"), true));
    ASSERT_TRUE(span);
    EXPECT_TRUE(span->is_sampled);
    EXPECT_EQ(
        parse_trace_parent(spans.next(a_traced_job("00"), true))->trace_id,
        "4bf92f3577b34da6a3ce929d0e0e4736"
    );
}

TEST(AttemptTrace, A_job_without_a_trace_has_no_span) {
    AttemptSpans spans;
    EXPECT_EQ(spans.next(a_job("a")), "");
    EXPECT_EQ(trace_id_of(a_job("a")), "");
    schema::Job job = a_job("a");
    job.trace_parent = "what is none";
    EXPECT_EQ(spans.next(job), "");
    EXPECT_EQ(trace_id_of(a_traced_job("01")), "4bf92f3577b34da6a3ce929d0e0e4736");
}

}  // namespace
}  // namespace jobstrand::executor
