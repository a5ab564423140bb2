#pragma once

#include "schema/paging.hpp"
#include "tools/session/session.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Says how a list goes on behind the item of this key.
void print_more(Session& session, std::string_view last);

/// Writes a part of a list in the chosen format.
template <typename Item, typename RecordOf>
void write_items(
    Session& session,
    const std::vector<Item>& items,
    const std::vector<TableColumn>& columns,
    const RecordOf& record_of
) {
    OutputStyle style = session.style();
    if (style.columns) {
        style.now = session.database_now();
    }
    RecordWriter writer(session.streams().out, session.format(), columns, style);
    for (const Item& item : items) {
        writer.add(record_of(item));
    }
    writer.finish();
}

/// The same. When there is more, stderr says how to go on: behind the key of the last item.
template <typename Item, typename RecordOf, typename KeyOf>
void write_page(
    Session& session,
    const schema::Page<Item>& page,
    const std::vector<TableColumn>& columns,
    const RecordOf& record_of,
    const KeyOf& key_of
) {
    write_items(session, page.items, columns, record_of);
    if (page.has_more) {
        print_more(session, std::invoke(key_of, page.items.back()));
    }
}

}  // namespace jobstrand::cli
