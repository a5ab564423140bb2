#pragma once

#include "schema/unique_key.hpp"

#include <jobstrand/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What the roles of the store say about unique keys.
namespace jobstrand::persistence {

/// A new job that wants a key. The texts are borrowed.
struct KeyWish {
    std::string_view key;
    std::string_view job;
    schema::KeyRule rule;
};

/// A part of the keys: `rows` of them after the key `after` (exclusive; empty: from the start).
struct KeySearch {
    schema::TimePoint now;
    std::string_view after = {};
    std::size_t rows = 5'000;
};

struct ExpiredKeys {
    std::int64_t removed = 0;
    std::string end;  ///< The last key that was looked at; empty: there is nothing behind it.
};

/// Who has a key.
struct KeyOwner {
    std::string job;
    std::optional<schema::TimePoint> until;  ///< nullopt: while the job is open.
};

/// A new job was refused, because another one has its unique key. `what()` is one sentence that
/// says which, for whoever enqueued it. Nothing is wrong with the database, so it is no DbError.
class KeyHeld final : public Error {
public:
    KeyHeld(std::string key, const std::string& message)
        : Error(ErrorKind::duplicate_key, message), key_(std::move(key)) {}

    [[nodiscard]] const std::string& key() const noexcept { return key_; }

private:
    std::string key_;
};

}  // namespace jobstrand::persistence
