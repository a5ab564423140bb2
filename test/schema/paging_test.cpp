#include "schema/paging.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace jobstrand::schema {
namespace {

using Names = std::vector<std::string>;

/// What a store would read: names behind a key, and how often it was asked.
class NameList {
public:
    explicit NameList(Names names) : names_(std::move(names)) {}

    Names read(const std::string& after, std::size_t limit) {
        ++reads_;
        const auto from = std::ranges::upper_bound(names_, after);
        const auto left = static_cast<std::size_t>(names_.end() - from);
        return {from, from + static_cast<std::ptrdiff_t>(std::min(limit, left))};
    }

    /// The pages of a walk, at most `most` of them.
    std::vector<Names> walk(PageWalk walk, std::size_t most = 100) {
        std::vector<Names> pages;
        for_each_page(
            std::move(walk),
            [this](const std::string& after, std::size_t limit) { return read(after, limit); },
            std::identity{},
            [&](Names page) {
                pages.push_back(std::move(page));
                return pages.size() < most;
            }
        );
        return pages;
    }

    [[nodiscard]] int reads() const { return reads_; }

private:
    const Names names_;
    int reads_ = 0;
};

TEST(Paging, A_walk_sees_everything_once_in_order) {
    NameList list({"a", "b", "c", "d", "e"});
    EXPECT_EQ(list.walk({.size = 2}), (std::vector<Names>{{"a", "b"}, {"c", "d"}, {"e"}}));
    EXPECT_EQ(list.walk({.after = "c", .size = 2}), (std::vector<Names>{{"d", "e"}}));
    EXPECT_EQ(NameList({}).walk({.size = 2}), std::vector<Names>{});
}

TEST(Paging, A_page_that_is_not_full_is_the_last_one) {
    NameList list({"a", "b", "c"});
    EXPECT_EQ(list.walk({.size = 2}).size(), 2U);
    EXPECT_EQ(list.reads(), 2);
}

TEST(Paging, A_walk_stops_where_its_user_says) {
    NameList list({"a", "b", "c"});
    EXPECT_EQ(list.walk({.size = 1}, 2), (std::vector<Names>{{"a"}, {"b"}}));
    EXPECT_EQ(list.reads(), 2);
}

TEST(Paging, The_first_page_knows_whether_there_is_more) {
    NameList list({"a", "b", "c"});
    const auto read = [&](std::size_t limit) { return list.read("", limit); };
    const auto two = first_page(2, read);
    EXPECT_EQ(two.items, (Names{"a", "b"}));
    EXPECT_TRUE(two.has_more);
    const auto three = first_page(3, read);
    EXPECT_EQ(three.items, (Names{"a", "b", "c"}));
    EXPECT_FALSE(three.has_more);
}

}  // namespace
}  // namespace jobstrand::schema
