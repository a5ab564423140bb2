#include "persistence/drivers/prepared_statements.hpp"

#include <gtest/gtest.h>

namespace jobstrand::persistence {
namespace {

class StatementCacheTest : public testing::Test {
protected:
    void prepare(const std::string& sql) {
        cache_.insert(sql, std::make_unique<std::string>("statement of " + sql));
    }

    StatementCache<std::string> cache_{2};
};

TEST_F(StatementCacheTest, Finds_a_statement_by_its_text) {
    prepare("a");
    ASSERT_NE(cache_.find("a"), nullptr);
    EXPECT_EQ(*cache_.find("a"), "statement of a");
    EXPECT_EQ(cache_.find("b"), nullptr);
}

TEST_F(StatementCacheTest, The_one_that_was_not_used_for_longest_goes_first) {
    prepare("a");
    prepare("b");
    ASSERT_NE(cache_.find("a"), nullptr);
    prepare("c");
    EXPECT_NE(cache_.find("a"), nullptr);
    EXPECT_EQ(cache_.find("b"), nullptr);
    EXPECT_NE(cache_.find("c"), nullptr);
    EXPECT_EQ(cache_.size(), 2U);
}

TEST_F(StatementCacheTest, An_erased_statement_is_gone) {
    prepare("a");
    cache_.erase("a");
    cache_.erase("never there");
    EXPECT_EQ(cache_.find("a"), nullptr);
    EXPECT_EQ(cache_.size(), 0U);
}

}  // namespace
}  // namespace jobstrand::persistence
