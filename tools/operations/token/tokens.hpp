#pragma once

#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <optional>
#include <string>
#include <vector>

/// `token ...`: who may use the HTTP service. The file is the one of --file, else httpTokenFile.
namespace jobstrand::cli {

struct TokenFileOptions {
    std::optional<std::string> file;
};

struct TokenMakeOptions {
    TokenFileOptions in;
    std::string name;
    std::string role;

    // What restricts it: lists with commas, and a time.
    std::optional<std::string> topics;
    std::optional<std::string> tenants;
    std::optional<std::string> engines;
    std::optional<std::string> expires;
};

struct TokenRevokeOptions {
    TokenFileOptions in;
    std::vector<std::string> names;
};

/// Prints the token, which is stored nowhere: the file keeps its hash.
[[nodiscard]] ExitCode make_token(Session& session, const TokenMakeOptions& options);

[[nodiscard]] ExitCode list_tokens(Session& session, const TokenFileOptions& options);

/// All or none of those that are named.
[[nodiscard]] ExitCode revoke_tokens(Session& session, const TokenRevokeOptions& options);

}  // namespace jobstrand::cli
