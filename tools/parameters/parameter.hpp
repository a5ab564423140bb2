#pragma once

#include "schema/time.hpp"
#include "timers/zone/spoken_time.hpp"
#include "timers/zone/zone.hpp"
#include "tools/text/joined.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What an operation is given. A parameter is listed once; the options of the command line,
/// queries, JSON bodies and the description of the API are made from the list.
namespace jobstrand::cli {

class Session;

enum class ParameterKind {
    text,
    number,
    flag,
    time,      ///< As people say it: timers/zone/spoken_time.hpp.
    duration,  ///< An exact one: `5m`, `PT5M`.
    texts,     ///< One or more; `-` are those on stdin.
    repeated,  ///< Likewise, each behind an option of its own.
};

/// What a parameter that was given is read with.
struct ParameterReading {
    Session& session;
    std::string_view label;  ///< What its giver calls it: `--per-node`, or `perNode`.
};

/// What of a parameter is the same for everybody who gives one.
struct ParameterRules {
    std::string unit = {};     ///< What its value is called in the help: `N`.
    std::string heading = {};  ///< Of the help, under which it stands; empty: that of all.
    bool is_required = false;

    /// Of one that no service reads: not given together with the one before it.
    bool excludes_previous = false;

    bool is_for_terminal = false;  ///< Who has a service run the operation has no use for it.

    bool may_be_empty = false;  ///< Of a text.
    bool is_raw = false;        ///< Of texts: `-` is one like others.
    bool is_job = false;        ///< Of texts: they are ids of jobs, which may be shortened.
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    /// Where a lone duration points that stands for a time.
    timers::Toward toward = timers::Toward::behind;
};

/// By IANA name.
[[nodiscard]] timers::Zone read_zone(const std::string& text, const ParameterReading& reading);

/// Reads the texts of a parameter; there is one at least. What cannot be meant so throws CliError
/// wrong_usage, which begins with the label.
[[nodiscard]] std::string
read_text(const std::string& text, const ParameterRules& rules, const ParameterReading& reading);
[[nodiscard]] std::int64_t
read_number(const std::string& text, const ParameterRules& rules, const ParameterReading& reading);
[[nodiscard]] schema::TimePoint
read_time(const std::string& text, const ParameterRules& rules, const ParameterReading& reading);
[[nodiscard]] schema::Duration
read_duration(const std::string& text, const ParameterReading& reading);
[[nodiscard]] std::vector<std::string> read_texts(
    const std::vector<std::string>& texts,
    const ParameterRules& rules,
    const ParameterReading& reading
);

/// Throws CliError wrong_usage: the label, and what is wrong behind it.
[[noreturn]] void refuse_parameter(const ParameterReading& reading, const std::string& what);

/// A parameter, whatever the values of its operation are.
struct Parameter {
    /// Of an option `--per-node`, or `-y,--yes`; of an argument `name`. A query says `per-node`, a
    /// JSON body `perNode`.
    std::string names;
    std::string meaning;
    ParameterKind kind = ParameterKind::text;
    ParameterRules rules = {};

    /// `values` is what the operation is run with.
    std::function<
        void(void* values, const std::vector<std::string>& texts, const ParameterReading&)>
        read = {};

    [[nodiscard]] bool is_argument() const { return !names.starts_with('-'); }

    /// `--per-node`, or `name`.
    [[nodiscard]] std::string option_name() const;
    [[nodiscard]] std::string query_name() const;
    [[nodiscard]] std::string json_name() const;
};

/// Where a parameter goes: a member of Values, or a function that reads one text.
template <typename Values>
struct ParameterTarget {
    using Texts = std::vector<std::string>;

    ParameterKind kind;
    std::function<void(Values&, const Texts&, const ParameterRules&, const ParameterReading&)> read;

    // NOLINTBEGIN(google-explicit-constructor): tables read better without its name.
    ParameterTarget(bool Values::*member)
        : ParameterTarget(ParameterKind::flag, [member](Values& values, const auto&...) {
              values.*member = true;
          }) {}
    ParameterTarget(std::string Values::*member)
        : ParameterTarget(ParameterKind::text, in<&read_text>(member)) {}
    ParameterTarget(std::optional<std::string> Values::*member)
        : ParameterTarget(ParameterKind::text, in<&read_text>(member)) {}
    template <typename Number>
    requires std::integral<Number> ParameterTarget(std::optional<Number> Values::*member)
        : ParameterTarget(ParameterKind::number, number_in<Number>(member)) {}
    template <typename Number>
    requires std::integral<Number> ParameterTarget(Number Values::*member)
        : ParameterTarget(ParameterKind::number, number_in<Number>(member)) {}
    ParameterTarget(schema::TimePoint Values::*member)
        : ParameterTarget(ParameterKind::time, in<&read_time>(member)) {}
    ParameterTarget(std::optional<schema::TimePoint> Values::*member)
        : ParameterTarget(ParameterKind::time, in<&read_time>(member)) {}
    ParameterTarget(timers::Zone Values::*member)
        : ParameterTarget(
              ParameterKind::text,
              [member](Values& values, const Texts& texts, const auto&, const auto& reading) {
                  values.*member = read_zone(texts.back(), reading);
              }
          ) {}
    ParameterTarget(Texts Values::*member)
        : ParameterTarget(
              ParameterKind::texts,
              [member](Values& values, const Texts& texts, const auto& rules, const auto& reading) {
                  values.*member = read_texts(texts, rules, reading);
              }
          ) {}
    ParameterTarget(std::optional<schema::Duration> Values::*member)
        : ParameterTarget(
              ParameterKind::duration,
              [member](Values& values, const Texts& texts, const auto&, const auto& reading) {
                  values.*member = read_duration(texts.back(), reading);
              }
          ) {}
    /// For who must know an empty list from none.
    ParameterTarget(std::optional<Texts> Values::*member)
        : ParameterTarget(
              ParameterKind::texts,
              [member](Values& values, const Texts& texts, const auto& rules, const auto& reading) {
                  values.*member = read_texts(texts, rules, reading);
              }
          ) {}
    ParameterTarget(
        void (*one)(Values&, const std::string& text, const ParameterReading&),
        ParameterKind of_text = ParameterKind::text
    )
        : ParameterTarget(
              of_text,
              [one](Values& values, const Texts& texts, const auto&, const auto& reading) {
                  one(values, texts.back(), reading);
              }
          ) {}
    // NOLINTEND(google-explicit-constructor)

