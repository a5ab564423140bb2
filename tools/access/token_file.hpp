#pragma once

#include "schema/text/parse_result.hpp"
#include "tools/access/token.hpp"

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

/// The text of a token file: a line for each token, `NAME ROLE sha256:HEX CREATED`, and behind it
/// what restricts the token (see token_words.hpp). Empty lines and those that begin with # are
/// passed over. An error names the line.
[[nodiscard]] schema::ParseResult<std::vector<TokenEntry>> parse_tokens(std::string_view text);
[[nodiscard]] std::string text_of(const std::vector<TokenEntry>& tokens);

/// What is wrong with the name of a token; empty: nothing.
[[nodiscard]] std::string problem_of_token_name(std::string_view name);

/// Throws TokenFileError: it is not there, not in order, or not kept secret (see is_kept_secret).
[[nodiscard]] std::vector<TokenEntry> read_tokens(const std::string& path);

/// Replaces the file as a whole, so that nobody ever reads half of it, or makes it with mode 0600.
/// Owner and mode stay as they are, and where `path` is a symbolic link its target is replaced.
/// Throws TokenFileError.
void write_tokens(const std::string& path, const std::vector<TokenEntry>& tokens);

/// A turn at changing a token file: nobody else, whatever its process, has one meanwhile.
class TokenFileTurn final {
public:
    enum class Missing { fails, is_made };

    /// Waits for its turn, for half a minute at most, and reads the file. Throws TokenFileError.
    TokenFileTurn(std::string path, Missing missing);
    ~TokenFileTurn();

    TokenFileTurn(const TokenFileTurn&) = delete;
    TokenFileTurn& operator=(const TokenFileTurn&) = delete;

    [[nodiscard]] std::vector<TokenEntry>& tokens() { return tokens_; }

    /// Replaces the file: see write_tokens().
    void write() const { write_tokens(path_, tokens_); }

private:
    const std::string path_;
    int file_ = -1;  ///< Open and locked.
    std::vector<TokenEntry> tokens_;
};

}  // namespace jobstrand::service
