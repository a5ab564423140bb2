#pragma once

#include "schema/text/parsing.hpp"
#include "schema/time.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/process/unique_fd.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::service {

/// SHA-256 of a token. A token is 256 random bits, so nothing slower is needed to keep it.
using TokenHash = std::array<std::uint8_t, 32>;

/// What is stored of a token: never the token itself.
struct TokenEntry {
    std::string name;
    Role role = Role::read;
    TokenHash hash{};
    std::string created;  ///< ISO 8601, in UTC.
    Scope scope = {};
    std::optional<schema::TimePoint> expires = {};  ///< nullopt: never.

    /// By this machine's clock.
    [[nodiscard]] bool has_expired(schema::TimePoint now) const {
        return expires && *expires <= now;
    }
};

/// A new token: `jst_` and 43 characters of base64url. Throws std::runtime_error when the machine
/// has no randomness.
[[nodiscard]] std::string new_token();

[[nodiscard]] TokenHash hash_of(std::string_view token);

/// As lower-case hexadecimal digits.
[[nodiscard]] std::string hex_of(const TokenHash& hash);

/// In a time that does not depend on where they differ.
[[nodiscard]] bool are_equal(const TokenHash& a, const TokenHash& b);

/// What restricts a token, in words of its line:
///
///     topics=mail,invoice.* tenants=acme engines=main expires=2026-12-26T10:00:00.000Z
///
/// Each has a blank before it; what would not fit into a word is percent-encoded. Empty: it is not
/// restricted.
[[nodiscard]] std::string words_of(const TokenEntry& token);

/// Reads one word of words_of(). false: it is none, or was there already.
[[nodiscard]] bool read_word(std::string_view word, TokenEntry& token);

/// What is wrong with the topics of a token; empty: nothing.
[[nodiscard]] std::string problem_of_topics(const std::vector<std::string>& topics);

/// A token file cannot be used: what is wrong with it, and what to do.
class TokenFileError final : public std::runtime_error {
public:
    using runtime_error::runtime_error;
};

/// The text of a token file: a line for each token, `NAME ROLE sha256:HEX CREATED`, and behind it
/// what restricts the token (see words_of()). Empty lines and those that begin with # are
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

    [[nodiscard]] std::vector<TokenEntry>& tokens() { return tokens_; }

    /// Replaces the file: see write_tokens().
    void write() const { write_tokens(path_, tokens_); }

private:
    const std::string path_;
    cli::UniqueFd file_;  ///< Open and locked.
    std::vector<TokenEntry> tokens_;
};

}  // namespace jobstrand::service
