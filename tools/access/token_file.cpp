#include "tools/access/token_file.hpp"

#include "persistence/drivers/password.hpp"
#include "schema/text/time_text.hpp"
#include "tools/text/http_address.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

namespace jobstrand::service {

namespace {

constexpr std::string_view kPrefix = "jst_";
/// RFC 4648, 5, without padding.
[[nodiscard]] std::string base64url(const std::array<std::uint8_t, 32>& bytes) {
    std::array<unsigned char, 45> text{};  // With padding, and what ends it.
    (void)EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(bytes.size()));
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return {text.begin(), std::ranges::find(text, '=')};
}

}  // namespace

std::string new_token() {
    std::array<std::uint8_t, 32> bytes{};
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error("this machine has no randomness to make a token of");
    }
    return std::string(kPrefix) + base64url(bytes);
}

TokenHash hash_of(std::string_view token) {
    TokenHash hash{};
    if (EVP_Digest(token.data(), token.size(), hash.data(), nullptr, EVP_sha256(), nullptr) != 1) {
        throw std::runtime_error("SHA-256 is not available");
    }
    return hash;
}

std::string hex_of(const TokenHash& hash) {
    std::string text;
    for (const std::uint8_t byte : hash) {
        fmt::format_to(std::back_inserter(text), "{:02x}", byte);
    }
    return text;
}

bool are_equal(const TokenHash& a, const TokenHash& b) {
    return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

namespace {

constexpr std::string_view kExpires = "expires";
constexpr std::string_view kEncodedAnyEnd = "%2A";

constexpr std::array kLists{
    std::pair{std::string_view("topics"), &Scope::topics},
    std::pair{std::string_view("tenants"), &Scope::tenants},
    std::pair{std::string_view("engines"), &Scope::engines},
};

[[nodiscard]] std::string encoded(const std::string& name) {
    std::string text = percent_encoded(name);
    if (text.ends_with(kEncodedAnyEnd)) {
        text.replace(text.size() - kEncodedAnyEnd.size(), kEncodedAnyEnd.size(), 1, kAnyEnd);
    }
    return text;
}

[[nodiscard]] bool read_list(std::string_view text, std::vector<std::string>& list) {
    const bool is_first = list.empty();
    while (true) {
        const std::size_t comma = text.find(',');
        auto name = percent_decoded(text.substr(0, comma));
        if (!name || name->empty()) {
            return false;
        }
        list.push_back(std::move(*name));
        if (comma == std::string_view::npos) {
            return is_first;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::string words_of(const TokenEntry& token) {
    std::string words;
    for (const auto& [key, member] : kLists) {
        const std::vector<std::string>& names = token.scope.*member;
        for (std::size_t i = 0; i < names.size(); ++i) {
            words += i == 0 ? fmt::format(" {}=", key) : ",";
            words += encoded(names[i]);
        }
    }
    if (token.expires) {
        words += fmt::format(" {}={}", kExpires, schema::format_instant(*token.expires));
    }
    return words;
}

bool read_word(std::string_view word, TokenEntry& token) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    for (const auto& [name, member] : kLists) {
        if (key == name) {
            return read_list(value, token.scope.*member) &&
                   problem_of_topics(token.scope.topics).empty();
        }
    }
    const auto time = schema::parse_instant(value);
    if (key != kExpires || token.expires || !time) {
        return false;
    }
    token.expires = time.value();
    return true;
}

std::string problem_of_topics(const std::vector<std::string>& topics) {
    for (const std::string_view topic : topics) {
        const std::size_t star = topic.find(kAnyEnd);
        if (star == 0 || star < topic.size() - 1) {
            return "a topic may have a * at its end only, behind the beginning that is meant";
        }
    }
    return {};
}

namespace {

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::size_t kNameLength = 64;

/// How long a turn at changing the file is waited for, and how often it is asked for.
constexpr std::chrono::seconds kLockWait{30};
constexpr std::chrono::milliseconds kLockPause{5};

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
    words >> entry.name >> role >> hash >> entry.created;
    const auto known_role = role_named(role);
    const auto known_hash = hash_in(hash);
    if (words.fail() || !known_role || !known_hash || !problem_of_token_name(entry.name).empty()) {
        return std::nullopt;
    }
    for (std::string word; words >> word;) {
        if (!read_word(word, entry)) {
            return std::nullopt;
        }
    }
    entry.role = *known_role;
    entry.hash = *known_hash;
    return entry;
}

[[noreturn]] void fail_to(std::string_view what, const std::string& path, int error) {
    throw TokenFileError(fmt::format(
        "cannot {} the token file {}: {}", what, path, std::generic_category().message(error)
    ));
}

/// Does not wait for the writer of a pipe.
[[nodiscard]] cli::UniqueFd open_file(const std::string& path, int flags) {
    return cli::UniqueFd(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, S_IRUSR | S_IWUSR));
}

[[nodiscard]] struct stat about(int descriptor, const std::string& path) {
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) {
        fail_to("read", path, errno);
    }
    return found;
}

void require_private(int descriptor, const std::string& path) {
    if (!S_ISREG(about(descriptor, path).st_mode)) {
        throw TokenFileError(fmt::format("the token file {} is not a file", path));
    }
    if (!persistence::is_kept_secret(persistence::look_at_secret(descriptor))) {
        throw TokenFileError(fmt::format(
            "the token file {} is open to others than its owner: chmod 600 {}", path, path
        ));
    }
}

/// All of it, or one byte more than it may have.
[[nodiscard]] std::string text_in(int descriptor, const std::string& path) {
    std::string text(kMaxBytes + 1, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t count = ::read(descriptor, text.data() + size, text.size() - size);
        if (count < 0) {
            fail_to("read", path, errno);
        }
        if (count == 0) {
            break;
        }
        size += static_cast<std::size_t>(count);
    }
    text.resize(size);
    return text;
}

/// Where a symbolic link leads; itself, if it is none or leads to nothing.
[[nodiscard]] std::string target_of(const std::string& path) {
    std::error_code error;
    const auto target = std::filesystem::canonical(path, error);
    return error ? path : target.string();
}

/// A file that was there keeps what belongs to it.
void keep_owner_and_mode(int draft, const struct stat& former, const std::string& path) {
    const struct stat now = about(draft, path);
    const bool has_moved = now.st_uid != former.st_uid || now.st_gid != former.st_gid;
    if ((has_moved && ::fchown(draft, former.st_uid, former.st_gid) != 0) ||
        ::fchmod(draft, former.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO)) != 0) {
        fail_to("keep the owner of", path, errno);
    }
}

/// Whether the name still leads to this file: whoever had the turn before has replaced it.
[[nodiscard]] bool is_at(const std::string& path, int descriptor) {
    struct stat there {};
    const struct stat here = about(descriptor, path);
    return ::stat(path.c_str(), &there) == 0 && there.st_dev == here.st_dev &&
           there.st_ino == here.st_ino;
}

void lock(int descriptor, const std::string& path, std::chrono::steady_clock::time_point until) {
    while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR) {
            fail_to("lock", path, errno);
        }
        if (std::chrono::steady_clock::now() > until) {
            throw TokenFileError(fmt::format("another command is changing the token file {}", path)
            );
        }
        std::this_thread::sleep_for(kLockPause);
    }
}

