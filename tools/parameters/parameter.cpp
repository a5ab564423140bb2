#include "tools/parameters/parameter.hpp"

#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"

#include <algorithm>
#include <cctype>

namespace jobstrand::cli {

std::string
read_text(const std::string& text, const ParameterRules& rules, const ParameterReading& reading) {
    const std::string given = rules.may_be_empty ? text : not_empty(reading.label, text);
    return rules.is_job ? job_id(reading.session, given) : given;
}

std::int64_t
read_number(const std::string& text, const ParameterRules& rules, const ParameterReading& reading) {
    return whole_number(reading.label, text, rules.least, rules.most);
}

schema::TimePoint
read_time(const std::string& text, const ParameterRules& rules, const ParameterReading& reading) {
    return time_of(reading.session, reading.label, text, rules.toward);
}

schema::Duration read_duration(const std::string& text, const ParameterReading& reading) {
    return duration_of(reading.label, text);
}

timers::Zone read_zone(const std::string& text, const ParameterReading& reading) {
    const auto zone = timers::Zone::find(text);
    if (!zone) {
        refuse_parameter(reading, ": " + zone.error().message);
    }
    return zone.value();
}

std::vector<std::string> read_texts(
    const std::vector<std::string>& texts,
    const ParameterRules& rules,
    const ParameterReading& reading
) {
    if (rules.is_raw) {
        return texts;
    }
    return rules.is_job ? job_ids(reading.session, texts) : typed_ids(reading.session, texts);
}

void refuse_parameter(const ParameterReading& reading, const std::string& what) {
    throw WrongUsage(std::string(reading.label) + what);
}

std::string Parameter::option_name() const {
    const std::size_t word = names.find("--");
    return word == std::string::npos ? names : names.substr(word, names.find(',', word) - word);
}

std::string Parameter::query_name() const {
    return is_argument() ? names : option_name().substr(2);
}

std::string Parameter::json_name() const {
    std::string name;
    bool is_next_upper = false;
    for (const char letter : query_name()) {
        if (letter == '-') {
            is_next_upper = true;
            continue;
        }
        const int upper = std::toupper(static_cast<unsigned char>(letter));
        name += is_next_upper ? static_cast<char>(upper) : letter;
        is_next_upper = false;
    }
    return name;
}

Parameters<NamedThing> one_name(const char* label, const char* meaning, const char* unit) {
    return {
        {label,
         &NamedThing::name,
         meaning,
         {.unit = unit, .is_required = true, .may_be_empty = true}},
    };
}

Parameters<NamedThings> several_names(const char* label, const char* meaning, const char* unit) {
    return {{label, &NamedThings::names, meaning, {.unit = unit, .is_required = true}}};
}

Parameters<NamedThings> several_jobs(const char* meaning) {
    return {
        {"ids", &NamedThings::names, meaning, {.unit = "ID", .is_required = true, .is_job = true}},
    };
}

}  // namespace jobstrand::cli
