#include "tools/service/access/token_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>

namespace jobstrand::service {

namespace {

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::size_t kNameLength = 64;

/// A file of tokens is short; more is something else.
constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;

[[nodiscard]] std::optional<TokenHash> hash_in(std::string_view text) {
    TokenHash hash{};
    if (!text.starts_with(kHashPrefix) || text.size() != kHashPrefix.size() + 2 * hash.size()) {
        return std::nullopt;
    }
    const char* digits = text.data() + kHashPrefix.size();
    for (std::uint8_t& byte : hash) {
        if (std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) {
            return std::nullopt;
        }
        digits += 2;
    }
    return hash;
}

/// nullopt: it cannot be meant so.
[[nodiscard]] std::optional<TokenEntry> entry_in(const std::string& line) {
    std::istringstream words(line);
    TokenEntry entry;
    std::string role;
    std::string hash;
    std::string more;
    words >> entry.name >> role >> hash >> entry.created;
    const auto known_role = role_named(role);
    const auto known_hash = hash_in(hash);
    if (words.fail() || (words >> more) || !known_role || !known_hash ||
        !problem_of_token_name(entry.name).empty()) {
        return std::nullopt;
    }
    entry.role = *known_role;
    entry.hash = *known_hash;
    return entry;
}

[[noreturn]] void fail(std::string_view what, const std::string& path, int error) {
    throw TokenFileError(fmt::format(
        "cannot {} the token file {}: {}", what, path, std::generic_category().message(error)
    ));
}

void require_private(const std::string& path) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) {
        fail("read", path, errno);
    }
    if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        throw TokenFileError(fmt::format(
            "the token file {} is open to others than its owner: chmod 600 {}", path, path
        ));
    }
}

void write_all(int file, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0) {
            fail("write", path, errno);
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

}  // namespace

std::string problem_of_token_name(std::string_view name) {
    const bool is_plain = std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    });
    return is_plain && !name.empty() && name.size() <= kNameLength
               ? ""
               : "a name of 1 to 64 letters, digits, '-', '_' or '.'";
}

schema::ParseResult<std::vector<TokenEntry>> parse_tokens(std::string_view text) {
    std::vector<TokenEntry> tokens;
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        auto entry = entry_in(line);
        if (!entry) {
            return schema::ParseError{fmt::format("line {} is no token", number)};
        }
        if (std::ranges::find(tokens, entry->name, &TokenEntry::name) != tokens.end()) {
            return schema::ParseError{fmt::format("line {} has a name that is taken", number)};
        }
        tokens.push_back(std::move(*entry));
    }
    return tokens;
}

std::string text_of(const std::vector<TokenEntry>& tokens) {
    std::string text = "# Tokens of Jobstrand's HTTP service: see jobstrand token --help.\n";
    for (const TokenEntry& token : tokens) {
        fmt::format_to(
            std::back_inserter(text),
            "{} {} {}{} {}\n",
            token.name,
            name_of(token.role),
            kHashPrefix,
            hex_of(token.hash),
            token.created
        );
    }
    return text;
}

std::vector<TokenEntry> read_tokens(const std::string& path) {
    require_private(path);
    std::ifstream file(path, std::ios::binary);
    std::string text(kMaxBytes + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.is_open() || file.bad()) {
        fail("read", path, errno);
    }
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > kMaxBytes) {
        throw TokenFileError(fmt::format("the token file {} is longer than 1 MiB", path));
    }
    const auto tokens = parse_tokens(text);
    if (!tokens) {
        throw TokenFileError(fmt::format("the token file {}: {}", path, tokens.error().message));
    }
    return tokens.value();
}

void write_tokens(const std::string& path, const std::vector<TokenEntry>& tokens) {
    std::string draft = path + ".XXXXXX";
    const int file = ::mkstemp(draft.data());  // Mode 0600.
    if (file < 0) {
        fail("write", path, errno);
    }
    // Defended catch: a draft that cannot be finished is taken away again.
    try {
        write_all(file, text_of(tokens), path);
        if (::fsync(file) != 0 || ::rename(draft.c_str(), path.c_str()) != 0) {
            fail("write", path, errno);
        }
    } catch (const TokenFileError&) {
        ::close(file);
        ::unlink(draft.c_str());
        throw;
    }
    ::close(file);
}

}  // namespace jobstrand::service
