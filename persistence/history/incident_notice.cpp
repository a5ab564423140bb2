#include "persistence/history/incident_notice.hpp"

#include "schema/text/iso8601.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace jobstrand::persistence {

namespace {

/// Characters of a message; the whole stands in the incident.
constexpr std::size_t kMessageOfNotice = 500;

/// As a JSON string. What is stored is UTF-8.
std::string quoted(std::string_view text) {
    std::string json = "\"";
    for (const char byte : text) {
        if (byte == '"' || byte == '\\') {
            json += '\\';
            json += byte;
        } else if (static_cast<unsigned char>(byte) < ' ') {
            json += fmt::format("\\u{:04x}", static_cast<unsigned char>(byte));
        } else {
            json += byte;
        }
    }
    return json += '"';
}

std::string json_of_incident(const Incident& incident) {
    return fmt::format(
        R"({{"id":{},"jobId":{},"time":{},"cause":{},"handlerType":{},"message":{}}})",
        quoted(incident.id),
        quoted(incident.job),
        quoted(schema::format_instant(incident.time)),
        quoted(incident.cause),
        quoted(incident.handler_type),
        quoted(schema::first_characters(incident.message, kMessageOfNotice))
    );
}

}  // namespace

schema::Job notice_of(std::span<const Incident> incidents, std::string_view target) {
    std::string list;
    for (const Incident& incident :
         incidents.first(std::min(incidents.size(), kIncidentsOfNotice))) {
        list += (list.empty() ? "" : ",") + json_of_incident(incident);
    }
    schema::Job job;
    job.category = kNoticeCategory;
    job.handler_type = "http";
    job.exclusive = false;
    job.payload = fmt::format(
        R"({{"target":{},"event":"incidents","count":{},"incidents":[{}]}})",
        quoted(target),
        incidents.size(),
        list
    );
    return job;
}

}  // namespace jobstrand::persistence
