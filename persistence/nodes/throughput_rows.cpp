#include "persistence/nodes/sql_node_store.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::persistence {

namespace {

using schema::Throughput;
using schema::ThroughputSpan;

constexpr std::string_view kInsertSpan = R"sql(
    {insert_if_absent} INTO JS_THROUGHPUT (SECONDS_, AT_, NODE_, DATA_)
    VALUES (?, ?, ?, {bytes})
    {if_absent})sql";

constexpr std::string_view kSetSpan = R"sql(
    UPDATE JS_THROUGHPUT
    SET DATA_ = {bytes}
    WHERE SECONDS_ = ? AND AT_ = ? AND NODE_ = ?)sql";

constexpr std::string_view kSpan = R"sql(
    SELECT {bytes_as_text}
    FROM (SELECT DATA_ AS BYTES_ FROM JS_THROUGHPUT
          WHERE SECONDS_ = ? AND AT_ = ? AND NODE_ = ?) S)sql";

constexpr std::string_view kSpans = R"sql(
    SELECT AT_, {bytes_as_text}
    FROM (SELECT AT_, DATA_ AS BYTES_ FROM JS_THROUGHPUT
          WHERE SECONDS_ = ? AND AT_ >= ?) S
    ORDER BY AT_)sql";

constexpr std::string_view kOldSpans = R"sql(
    SELECT AT_
    FROM JS_THROUGHPUT
    WHERE SECONDS_ = ? AND AT_ < ?
    ORDER BY AT_
    LIMIT ?)sql";

constexpr std::string_view kForgetSpans = R"sql(
    DELETE FROM JS_THROUGHPUT
    WHERE SECONDS_ = ? AND AT_ <= ?)sql";

/// That are told apart over many spans.
constexpr std::size_t kMostReadTypes = 1000;

/// Rows that are removed at once.
constexpr std::int64_t kPageOfSpans = 500;

[[nodiscard]] std::int64_t seconds_of(schema::Duration length) {
    return std::chrono::duration_cast<std::chrono::seconds>(length).count();
}

[[nodiscard]] std::optional<std::string>
find_span(Transaction& transaction, std::string_view node, const ThroughputSpan& span) {
    const Dialect& dialect = transaction.dialect();
    const std::string sql = fmt::format(kSpan, fmt::arg("bytes_as_text", dialect.bytes_as_text));
    return one_row(
        transaction,
        {.sql = sql, .columns = 1},
        {seconds_of(span.length), span.at, node},
        [&](const Row& row) { return dialect.text_of_bytes(row.text(0)); }
    );
}

/// Returns what stands in the row then. There is a row where an executor of this name has ended
/// within the span, or the clock was set back.
[[nodiscard]] std::string
write_span(Transaction& transaction, std::string_view node, const ThroughputSpan& span) {
    const Dialect& dialect = transaction.dialect();
    const std::string insert = fmt::format(
        kInsertSpan,
        fmt::arg("insert_if_absent", dialect.insert_if_absent),
        fmt::arg("if_absent", dialect.if_absent),
        fmt::arg("bytes", dialect.bytes_parameter)
    );
    const std::int64_t seconds = seconds_of(span.length);
    std::string text = text_of(span.counts);
    const std::string_view fresh = text;
    if (transaction.execute(insert, {seconds, span.at, node, fresh}) > 0) {
        return text;
    }
    Throughput sum =
        schema::parse_throughput(find_span(transaction, node, span).value_or(std::string()))
            .value_or(Throughput());
    sum.merge(span.counts);
    text = text_of(sum);
    const std::string set = fmt::format(kSetSpan, fmt::arg("bytes", dialect.bytes_parameter));
    const std::string_view both = text;
    transaction.execute(set, {both, seconds, span.at, node});
    return text;
}

/// Adds the spans to `nothing`, in their order, by `add`, which gets the sum so far, and when a
/// span began, and its counts.
template <typename Sum, typename Add>
[[nodiscard]] Sum sum_of_spans(
    const StoreContext& context,
    const SpanSearch& search,
    const Sum& nothing,
    const Add& add
) {
    const std::array<Value, 2> parameters{seconds_of(search.length), search.from};
    return context.runner.read([&](Connection& connection) {
        Sum sum = nothing;
        const Dialect& dialect = connection.dialect();
        const std::string sql =
            fmt::format(kSpans, fmt::arg("bytes_as_text", dialect.bytes_as_text));
        connection.query({.sql = sql, .columns = 2}, parameters, [&](const Row& row) {
            const auto counts = schema::parse_throughput(dialect.text_of_bytes(row.text(1)));
            const auto at = row.time(0);
            if (counts && at && *at < search.until) {
                add(sum, *at, *counts);
            }
        });
        return sum;
    });
}

/// Of a type, or of all.
[[nodiscard]] schema::RunSums
sums_in(const Throughput& counts, const std::optional<std::string>& handler_type) {
    schema::RunSums sums;
    for (const auto& [type, of_type] : counts.types()) {
        if (!handler_type || type == *handler_type) {
            sums.merge(of_type);
        }
    }
    return sums;
}

}  // namespace

void SqlThroughputStore::add_throughput(
    std::string_view node,
    std::span<const ThroughputSpan> spans
) {
    std::vector<std::string> written;
    context_.runner.run(
        [&](Transaction& transaction) {
            written.clear();
            for (const ThroughputSpan& span : spans) {
                written.push_back(write_span(transaction, node, span));
            }
        },
        [&](Transaction& transaction) {
            return !spans.empty() && find_span(transaction, node, spans.back()) == written.back();
        }
    );
}

std::vector<SpanSums> SqlThroughputStore::throughput(const SpanSearch& search) {
    return sum_of_spans(
        context_,
        search,
        std::vector<SpanSums>(),
        [&](std::vector<SpanSums>& all, schema::TimePoint at, const Throughput& counts) {
            const schema::RunSums sums = sums_in(counts, search.handler_type);
            if (sums == schema::RunSums()) {
                return;
            }
            if (all.empty() || all.back().at != at) {
                all.push_back({.at = at});
            }
            all.back().sums.merge(sums);
        }
    );
}

Throughput SqlThroughputStore::throughput_by_type(const SpanSearch& search) {
    return sum_of_spans(
        context_,
        search,
        Throughput(kMostReadTypes),
        [](Throughput& all, schema::TimePoint, const Throughput& counts) { all.merge(counts); }
    );
}

bool SqlThroughputStore::forget_throughput(schema::Duration length, schema::TimePoint before) {
    const std::int64_t seconds = seconds_of(length);
    const std::array<Value, 3> search{seconds, before, kPageOfSpans};
    std::int64_t found = 0;
    std::optional<schema::TimePoint> last;
    context_.runner.read([&](Connection& connection) {
        found = 0;
        connection.query({.sql = kOldSpans, .columns = 1}, search, [&](const Row& row) {
            ++found;
            last = row.time(0);
        });
    });
    if (last) {
        const std::array<Value, 2> old{seconds, *last};
        context_.runner.change([&](Connection& connection) {
            (void)connection.execute(kForgetSpans, old);
        });
    }
    return found == kPageOfSpans;
}

}  // namespace jobstrand::persistence
