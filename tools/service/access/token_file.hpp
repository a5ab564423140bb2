#pragma once

#include "schema/text/parse_result.hpp"
#include "tools/service/access/token.hpp"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// A token file cannot be used: what is wrong with it, and what to do.
class TokenFileError final : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// The text of a token file: a line for each token, `NAME ROLE sha256:HEX CREATED`. Empty lines and
/// those that begin with # are passed over. An error names the line.
[[nodiscard]] schema::ParseResult<std::vector<TokenEntry>> parse_tokens(std::string_view text);
[[nodiscard]] std::string text_of(const std::vector<TokenEntry>& tokens);

/// What is wrong with the name of a token; empty: nothing.
[[nodiscard]] std::string problem_of_token_name(std::string_view name);

/// Throws TokenFileError: it is not there, not in order, or others than its owner may read it.
[[nodiscard]] std::vector<TokenEntry> read_tokens(const std::string& path);

/// Replaces the file as a whole, with mode 0600, so that nobody ever reads half of it. Throws
/// TokenFileError.
void write_tokens(const std::string& path, const std::vector<TokenEntry>& tokens);

}  // namespace jobstrand::service
