#include "tools/service/metrics/database_metrics.hpp"

#include "schema/tables.hpp"

#include <fmt/format.h>

namespace jobstrand::service {

namespace {

using persistence::DbErrorKind;

/// What somebody can do something about; the others are mistakes of one statement.
constexpr DbErrorKind kWatched[] = {
    DbErrorKind::conflict,
    DbErrorKind::busy,
    DbErrorKind::connection_lost,
    DbErrorKind::in_doubt,
    DbErrorKind::unreachable,
    DbErrorKind::read_only,
    DbErrorKind::storage_full,
    DbErrorKind::unreadable,
};

}  // namespace

void write_database(MetricsText& text, const persistence::AccessCounts& counts) {
    text.histogram(
        "jobstrand_database_write_seconds",
        counts.writes,
        "Transactions that were committed, with the wait for a connection."
    );
    text.histogram(
        "jobstrand_database_read_seconds",
        counts.reads,
        "Reads without a transaction, with the wait for a connection."
    );
    text.begin(
        "jobstrand_database_failures_total",
        "counter",
        "Tries of transactions and reads that failed; most are tried again."
    );
    for (const DbErrorKind kind : kWatched) {
        text.value(counts.failures(kind), fmt::format("reason=\"{}\"", name_of(kind)));
    }
    text.gauge(
        "jobstrand_schema_version",
        static_cast<double>(schema::kSchemaVersion),
        "The version of the tables that this program works on."
    );
}

}  // namespace jobstrand::service
