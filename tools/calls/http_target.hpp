#pragma once

#include "tools/settings/settings.hpp"
#include "tools/text/http_url.hpp"

#include <string>

namespace jobstrand::cli {

/// An app that `http` jobs call, with its files read.
struct HttpTarget {
    std::string name;
    TargetSettings settings;
    HttpUrl url;
    std::string secret;  ///< Its bytes; empty: calls are not signed.
};

/// Reads the secret. Throws std::runtime_error that says what is wrong with its file.
[[nodiscard]] HttpTarget open_target(const std::string& name, const TargetSettings& settings);

}  // namespace jobstrand::cli
