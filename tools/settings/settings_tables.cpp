#include "tools/settings/settings_tables.hpp"

#include "schema/text/time_text.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/text/http_address.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <stdexcept>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using deadletter::RequeueRule;
using nlohmann::ordered_json;
using schema::Duration;
using schema::JobDefinition;

/// The mistakes in the tables of one kind.
class TableMistakes final {
public:
    TableMistakes(std::string_view kind, std::vector<LineMessage>& problems)
        : kind_(kind), problems_(problems) {}

    /// The table that is being read from now on.
    void enter(std::string_view name) { name_ = name; }

    void add(const toml::node& node, const std::string& text) {
        const std::string where = name_.empty() ? "" : fmt::format("[{}.{}] ", kind_, name_);
        problems_.push_back({static_cast<int>(node.source().begin.line), printable(where) + text});
    }

    /// Of all tables up to now.
    [[nodiscard]] std::size_t count() const { return problems_.size(); }

private:
    const std::string_view kind_;
    std::string name_;
    std::vector<LineMessage>& problems_;
};

/// A value that stands behind a key.
struct GivenValue {
    TableMistakes& mistakes;
    std::string_view key;
    const toml::node& node;

    /// `why` goes on behind the key.
    void refuse(std::string_view why) const { mistakes.add(node, fmt::format("{} {}", key, why)); }
};

// How values are shown. null: not at all.

[[nodiscard]] ordered_json shown(const auto& value) {
    return value;
}
[[nodiscard]] ordered_json shown(Duration time) {
    return schema::format_duration(time);
}
[[nodiscard]] ordered_json shown(const std::optional<Duration>& time) {
    return time ? schema::format_duration(*time) : "";
}
[[nodiscard]] ordered_json shown(const std::optional<bool>& flag) {
    return flag ? ordered_json(*flag) : ordered_json();
}

/// The value of a variable or header may be a secret.
[[nodiscard]] ordered_json shown(const std::map<std::string, std::string>& texts) {
    ordered_json hidden = ordered_json::object();
    for (const auto& [name, text] : texts) {
        hidden[name] = text.empty() ? "" : "***";
    }
    return hidden;
}

/// One key of a table that is read into a T.
template <typename T>
struct TableKey {
    std::string_view name;
    std::function<void(TableMistakes& mistakes, const toml::node& node, T& into)> read;
    std::function<ordered_json(const T& from)> show;
    std::string_view example = {};  ///< Of one that must be there; empty: it need not.
};

template <typename T>
using TableKeys = std::vector<TableKey<T>>;

/// `read` gets the value and the member.
template <typename T, typename Value, typename Read>
[[nodiscard]] TableKey<T>
table_key(std::string_view name, Value T::*member, Read read, std::string_view example = {}) {
    return {
        name,
        [name, member, read](TableMistakes& mistakes, const toml::node& node, T& into) {
            read(GivenValue{mistakes, name, node}, into.*member);
        },
        [member](const T& from) { return shown(from.*member); },
        example};
}

template <typename T>
void read_keys(
    TableMistakes& mistakes,
    const TableKeys<T>& keys,
    const toml::table& table,
    T& into
) {
    std::vector<std::string_view> names;
    std::ranges::transform(keys, std::back_inserter(names), &TableKey<T>::name);
    for (const auto& [key, node] : table) {
        const auto known = std::ranges::find(keys, key.str(), &TableKey<T>::name);
        if (known != keys.end()) {
            known->read(mistakes, node, into);
        } else if (find_setting(key.str()).setting != nullptr) {
            mistakes.add(
                node, fmt::format("{} belongs at the top of the file, before any table", key.str())
            );
        } else {
            mistakes.add(
                node,
                fmt::format(
                    "there is no key {}; did you mean {}?",
                    printable(key.str()),
                    nearest_name(key.str(), names)
                )
            );
        }
    }
    for (const TableKey<T>& key : keys) {
        if (!key.example.empty() && !table.contains(key.name)) {
            mistakes.add(table, fmt::format("needs {} = {}", key.name, key.example));
        }
    }
}

/// Calls `read` with the name and the content of each table [KIND.NAME]; `form` is what they look
/// like.
template <typename Read>
void for_each_table(
    TableMistakes& mistakes,
    std::string_view kind,
    std::string_view form,
    const toml::node& node,
    const Read& read
) {
    const toml::table* const tables = node.as_table();
    if (tables == nullptr) {
        mistakes.add(node, fmt::format("{} must be tables: {}", kind, form));
        return;
    }
    for (const auto& [name, content] : *tables) {
        mistakes.enter(name.str());
        if (const toml::table* const table = content.as_table()) {
            read(std::string(name.str()), *table);
        } else {
            mistakes.add(content, fmt::format("must be a table: {}", form));
        }
    }
}

