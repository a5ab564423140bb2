#pragma once

#include "test/timers/seed.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

using timers::Dice;

/// Draws texts of a language from its rules, one after the other:
///
///     greeting ::= hello, <name>! | <greeting> <greeting>
///     name     ::= Ann
///                | Bo | <nothing>
///
/// `<name>` stands for what the rule of that name draws; `<nothing>`, `<blank>`, `<tab>`, `<cr>`
/// and
/// `<nl>` for what could not be seen here. An alternative that is written twice is drawn twice as
/// often. Where the drawing has gone deep, rules give their first alternative, so let that be one
/// that ends.
class Grammar final {
public:
    /// Throws std::invalid_argument for a line that is no part of a rule, and for names that no
    /// rule has.
    explicit Grammar(std::string_view rules);

    /// Throws std::out_of_range for a name that no rule has.
    [[nodiscard]] std::string draw(std::string_view name, Dice& dice) const;

private:
    using Alternatives = std::vector<std::string>;

    Alternatives& rule_of(std::string_view& line);
    void check_names() const;
    void append(std::string& text, std::string_view name, Dice& dice, int depth) const;

    std::map<std::string, Alternatives, std::less<>> rules_;
    Alternatives* last_rule_ = nullptr;  ///< While the rules are read.
};

/// A text with a few mistakes of the kind that fingers, editors and broken copies make: characters
/// that are gone, doubled, swapped or changed, pieces that stand twice, bytes that are no UTF-8.
[[nodiscard]] std::string damaged(std::string text, Dice& dice);

/// Mostly as it was drawn; every third one with mistakes.
[[nodiscard]] std::string nearly_valid(const Grammar& grammar, std::string_view name, Dice& dice);

}  // namespace jobstrand::test
