#include "deadletter/bulk_change.hpp"

#include <gtest/gtest.h>

namespace jobstrand::deadletter {
namespace {

using Ids = std::vector<std::string>;

/// The first letter of an id says what becomes of it.
[[nodiscard]] ItemResult change_one(const std::string& id) {
    switch (id.front()) {
        case 's':
            return {.id = id, .answer = ItemAnswer::unchanged};
        case 'n':
            return {.id = id, .answer = ItemAnswer::not_found};
        case 'l':
            return {.id = id, .answer = ItemAnswer::locked};
        case 'r':
            return {.id = id, .answer = ItemAnswer::refused};
        default:
            return {.id = id};
    }
}

[[nodiscard]] std::vector<ItemResult> change_page(const Ids& ids) {
    std::vector<ItemResult> items;
    for (const std::string& id : ids) {
        items.push_back(change_one(id));
    }
    return items;
}

/// Two pages: a, b; then c.
[[nodiscard]] auto three_in_two_pages() {
    const auto read = [](const std::string& after, std::size_t) {
        return after.empty() ? Ids{"a", "b"} : Ids{"c"};
    };
    return BulkSource{.total = 3, .page = 2, .read = read, .key_of = std::identity{}};
}

TEST(BulkChange, Everything_that_became_of_named_items_is_counted) {
    const BulkCounts counts = change_each({"a", "b", "s", "n", "l", "r"}, change_one, {});
    EXPECT_EQ(
        counts,
        (BulkCounts{.total = 6, .done = 2, .skipped = 1, .not_found = 1, .locked = 1, .refused = 1})
    );
}

TEST(BulkChange, Named_items_stop_after_any_of_them) {
    Ids seen;
    const BulkWatch watch{
        .on_item = [&](const ItemResult& item) { seen.push_back(item.id); },
        .on_page = [](const BulkCounts& counts) { return counts.done < 2; },
    };
    EXPECT_EQ(change_each({"a", "b", "c"}, change_one, watch).done, 2);
    EXPECT_EQ(seen, (Ids{"a", "b"}));
}

TEST(BulkChange, A_list_is_changed_page_by_page_and_told_after_each) {
    std::vector<std::int64_t> told;
    const BulkWatch watch{
        .on_page =
            [&](const BulkCounts& counts) {
                told.push_back(counts.done);
                return true;
            },
    };
    EXPECT_EQ(
        change_all(three_in_two_pages(), change_page, watch), (BulkCounts{.total = 3, .done = 3})
    );
    EXPECT_EQ(told, (std::vector<std::int64_t>{2, 3}));
}

TEST(BulkChange, A_list_stops_between_two_pages) {
    const BulkWatch stop{.on_page = [](const BulkCounts&) { return false; }};
    EXPECT_EQ(change_all(three_in_two_pages(), change_page, stop).done, 2);
}

}  // namespace
}  // namespace jobstrand::deadletter