/// In the order of the keys. `shows_empty`: texts too that are empty.
template <typename T>
[[nodiscard]] ordered_json shown_table(const TableKeys<T>& keys, const T& from, bool shows_empty) {
    ordered_json table = ordered_json::object();
    for (const TableKey<T>& key : keys) {
        ordered_json value = key.show ? key.show(from) : ordered_json();
        if (!value.is_null() && (shows_empty || !is_empty_text(value))) {
            table[std::string(key.name)] = std::move(value);
        }
    }
    return table;
}

/// Kinds of tables that are kept by their names.
template <typename T>
void read_by_name(
    std::string_view kind,
    const TableKeys<T>& keys,
    const toml::node& node,
    std::map<std::string, T, std::less<>>& into,
    std::vector<LineMessage>& problems
) {
    TableMistakes mistakes(kind, problems);
    const auto read = [&](const std::string& name, const toml::table& table) {
        const std::size_t before = mistakes.count();
        T content;
        read_keys(mistakes, keys, table, content);
        if (mistakes.count() == before) {
            into.emplace(name, std::move(content));
        }
    };
    for_each_table(mistakes, kind, fmt::format("[{}.NAME]", kind), node, read);
}

template <typename T>
[[nodiscard]] ShownTables
shown_by_name(const TableKeys<T>& keys, const std::map<std::string, T, std::less<>>& tables) {
    ShownTables all;
    for (const auto& [name, table] : tables) {
        all.emplace_back(name, shown_table(keys, table, true));
    }
    return all;
}

// How values are read.

/// Programs and headers get texts as C strings, which end at the first NUL.
[[nodiscard]] bool has_nul(std::string_view text) {
    return text.find('\0') != std::string_view::npos;
}

void read_absolute_path(const GivenValue& given, std::string& path) {
    const auto* text = given.node.as_string();
    if (text == nullptr || !text->get().starts_with('/') || has_nul(text->get())) {
        given.refuse("must be an absolute path");
        return;
    }
    path = text->get();
}

[[nodiscard]] std::optional<Duration> duration_in(const toml::node& node) {
    if (const auto* number = node.as_integer()) {
        return Duration(number->get());
    }
    const auto* text = node.as_string();
    if (text == nullptr || !text->get().starts_with('P')) {
        return std::nullopt;
    }
    const auto parsed = schema::parse_duration(text->get());
    return parsed ? std::optional(parsed.value()) : std::nullopt;
}

/// Reads milliseconds, or an ISO 8601 duration.
[[nodiscard]] auto time_from(Duration least, Duration most) {
    return [=](const GivenValue& given, auto& time) {
        const auto length = duration_in(given.node);
        if (length && *length >= least && *length <= most) {
            time = *length;
            return;
        }
        given.refuse(fmt::format(
            "must be milliseconds or an ISO 8601 duration such as \"PT60S\", {} to {}",
            schema::format_duration(least),
            schema::format_duration(most)
        ));
    };
}

[[nodiscard]] auto time_limit() {
    return time_from(1ms, 24h);
}

[[nodiscard]] auto number_up_to(std::int64_t most) {
    return [most](const GivenValue& given, std::size_t& number) {
        const auto* read = given.node.as_integer();
        if (read == nullptr || read->get() < 1 || read->get() > most) {
            given.refuse(fmt::format("must be 1 to {}", most));
            return;
        }
        number = static_cast<std::size_t>(read->get());
    };
}

void read_flag(const GivenValue& given, auto& flag) {
    if (const auto* read = given.node.as_boolean()) {
        flag = read->get();
    } else {
        given.refuse("must be true or false");
    }
}

/// Reads a list of what `item` takes, which answers nullopt for anything else. `what` says what
/// that is.
template <typename Item>
[[nodiscard]] auto list_of(std::string_view what, Item item) {
    return [=](const GivenValue& given, auto& list) {
        const toml::array* const array = given.node.as_array();
        std::decay_t<decltype(list)> read;
        for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
            if (const auto value = item(*array->get(i))) {
                read.push_back(*value);
            }
        }
        if (array == nullptr || read.size() < array->size()) {
            given.refuse(fmt::format("must be a list of {}", what));
            return;
        }
        list = std::move(read);
    };
}

[[nodiscard]] auto list_of_texts() {
    return list_of("texts", [](const toml::node& item) {
        const auto text = item.value<std::string>();
        return text && !text->empty() ? text : std::nullopt;
    });
}

