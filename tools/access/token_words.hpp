#pragma once

#include "tools/access/token.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What restricts a token, in words of its line: ` topics=mail,invoice.* tenants=acme engines=main
/// expires=2026-12-26T10:00:00.000Z`. What would not fit into a word is percent-encoded.
namespace jobstrand::service {

/// Each with a blank before it; empty: it is not restricted.
[[nodiscard]] std::string words_of(const TokenEntry& token);

/// Reads one word. false: it is none, or was there already.
[[nodiscard]] bool read_word(std::string_view word, TokenEntry& token);

/// What is wrong with the topics of a token; empty: nothing.
[[nodiscard]] std::string problem_of_topics(const std::vector<std::string>& topics);

}  // namespace jobstrand::service
