#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// Lists that are longer than what is read at once. Their order is that of their keys, so a reader
/// goes on behind the last key that it has seen, whatever was changed before it.
namespace jobstrand::schema {

/// The beginning of a list.
template <typename Item>
struct Page {
    std::vector<Item> items;
    bool has_more = false;  ///< There is something behind the last item.
};

/// `read(limit)` returns the first `limit` items of a list. It is asked for one more than wanted,
/// which tells whether there is more.
template <typename Read>
[[nodiscard]] auto first_page(std::size_t limit, const Read& read) {
    using Item = typename decltype(read(limit))::value_type;
    Page<Item> page{.items = read(limit + 1), .has_more = false};
    if (page.items.size() > limit) {
        page.has_more = true;
        page.items.erase(page.items.begin() + static_cast<std::ptrdiff_t>(limit), page.items.end());
    }
    return page;
}

/// Where a walk through a list begins, and how much it reads at once.
struct PageWalk {
    std::string after = {};  ///< A key, exclusive; empty: from the start.
    std::size_t size = 1;    ///< At least 1.
};

/// Walks through a list page by page. `read(after, limit)` returns what stands behind a key,
/// `key_of` is the key of an item, and `use(page)` takes a page and returns whether to go on. A
/// page that is not full is the last one.
template <typename Read, typename KeyOf, typename Use>
void for_each_page(PageWalk walk, const Read& read, const KeyOf& key_of, const Use& use) {
    while (true) {
        auto page = read(walk.after, walk.size);
        if (page.empty()) {
            return;
        }
        const bool is_last = page.size() < walk.size;
        walk.after = std::invoke(key_of, page.back());
        if (!use(std::move(page)) || is_last) {
            return;
        }
    }
}

}  // namespace jobstrand::schema