/// What a table of texts by their names may hold.
struct NamedTexts {
    std::string_view thing;  ///< That has such a name.
    bool (*is_name)(std::string_view);
    bool (*is_reserved)(std::string_view);  ///< The handler sets it itself.
    std::string_view text;                  ///< What each must be.
    bool (*is_text)(std::string_view);
};

[[nodiscard]] auto texts_by_name(const NamedTexts& rules) {
    return [rules](const GivenValue& given, std::map<std::string, std::string>& into) {
        const toml::table* const table = given.node.as_table();
        if (table == nullptr) {
            given.refuse("must be a table of texts");
            return;
        }
        for (const auto& [its_name, value] : *table) {
            const std::string name(its_name.str());
            const auto* text = value.as_string();
            if (!rules.is_name(name)) {
                given.mistakes.add(
                    value, fmt::format("{} has a name that no {} can have", given.key, rules.thing)
                );
            } else if (rules.is_reserved(name)) {
                given.mistakes.add(value, fmt::format("{} is set by Jobstrand itself", name));
            } else if (text == nullptr || !rules.is_text(text->get())) {
                given.mistakes.add(
                    value, fmt::format("{}.{} must be {}", given.key, name, rules.text)
                );
            } else {
                into.emplace(name, text->get());
            }
        }
    };
}

// [commands.NAME]: the programs that `command` jobs may run.

[[nodiscard]] const TableKeys<CommandSettings>& command_keys() {
    static const TableKeys<CommandSettings> keys{
        table_key("program", &CommandSettings::program, read_absolute_path, "\"/path/to/program\""),
        table_key(
            "args",
            &CommandSettings::arguments,
            list_of(
                "texts without NUL",
                [](const toml::node& item) {
                    const auto text = item.value<std::string>();
                    return text && !has_nul(*text) ? text : std::nullopt;
                }
            )
        ),
        table_key("timeLimit", &CommandSettings::time_limit, time_limit()),
        table_key("workingDirectory", &CommandSettings::working_directory, read_absolute_path),
        table_key(
            "environment",
            &CommandSettings::environment,
            texts_by_name(
                {.thing = "variable",
                 .is_name =
                     [](std::string_view name) {
                         return !name.empty() && !has_nul(name) &&
                                name.find('=') == std::string_view::npos;
                     },
                 .is_reserved = [](std::string_view name
                                ) { return name.starts_with("JOBSTRAND_"); },
                 .text = "a text without NUL",
                 .is_text = [](std::string_view text) { return !has_nul(text); }}
            )
        ),
    };
    return keys;
}

// [targets.NAME]: the apps that `http` jobs may call.

/// RFC 9110, 5.6.2.
[[nodiscard]] bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) !=
                   std::string_view::npos;
    });
}

