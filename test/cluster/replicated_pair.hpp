#pragma once

#include "persistence/drivers/database_url.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace jobstrand::test {

/// A server that takes writes, and one that has each of them before who wrote hears that it is
/// committed. A test is the one who decides which of them is the primary.
class ReplicatedPair {
public:
    virtual ~ReplicatedPair() = default;
    ReplicatedPair(const ReplicatedPair&) = delete;
    ReplicatedPair& operator=(const ReplicatedPair&) = delete;

    /// The database for jobs, on both servers, with a user who has rights there and nowhere else.
    [[nodiscard]] virtual std::string url() const = 0;

    /// SIGKILL.
    virtual void kill_primary() = 0;

    /// The primary takes no writes any more. Where its kind allows it, it goes on answering.
    virtual void demote_primary() = 0;

    /// The other one has all that was committed, and takes writes.
    virtual void promote() = 0;

protected:
    ReplicatedPair() = default;
};

/// One kind of server that the cases run on.
struct PairUnderTest {
    std::string name;
    std::function<std::unique_ptr<ReplicatedPair>()> start;

    /// What this machine lacks for it; the cases are then skipped.
    std::optional<std::string> missing = {};
};

/// Shown by GoogleTest behind the name of a case.
inline std::ostream& operator<<(std::ostream& out, const PairUnderTest& pair) {
    return out << pair.name;
}

/// MariaDB with semi-synchronous replication, and PostgreSQL with a synchronous standby.
[[nodiscard]] std::vector<PairUnderTest> pairs_under_test();

}  // namespace jobstrand::test
