#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

class Transaction;
struct StoreContext;

/// One change as the audit records it. Texts that are longer than their columns are cut.
struct AuditedAction {
    std::string who;        ///< The name of a token, or of the user of a command line.
    std::string via;        ///< `cli` or `http`.
    std::string action;     ///< `dead requeue`, `POST /api/v1/limits/{limit}`.
    std::string arguments;  ///< What it was about, as it was asked for.
    std::string reason;     ///< Why, in the words of who did it; empty: not said.

    bool operator==(const AuditedAction&) const = default;
};

struct AuditEntry {
    std::string id;
    schema::TimePoint time{};  ///< When it began.
    AuditedAction action = {};

    /// `done`, `failed` and the like. Empty: it is under way, or its process died before it ended,
    /// and part of it may have been done.
    std::string result = {};

    std::optional<std::int64_t> changed = {};  ///< How many things; nullopt: nobody counted.

    bool operator==(const AuditEntry&) const = default;
};

/// Which entries are meant; what is empty restricts nothing.
struct AuditFilter {
    std::string who = {};
    std::string action = {};
    std::optional<schema::TimePoint> after = {};   ///< Inclusive.
    std::optional<schema::TimePoint> before = {};  ///< Exclusive.
};

/// What people have changed. An entry is written before its action begins, and completed when it
/// has ended, so that nothing is done that leaves no trace.
class AuditStore final {
public:
    explicit AuditStore(const StoreContext& context) : context_(context) {}

    /// Returns the id of the entry.
    [[nodiscard]] std::string begin_action(const AuditedAction& action, schema::TimePoint now);

    void
    end_action(std::string_view id, std::string_view result, std::optional<std::int64_t> changed);

    /// The latest first, those that are older than `behind` (an id; empty: all).
    [[nodiscard]] std::vector<AuditEntry>
    audit(const AuditFilter& filter, std::string_view behind, std::size_t limit);

    /// Removes the entries from before a time, in short transactions. Returns how many there were.
    std::int64_t forget_audit(schema::TimePoint before);

private:
    const StoreContext& context_;
};

/// A request that its sender may send again, because it does not know whether it has arrived.
struct RepeatableRequest {
    std::string_view key;       ///< Up to 255 characters; the same when it comes again.
    std::string_view digest;    ///< Of its content, up to 64 ASCII characters.
    schema::TimePoint now;      ///< The database's time.
    schema::TimePoint until{};  ///< For how long it is remembered.
};

/// What a request was answered.
struct RememberedRequest {
    std::string digest;
    int status = 0;
    std::string answer;

    bool operator==(const RememberedRequest&) const = default;
};

/// Requests that are carried out once, however often they come.
class RequestStore final {
public:
    explicit RequestStore(const StoreContext& context) : context_(context) {}

    /// nullopt: the request is new, or is not remembered any longer. Then this transaction has
    /// taken its key, and has to answer_request() before its commit. Else what it was answered.
    /// Two transactions that want one key wait for each other.
    [[nodiscard]] static std::optional<RememberedRequest>
    take_request(Transaction& transaction, const RepeatableRequest& request);

    /// What stands under a key, whether its time is over or not.
    [[nodiscard]] static std::optional<RememberedRequest>
    find_request(Transaction& transaction, std::string_view key);

    static void answer_request(
        Transaction& transaction,
        std::string_view key,
        int status,
        std::string_view answer
    );

    /// Removes a few of those whose time is over: called with each new one, the table stays as
    /// large as what has to be remembered.
    void forget_requests(schema::TimePoint now);

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
