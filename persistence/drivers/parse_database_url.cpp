#include "persistence/drivers/parse_database_url.hpp"

#include "persistence/drivers/registry.hpp"
#include "persistence/url/database_url_parser.hpp"

#include <vector>

namespace jobstrand::persistence {

schema::ParseResult<DatabaseUrl> parse_database_url(std::string_view text) {
    std::vector<UrlRules> known;
    for (const Driver* const driver : drivers()) {
        known.push_back(driver->url);
    }
    return parse_url(text, known);
}

}  // namespace jobstrand::persistence
