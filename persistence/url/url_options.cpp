#include "persistence/url/url_options.hpp"

#include "persistence/url/database_url.hpp"
#include "schema/text/iso8601.hpp"

namespace jobstrand::persistence {

std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : std::string_view(found->second);
}

bool server_is_verified(const DatabaseUrl& url) {
    const std::string_view ssl = option_text(url, kSslOption, {});
    return ssl == "verify" || ssl == "verify-ca";
}

schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : schema::parse_duration(found->second).value();
}

}  // namespace jobstrand::persistence
