#pragma once

#include "persistence/outcome.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// Outcomes that the database refuses for a reason that does not pass by itself: a trigger, a lost
/// right. They are kept, and tried again after 1 s, 2 s, 4 s, up to a minute. Pure.
class RefusedOutcomes final {
public:
    /// Adds an outcome that the database refused at `now`. Returns whether that is the first time.
    bool add(persistence::Outcome outcome, schema::SteadyPoint now);

    /// Takes out those that are to be tried again.
    [[nodiscard]] std::vector<persistence::Outcome> take_due(schema::SteadyPoint now);

    /// When the next one is to be tried again; nullopt: there is none.
    [[nodiscard]] std::optional<schema::SteadyPoint> next() const;

    /// What was taken out was written, or its lock is lost.
    void forget(const std::string& job);

    /// The handler types of all that add() has brought and forget() has not ended.
    [[nodiscard]] std::set<std::string> types() const;

    [[nodiscard]] bool is_empty() const { return refused_.empty(); }
    [[nodiscard]] std::size_t size() const { return refused_.size(); }

private:
    struct Refused {
        std::string handler_type;
        schema::Duration wait{};
        schema::SteadyPoint next{};
        std::optional<persistence::Outcome> outcome = {};  ///< nullopt: it is being tried again.
    };

    std::map<std::string, Refused, std::less<>> refused_;  ///< By the id of the job.
};

}  // namespace jobstrand::executor
