#pragma once

#include "schema/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

class Transaction;
struct StoreContext;

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
