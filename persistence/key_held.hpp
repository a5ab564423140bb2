#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::persistence {

/// A new job was refused, because another one has its unique key. `what()` is one sentence that
/// says which, for whoever enqueued it. Nothing is wrong with the database.
class KeyHeld final : public std::runtime_error {
public:
    KeyHeld(std::string key, const std::string& message)
        : std::runtime_error(message), key_(std::move(key)) {}

    [[nodiscard]] const std::string& key() const noexcept { return key_; }

private:
    std::string key_;
};

}  // namespace jobstrand::persistence