    /// That of a part of Values, which is a member or what a function of Values returns.
    template <typename Part, typename GetPart>
    ParameterTarget(const ParameterTarget<Part>& target, GetPart part)
        : ParameterTarget(
              target.kind,
              [read = target.read,
               part](Values& values, const Texts& texts, const auto& rules, const auto& reading) {
                  read(std::invoke(part, values), texts, rules, reading);
              }
          ) {}

    /// One with a function that reads all texts.
    template <typename Read>
    requires std::
        invocable<Read, Values&, const Texts&, const ParameterRules&, const ParameterReading&>
        ParameterTarget(ParameterKind given, Read into) : kind(given), read(std::move(into)) {}

    /// One whose text stays as it was given, whatever it means.
    template <typename Text>
    static ParameterTarget raw(ParameterKind kind, Text Values::*member) {
        return {kind, [member](Values& values, const Texts& texts, const auto&...) {
                    values.*member = texts.back();
                }};
    }

private:
    template <auto Read, typename Member>
    static auto in(Member Values::*member) {
        return
            [member](Values& values, const Texts& texts, const auto& rules, const auto& reading) {
                values.*member = Read(texts.back(), rules, reading);
            };
    }

    template <typename Number, typename Member>
    static auto number_in(Member Values::*member) {
        return
            [member](Values& values, const Texts& texts, const auto& rules, const auto& reading) {
                values.*member = static_cast<Number>(read_number(texts.back(), rules, reading));
            };
    }
};

/// One line of a table of parameters.
template <typename Values>
struct TypedParameter {
    std::string names;
    ParameterTarget<Values> into;
    std::string meaning;
    ParameterRules rules = {};
};

/// In the order in which they are read, and in which the help tells them.
template <typename Values>
using Parameters = std::vector<TypedParameter<Values>>;

/// The parameters of a member of Whole, as those of Whole.
template <typename Part, typename Whole, typename Member>
[[nodiscard]] Parameters<Whole> of_part(const Parameters<Part>& parameters, Member Whole::*part) {
    Parameters<Whole> all;
    for (const TypedParameter<Part>& one : parameters) {
        all.push_back({one.names, {one.into, part}, one.meaning, one.rules});
    }
    return all;
}

/// Those of a type that Whole is derived from.
template <typename Whole, typename Base>
requires std::derived_from<Whole, Base>
[[nodiscard]] Parameters<Whole> of_base(const Parameters<Base>& parameters) {
    Parameters<Whole> all;
    for (const TypedParameter<Base>& one : parameters) {
        all.push_back({one.names, {one.into, std::identity()}, one.meaning, one.rules});
    }
    return all;
}

template <typename Values>
[[nodiscard]] std::vector<Parameter> untyped(const Parameters<Values>& parameters) {
    std::vector<Parameter> all;
    for (const TypedParameter<Values>& one : parameters) {
        all.push_back(
            {.names = one.names,
             .meaning = one.meaning,
             .kind = one.into.kind,
             .rules = one.rules,
             .read = [read = one.into.read, rules = one.rules](
                         void* values, const auto& texts, const auto& reading
                     ) { read(*static_cast<Values*>(values), texts, rules, reading); }}
        );
    }
    return all;
}

/// Of operations that are about one thing, by its name or id.
struct NamedThing {
    std::string name;
};
[[nodiscard]] Parameters<NamedThing>
one_name(const char* label, const char* meaning, const char* unit = "");

/// Of operations that are about each of several.
struct NamedThings {
    std::vector<std::string> names;
};
[[nodiscard]] Parameters<NamedThings>
several_names(const char* label, const char* meaning, const char* unit);

/// Of operations on jobs, by their ids.
[[nodiscard]] Parameters<NamedThings> several_jobs(const char* meaning);

}  // namespace jobstrand::cli
