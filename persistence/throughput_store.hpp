#pragma once

#include "schema/throughput/throughput.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Which spans are meant: those of a length that begin within a time.
struct SpanSearch {
    schema::Duration length{};
    schema::TimePoint from{};
    schema::TimePoint until = schema::kLatestInstant;  ///< Those that begin then are not.
    std::optional<std::string> handler_type = {};      ///< Only what is run of it; nullopt: of all.
};

/// What all nodes together have run in a span.
struct SpanSums {
    schema::TimePoint at{};
    schema::RunSums sums = {};

    bool operator==(const SpanSums&) const = default;
};

/// What nodes have run, as they write it down span by span. What cannot be read, because another
/// version has written it, counts as nothing. See Transactions for what holds for all roles.
class ThroughputStore {
public:
    virtual ~ThroughputStore() = default;

    /// Adds to what a node of this name has written of these spans, all in one transaction.
    virtual void
    add_throughput(std::string_view node, std::span<const schema::ThroughputSpan> spans) = 0;

    /// The oldest first, and no span in which nothing happened.
    [[nodiscard]] virtual std::vector<SpanSums> throughput(const SpanSearch& search) = 0;

    /// Returns the sum of these spans, by type.
    [[nodiscard]] virtual schema::Throughput throughput_by_type(const SpanSearch& search) = 0;

    /// Removes spans that begin before a time, a page of them. true: there may be more.
    virtual bool forget_throughput(schema::Duration length, schema::TimePoint before) = 0;
};

}  // namespace jobstrand::persistence