void write_all(int file, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0) {
            fail_to("write", path, errno);
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
            "{} {} {}{} {}{}\n",
            token.name,
            name_of(token.role),
            kHashPrefix,
            hex_of(token.hash),
            token.created,
            words_of(token)
        );
    }
    return text;
}

std::vector<TokenEntry> read_tokens(const std::string& path) {
    const cli::UniqueFd file = open_file(path, O_RDONLY);
    if (!file) {
        fail_to("read", path, errno);
    }
    require_private(file.get(), path);
    const std::string text = text_in(file.get(), path);
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
    const std::string target = target_of(path);
    std::string draft = target + ".XXXXXX";
    const cli::UniqueFd file(::mkstemp(draft.data()));  // Mode 0600.
    if (!file) {
        fail_to("write", path, errno);
    }
    // Defended catch: a draft that cannot be finished is taken away again.
    try {
        struct stat former {};
        if (::stat(target.c_str(), &former) == 0) {
            keep_owner_and_mode(file.get(), former, path);
        }
        write_all(file.get(), text_of(tokens), path);
        if (::fsync(file.get()) != 0 || ::rename(draft.c_str(), target.c_str()) != 0) {
            fail_to("write", path, errno);
        }
    } catch (const TokenFileError&) {
        ::unlink(draft.c_str());
        throw;
    }
}

TokenFileTurn::TokenFileTurn(std::string path, Missing missing) : path_(std::move(path)) {
    const auto until = std::chrono::steady_clock::now() + kLockWait;
    const int flags = O_RDONLY | (missing == Missing::is_made ? O_CREAT : 0);
    while (true) {
        file_ = open_file(path_, flags);
        if (!file_) {
            fail_to(missing == Missing::is_made ? "write" : "read", path_, errno);
        }
        lock(file_.get(), path_, until);
        if (is_at(path_, file_.get())) {
            tokens_ = read_tokens(path_);
            return;
        }
    }
}

}  // namespace jobstrand::service
