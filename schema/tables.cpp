#include "schema/tables.hpp"

#include "schema/tables/table_groups.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace jobstrand::schema {
namespace {

constexpr std::array kOptionalIndexes{
    kPriorityIndex,
    kDueIndex,
    kPriorityDueIndex,
    kTenantIndex,
    kInstanceIndex};

std::vector<Table> all_tables() {
    std::vector<Table> all;
    for (auto* const group :
         {job_tables,
          series_tables,
          node_tables,
          group_tables,
          journal_tables,
          history_tables,
          definition_tables}) {
        std::ranges::move(group(), std::back_inserter(all));
    }
    return all;
}

}  // namespace

std::span<const OptionalIndex> optional_indexes() {
    return kOptionalIndexes;
}

std::span<const Table> tables() {
    static const std::vector<Table> all = all_tables();
    return all;
}

}  // namespace jobstrand::schema
