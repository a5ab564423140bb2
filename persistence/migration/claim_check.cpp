#include "persistence/migration/claim_check.hpp"

#include "persistence/sql/dialect.hpp"

#include <stdexcept>

namespace jobstrand::persistence {

void require_claimable(const Connection& connection) {
    const Dialect& dialect = connection.dialect();
    if (dialect.for_update.empty()) {
        throw std::invalid_argument(
            "lockGranularity page is of no use on SQLite, where one process writes at a time: "
            "leave it at row"
        );
    }
    if (dialect.has_engine) {
        throw std::invalid_argument(
            "lockGranularity page cannot be used on tables that a Flowable engine shares, which "
            "would not see these locks: leave it at row"
        );
    }
}

}  // namespace jobstrand::persistence
