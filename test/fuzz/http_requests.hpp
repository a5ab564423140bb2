#pragma once

#include "test/fuzz/grammar.hpp"

#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

/// Draws requests as clients send them that are in order, half broken, or mean no good: their
/// lines, headers, framing and bodies. Nothing in them lets the service wait for long.
class HttpRequests final {
public:
    struct Path {
        std::string method;
        std::string pattern;  ///< With `{...}` for what is drawn.
    };

    explicit HttpRequests(std::vector<Path> paths) : paths_(std::move(paths)) {}

    /// One request or several, one behind the other.
    [[nodiscard]] std::string draw(Dice& dice) const;

private:
    [[nodiscard]] std::string request(Dice& dice) const;
    [[nodiscard]] std::string target(const Path& path, Dice& dice) const;

    const std::vector<Path> paths_;
};

}  // namespace jobstrand::test
