#pragma once

#include "deadletter/explain/job_facts.hpp"
#include "persistence/limit_store.hpp"
#include "persistence/node_store.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/series_store.hpp"
#include "schema/clock.hpp"

#include <functional>
#include <string>

namespace jobstrand::deadletter {

/// Gathers what decides whether a job runs; nothing is changed. It reads by keys, and at most
/// 10,000 rows of jobs besides.
///
/// Throws DbError. Thread safety: safe. The stores and the clock must outlive it. The clock shows
/// the database's time.
class Explainer final {
public:
    struct Stores {
        persistence::OperatorStore& jobs;
        persistence::SeriesStore& series;
        persistence::NodeStore& nodes;
        persistence::LimitStore& limits;
    };

    /// What a job needs beside a handler of its type, as far as its own row does not say; empty:
    /// nothing.
    using NeedOf = std::function<std::string(const schema::Job&)>;

    Explainer(const Stores& stores, const schema::Clock& clock) : stores_(stores), clock_(clock) {}

    [[nodiscard]] JobFacts facts_of(const std::string& id, const NeedOf& need_of) const;

private:
    void add_way(JobFacts& facts) const;

    Stores stores_;
    const schema::Clock& clock_;
};

}  // namespace jobstrand::deadletter