/// Headers that the handler sets itself.
[[nodiscard]] bool is_reserved_header(std::string_view header) {
    static constexpr std::array<std::string_view, 7> kReserved{
        "host",
        "user-agent",
        "content-type",
        "content-length",
        "transfer-encoding",
        "connection",
        "traceparent"};
    std::string name(header);
    std::ranges::transform(name, name.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return std::ranges::count(kReserved, name) > 0 || name.starts_with("jobstrand-") ||
           name.starts_with("webhook-");
}

[[nodiscard]] bool is_field_value(std::string_view text) {
    return std::ranges::all_of(text, [](unsigned char c) { return c >= ' ' && c < 0x7f; });
}

void read_url(const GivenValue& given, std::string& url) {
    url = given.node.value_or("");
    if (const auto parsed = parse_http_url(url); !parsed) {
        given.refuse(parsed.error().message);
    }
}

[[nodiscard]] std::optional<int> refusal_status_in(const toml::node& item) {
    const auto status = item.value<std::int64_t>().value_or(0);
    return status < 400 || status > 499 ? std::nullopt : std::optional(static_cast<int>(status));
}

[[nodiscard]] const TableKeys<TargetSettings>& target_keys() {
    static const TableKeys<TargetSettings> keys{
        table_key("url", &TargetSettings::url, read_url, "\"https://...\""),
        table_key("secretFile", &TargetSettings::secret_file, read_absolute_path),
        table_key("caFile", &TargetSettings::ca_file, read_absolute_path),
        table_key("timeLimit", &TargetSettings::time_limit, time_limit()),
        table_key("calls", &TargetSettings::calls, number_up_to(100'000)),
        table_key(
            "retryStatuses",
            &TargetSettings::retry_statuses,
            list_of("numbers from 400 to 499", refusal_status_in)
        ),
        table_key("waitsUseRetries", &TargetSettings::waits_use_retries, read_flag<bool>),
        table_key("callbackWithin", &TargetSettings::call_back_within, time_limit()),
        table_key(
            "headers",
            &TargetSettings::headers,
            texts_by_name(
                {.thing = "header",
                 .is_name = is_token,
                 .is_reserved = is_reserved_header,
                 .text = "a text of visible ASCII characters",
                 .is_text = is_field_value}
            )
        ),
    };
    return keys;
}

// [definitions.NAME]: what is set for definitions, their elements and types.

/// `such_as` goes on behind "must be a text".
[[nodiscard]] auto text_such_as(std::string_view such_as) {
    return [such_as](const GivenValue& given, std::string& text) {
        if (const auto* read = given.node.as_string()) {
            text = read->get();
        } else {
            given.refuse(fmt::format("must be a text{}", such_as));
        }
    };
}

void read_priority(const GivenValue& given, std::string& priority) {
    if (const auto* text = given.node.as_string()) {
        priority = text->get();
    } else if (const auto* number = given.node.as_integer()) {
        priority = std::to_string(number->get());
    } else {
        given.refuse("must be a whole number, or an expression in quotes");
    }
}

[[nodiscard]] TableKeys<JobDefinition> make_definition_keys() {
    TableKey<JobDefinition> category = table_key(
        "category", &JobDefinition::category, text_such_as(", which may hold expressions")
    );
    category.show = {};  // It is not shown.
    return {
        table_key("priority", &JobDefinition::priority, read_priority),
        table_key("retryCycle", &JobDefinition::retry_cycle, text_such_as(" such as \"R5/PT5M\"")),
        std::move(category),
        table_key("exclusive", &JobDefinition::exclusive, read_flag<std::optional<bool>>),
    };
}

[[nodiscard]] const TableKeys<JobDefinition>& definition_keys() {
    static const TableKeys<JobDefinition> keys = make_definition_keys();
    return keys;
}

void read_definitions(const toml::node& node, Settings& into, std::vector<LineMessage>& problems) {
    TableMistakes mistakes(kDefinitionsName, problems);
    const auto read = [&](const std::string& name, const toml::table& table) {
        const std::size_t before = mistakes.count();
        JobDefinition definition;
        try {
            definition.name = schema::job_definition_named(name);
        } catch (const std::invalid_argument& mistake) {
            mistakes.add(table, mistake.what());
        }
        read_keys(mistakes, definition_keys(), table, definition);
        if (const std::string mistake = mistake_in(definition); !mistake.empty()) {
            mistakes.add(table, mistake);
        }
        if (mistakes.count() == before) {
            into.definitions.push_back(std::move(definition));
        }
    };
    for_each_table(mistakes, kDefinitionsName, "[definitions.\"NAME\"]", node, read);
}

[[nodiscard]] ShownTables shown_definitions(const Settings& settings) {
    ShownTables tables;
    for (const JobDefinition& definition : settings.definitions) {
        tables.emplace_back(
            text_of(definition.name), shown_table(definition_keys(), definition, false)
        );
    }
    return tables;
}

// [flowable]: the engines whose jobs the service runs.

constexpr std::size_t kMostEngines = 100;

void read_engines(const GivenValue& given, std::vector<std::string>& engines) {
    list_of_texts()(given, engines);
    if (engines.empty() || engines.size() > kMostEngines) {
        given.refuse(fmt::format("must be 1 to {} URLs", kMostEngines));
    }
    for (const std::string& engine : engines) {
        const auto url = parse_http_url(engine);
        if (!url) {
            given.mistakes.add(
                given.node, fmt::format("{}: {} {}", given.key, engine, url.error().message)
            );
        } else if (url.value().target.find('?') != std::string::npos) {
            given.mistakes.add(given.node, fmt::format("{}: {} has a query", given.key, engine));
        }
    }
}

void read_user(const GivenValue& given, std::string& user) {
    user = given.node.value_or("");
    if (user.empty() || user.find(':') != std::string::npos) {
        given.refuse("must be a text without a colon");
    }
}

[[nodiscard]] const TableKeys<FlowableSettings>& flowable_keys() {
    static const TableKeys<FlowableSettings> keys{
        table_key("engines", &FlowableSettings::engines, read_engines, "[\"http://...\"]"),
        table_key("user", &FlowableSettings::user, read_user),
        table_key("passwordFile", &FlowableSettings::password_file, read_absolute_path),
        table_key("caFile", &FlowableSettings::ca_file, read_absolute_path),
        table_key("timeLimit", &FlowableSettings::time_limit, time_limit()),
        table_key("calls", &FlowableSettings::calls, number_up_to(10'000)),
        table_key("handlerTypes", &FlowableSettings::handler_types, list_of_texts()),
    };
    return keys;
}

void read_flowable(const toml::node& node, Settings& into, std::vector<LineMessage>& problems) {
    TableMistakes mistakes(kFlowableName, problems);
    const toml::table* const table = node.as_table();
    if (table == nullptr) {
        mistakes.add(node, "must be a table: [flowable]");
        return;
    }
    read_keys(mistakes, flowable_keys(), *table, into.flowable);
    if (into.flowable.user.empty() != into.flowable.password_file.empty()) {
        mistakes.add(node, "user and passwordFile are given together, or neither of them");
    }
}

[[nodiscard]] ShownTables shown_flowable(const Settings& settings) {
    if (settings.flowable.engines.empty()) {
        return {};
    }
    return {{"", shown_table(flowable_keys(), settings.flowable, true)}};
}

// [requeues.NAME]: which dead letters come back by themselves.

void read_short_text(const GivenValue& given, std::string& text) {
    constexpr std::size_t longest = 255;
    const auto* const read = given.node.as_string();
    if (read == nullptr || read->get().empty() || read->get().size() > longest) {
        given.refuse(fmt::format("must be a text of 1 to {} bytes", longest));
        return;
    }
    text = read->get();
}

/// What is no number of retries mistake_in() refuses.
void read_retries(const GivenValue& given, int& retries) {
    const std::int64_t number = given.node.is_integer() ? given.node.as_integer()->get() : 0;
    retries = static_cast<int>(std::clamp<std::int64_t>(number, 0, 1 << 30));
}

[[nodiscard]] const TableKeys<RequeueRule>& requeue_keys() {
    static const TableKeys<RequeueRule> keys{
        table_key("handlerType", &RequeueRule::handler_type, read_short_text),
        table_key("errorClass", &RequeueRule::error_class, read_short_text),
        table_key("message", &RequeueRule::message, read_short_text),
        table_key("wait", &RequeueRule::wait, time_from(1s, 365 * 24h)),
        table_key("until", &RequeueRule::until, time_from(1s, 365 * 24h)),
        table_key("retries", &RequeueRule::retries, read_retries),
        table_key("spread", &RequeueRule::spread, time_from(0s, 24h)),
        table_key("windowStart", &RequeueRule::window_start, read_short_text),
        table_key("windowEnd", &RequeueRule::window_end, read_short_text),
    };
    return keys;
}

void read_requeues(const toml::node& node, Settings& into, std::vector<LineMessage>& problems) {
    TableMistakes mistakes(kRequeuesName, problems);
    const auto read = [&](const std::string& name, const toml::table& table) {
        const std::size_t before = mistakes.count();
        RequeueRule rule{.name = name};
        read_keys(mistakes, requeue_keys(), table, rule);
        const std::string mistake = mistake_in(rule);
        if (mistakes.count() == before && !mistake.empty()) {
            mistakes.add(table, mistake);
        }
        if (mistakes.count() == before) {
            into.policies.requeues.push_back(std::move(rule));
        }
    };
    for_each_table(mistakes, kRequeuesName, "[requeues.NAME]", node, read);
}

[[nodiscard]] ShownTables shown_requeues(const Settings& settings) {
    ShownTables tables;
    for (const RequeueRule& rule : settings.policies.requeues) {
        tables.emplace_back(rule.name, shown_table(requeue_keys(), rule, false));
    }
    return tables;
}

constexpr std::array kTableKinds{
    TableKind{
        kCommandsName,
        [](const toml::node& node, Settings& into, std::vector<LineMessage>& problems) {
            read_by_name(kCommandsName, command_keys(), node, into.commands, problems);
        },
        [](const Settings& settings) { return shown_by_name(command_keys(), settings.commands); }},
    TableKind{
        kTargetsName,
        [](const toml::node& node, Settings& into, std::vector<LineMessage>& problems) {
            read_by_name(kTargetsName, target_keys(), node, into.targets, problems);
        },
        [](const Settings& settings) { return shown_by_name(target_keys(), settings.targets); }},
    TableKind{kDefinitionsName, read_definitions, shown_definitions},
    TableKind{kFlowableName, read_flowable, shown_flowable, true},
    TableKind{kRequeuesName, read_requeues, shown_requeues},
};

}  // namespace

bool is_empty_text(const ordered_json& value) {
    return value.is_string() && value.get_ref<const std::string&>().empty();
}

std::span<const TableKind> table_kinds() {
    return kTableKinds;
}

}  // namespace jobstrand::cli
