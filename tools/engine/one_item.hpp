#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "tools/engine/conversions.hpp"

namespace jobstrand::engine {

/// What became of the one item that `operation` is about.
template <typename Operation>
[[nodiscard]] deadletter::ItemResult item_of(const Operation& operation) {
    deadletter::ItemResult result{.answer = deadletter::ItemAnswer::not_found};
    operation(deadletter::BulkWatch{
        .on_item = [&](const deadletter::ItemResult& item) { result = item; }});
    return result;
}

template <typename Operation>
[[nodiscard]] ChangeAnswer answer_of(const Operation& operation) {
    return to_public(item_of(operation).answer);
}

}  // namespace jobstrand::engine
