#include "tools/records/job_json.hpp"

#include "schema/job_validation.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/time_text.hpp"
#include "timers/cycle/timer_expression.hpp"
#include "tools/output/record.hpp"
#include "tools/records/series_json.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <limits>
#include <utility>
#include <variant>

namespace jobstrand::cli {

namespace {

using schema::Job;
using schema::JobField;
using schema::JobPlace;

constexpr std::string_view kNull = "null";
constexpr std::string_view kPlace = "place";

/// Only read: what becomes of the job if another has its unique key, and how long it has it.
constexpr std::string_view kOnDuplicate = "onDuplicate";
constexpr std::string_view kUniqueFor = "uniqueFor";

/// Only read: another word for the place of an external worker job.
constexpr std::string_view kExternal = "external";

/// Mistakes that are told of one job. Whoever makes more has not written a job.
constexpr std::size_t kProblemsOfJob = 20;

/// More than a job has fields.
constexpr std::size_t kMembersOfJob = 100;

[[nodiscard]] RecordField payload_field(const std::string& payload) {
    if (payload.empty() || !problem_of_json(payload).empty()) {
        return text_or_null_field("payload", payload);
    }
    return {.name = "payload", .json = on_one_line(payload), .text = payload};
}

/// Whether a member says nothing that its absence would not say.
[[nodiscard]] bool is_nothing(const JobField& field, const Job& job) {
    if (field.is_about(&Job::correlation_id) && job.correlation_id == job.id) {
        return true;
    }
    return std::visit(
        [&job]<typename Value>(Value Job::*member) { return job.*member == Value(); }, field.member
    );
}

/// What JSON has for a member.
[[nodiscard]] JsonType type_of(const JobField& field) {
    if (field.is_list()) {
        return {.name = "array"};
    }
    if (field.is_about(&Job::payload)) {
        return {.name = ""};
    }
    JsonType type = std::visit(
        []<typename Value>(Value Job::*) { return field_types::json_type_of<Value>(); },
        field.member
    );
    type.is_nullable |= std::holds_alternative<std::string Job::*>(field.member);
    return type;
}

/// Returns what is wrong; empty: nothing.
[[nodiscard]] std::string read_names(std::string_view value, std::string& into) {
    const auto names = strings_of(value, schema::limits::kNamesOfList);
    if (!names) {
        return "must be a list of texts";
    }
    if (names.value().size() > schema::limits::kNamesOfList) {
        return fmt::format("has more than {} names", schema::limits::kNamesOfList);
    }
    const auto list = schema::joined_names(names.value());
    if (list) {
        into = list.value();
    }
    return list ? "" : list.error().message;
}

/// Reads a member into a new job: a visitor for their types. Returns what is wrong; empty: nothing.
struct ReadMember {
    const JobField& field;
    std::string_view value;
    Job& job;

    std::string operator()(std::string Job::*member) const {
        if (member == &Job::payload) {
            job.payload = value;
            return {};
        }
        if (field.is_list()) {
            return read_names(value, job.*member);
        }
        std::string problem = read_text(value, job.*member);
        // A job with an empty repeat would not repeat. Whoever writes the field means that it does.
        return problem.empty() && member == &Job::repeat && job.repeat.empty() ? "must not be empty"
                                                                               : problem;
    }
    std::string operator()(int Job::*member) const {
        using Limits = std::numeric_limits<int>;
        std::int64_t number = job.*member;
        const std::int64_t least = std::max<std::int64_t>(field.least, Limits::min());
        const std::int64_t most = std::min<std::int64_t>(field.most, Limits::max());
        std::string problem = read_whole_number(value, least, most, number);
        job.*member = static_cast<int>(number);
        return problem;
    }
    std::string operator()(std::int64_t Job::*member) const {
        return read_whole_number(value, field.least, field.most, job.*member);
    }
    std::string operator()(bool Job::*member) const { return read_flag(value, job.*member); }
    std::string operator()(std::optional<schema::TimePoint> Job::*member) const {
        return read_instant(value, job.*member);
    }
};

[[nodiscard]] std::string read_place(std::string_view value, executor::NewJob& into) {
    const auto name = string_of(value);
    if (!name) {
        return name.error().message;
    }
    if (name.value() == name_of(JobPlace::external_worker)) {
        into.job.type = schema::kExternalWorkerType;
        return {};
    }
    const bool is_of_new =
        name.value() == name_of(JobPlace::executable) || name.value() == name_of(JobPlace::timer);
    return is_of_new ? "" : "of a new job must be executable, timer or external";
}

/// Returns what is wrong; empty: nothing.
[[nodiscard]] std::string read_external(std::string_view value, executor::NewJob& into) {
    bool is_external = false;
    std::string problem = read_flag(value, is_external);
    if (is_external) {
        into.job.type = schema::kExternalWorkerType;
    }
    return problem;
}

/// Returns what is wrong; empty: nothing.
[[nodiscard]] std::string read_on_duplicate(std::string_view value, executor::NewJob& into) {
    const auto name = string_of(value);
    if (!name) {
        return name.error().message;
    }
    const auto on_duplicate = schema::on_duplicate_named(name.value());
    if (!on_duplicate) {
        return "must be reject, keep or replace";
    }
    into.key_rule.on_duplicate = *on_duplicate;
    return {};
}

/// What is only read of a new job, and is no field.
struct ReadMemberOnly {
    std::string_view name;
    std::string (*read)(std::string_view value, executor::NewJob& into);
};

constexpr std::array kOnlyRead{
    ReadMemberOnly{kExternal, read_external},
    ReadMemberOnly{kOnDuplicate, read_on_duplicate},
    ReadMemberOnly{
        kUniqueFor,
        [](std::string_view value, executor::NewJob& into) {
            return read_duration(value, into.key_rule.period);
        }},
};

/// A member of a job in JSON: a field, or the place.
struct KnownMember {
    std::string_view name;
    const JobField* field = nullptr;
};

[[nodiscard]] std::vector<KnownMember> all_members() {
    std::vector<const JobField*> fields;
    for (const JobField& field : schema::job_fields()) {
        if (field.json_rank > 0) {
            fields.push_back(&field);
        }
    }
    std::ranges::stable_sort(fields, {}, &JobField::json_rank);
    std::vector<KnownMember> members;
    for (const JobField* const field : fields) {
        members.push_back({.name = field->name, .field = field});
        if (field->is_about(&Job::correlation_id)) {
            members.push_back({.name = kPlace});
        }
    }
    return members;
}

/// In the order in which they are written.
[[nodiscard]] const std::vector<KnownMember>& known_members() {
    static const std::vector<KnownMember> members = all_members();
    return members;
}

/// Those that differ between jobs which one worker has acquired at one time.
[[nodiscard]] std::vector<const JobField*> telling_fields() {
    std::vector<const JobField*> fields;
    for (const KnownMember& member : known_members()) {
        const bool is_telling = member.field != nullptr &&
                                !member.field->is_about(&Job::exclusive) &&
                                !member.field->is_about(&Job::lock_owner) &&
                                !member.field->is_about(&Job::lock_expiration);
        if (is_telling) {
            fields.push_back(member.field);
        }
    }
    return fields;
}

[[nodiscard]] std::string
read(const KnownMember& member, std::string_view value, executor::NewJob& into) {
    if (member.field != nullptr) {
        const bool is_ours_to_say = !member.field->is_settable;
        return is_ours_to_say ? std::string() : read_field(*member.field, value, into.job);
    }
    return read_place(value, into);
}

[[nodiscard]] RecordField
show(const KnownMember& member, JobPlace place, const Job& job, const timers::Zone& zone) {
    if (member.field != nullptr) {
        return show_field(*member.field, job, zone);
    }
    return text_field(kPlace, name_of(place));
}

[[nodiscard]] std::string unknown_member(std::string_view name) {
    std::vector<std::string_view> names;
    for (const KnownMember& known : known_members()) {
        names.push_back(known.name);
    }
    for (const SeriesMember& known : series_members()) {
        names.push_back(known.name);
    }
    for (const ReadMemberOnly& known : kOnlyRead) {
        names.push_back(known.name);
    }
    return fmt::format(
        "a job has no field {}; did you mean {}?", printable(name), nearest_name(name, names)
    );
}

/// Reads the members of one job.
class JobReading {
public:
    [[nodiscard]] bool is_hopeless() const { return result_.problems.size() >= kProblemsOfJob; }

    void read(const JsonMember& member) {
        if (member.value == kNull) {
            refuse_unknown(member.name);
        } else if (member.name == schema::field_of(&Job::due_date).name) {
            note(member.name, read_due_date(member.value));
        } else if (const auto only_read = find(kOnlyRead, member.name)) {
            note(member.name, only_read->read(member.value, result_.content));
        } else if (const auto known = find(known_members(), member.name)) {
            note(member.name, cli::read(*known, member.value, result_.content));
        } else if (const auto of_series = find(series_members(), member.name)) {
            note(member.name, of_series->read(member.value, result_.content));
            if (of_series->needs_repeat) {
                settings_of_series_.push_back(member.name);
            }
        } else {
            result_.problems.push_back(unknown_member(member.name));
        }
    }

    [[nodiscard]] JobFromJson finish() {
        if (result_.due) {
            result_.due->zone = result_.content.series.zone;
            result_.due->calendar = result_.content.series.calendar;
        }
        if (!result_.content.repeats()) {
            refuse_settings_of_no_series();
        }
        if (result_.problems.empty()) {
            result_.problems = schema::problems_of(result_.content.job);
        }
        const executor::NewJob& job = result_.content;
        if (std::string problem = schema::problem_of(job.key_rule, job.job.unique_key);
            result_.problems.empty() && !problem.empty()) {
            result_.problems.push_back(std::move(problem));
        }
        return std::move(result_);
    }

private:
    /// nullptr: there is none of that name.
    template <typename Members>
    [[nodiscard]] static auto find(const Members& members, std::string_view name)
        -> decltype(&*members.begin()) {
        const auto found = std::ranges::find_if(members, [name](const auto& member) {
            return member.name == name;
        });
        return found == members.end() ? nullptr : &*found;
    }

    void note(const std::string& name, const std::string& problem) {
        if (!problem.empty()) {
            result_.problems.push_back(name + ' ' + problem);
        }
    }

    /// Returns what is wrong; empty: nothing.
    [[nodiscard]] std::string read_due_date(std::string_view value) {
        std::string text;
        if (std::string problem = read_text(value, text); !problem.empty()) {
            return problem;
        }
        has_due_date_ = true;
        if (const auto instant = schema::parse_instant(text)) {
            result_.content.job.due_date = instant.value();
            return {};
        }
        if (const auto expression = timers::parse_timer_expression(text); !expression) {
            return "is wrong " + with_place(text, expression.error());
        }
        result_.due = timers::DueText{.text = std::move(text)};
        return {};
    }

    void refuse_unknown(const std::string& name) {
        if (find(kOnlyRead, name) == nullptr && find(known_members(), name) == nullptr &&
            find(series_members(), name) == nullptr) {
            result_.problems.push_back(unknown_member(name));
        }
    }

    /// A job that does not repeat has no series to be given anything: its author forgot the repeat.
    void refuse_settings_of_no_series() {
        for (const std::string& name : settings_of_series_) {
            const bool is_of_due_date = name == "zone" || name == "calendar";
            if (!is_of_due_date) {
                note(name, "goes with repeat");
            } else if (!has_due_date_) {
                note(name, "goes with repeat or dueDate");
            }
        }
        if (result_.content.starts_paused) {
            note("state", "paused goes with repeat");
        }
    }

    JobFromJson result_;
    std::vector<std::string> settings_of_series_;
    bool has_due_date_ = false;
};

}  // namespace

RecordField show_field(const JobField& field, const Job& job, const timers::Zone& zone) {
    if (field.is_about(&Job::payload)) {
        return payload_field(job.payload);
    }
    return std::visit(
        [&]<typename Value>(Value Job::*member) {
            if constexpr (std::same_as<Value, std::string>) {
                return field.is_list() ? texts_field(field.name, schema::names_in(job.*member))
                                       : text_or_null_field(field.name, job.*member);
            } else {
                return field_types::shown(field.name, job.*member, zone);
            }
        },
        field.member
    );
}

std::string read_field(const JobField& field, std::string_view value, Job& job) {
    return std::visit(ReadMember{field, value, job}, field.member);
}

Record record_of(const schema::PlacedJob& placed, const timers::Zone& zone) {
    return record_of(placed.place, placed.job, zone);
}

Record record_of(JobPlace place, const Job& job, const timers::Zone& zone) {
    Record record;
    record.reserve(known_members().size() + 1);  // Who hands a job out adds its revision.
    for (const KnownMember& member : known_members()) {
        record.push_back(show(member, place, job, zone));
    }
    return record;
}

Record lean_record_of(const Job& job) {
    static const std::vector<const JobField*> telling = telling_fields();
    Record record;
    for (const JobField* const field : telling) {
        if (!is_nothing(*field, job)) {
            record.push_back(show_field(*field, job));
        }
    }
    return record;
}

std::vector<DescribedField> described_job() {
    std::vector<DescribedField> all;
    for (const KnownMember& member : known_members()) {
        const JsonType type = member.field == nullptr ? JsonType() : type_of(*member.field);
        all.push_back({.name = member.name, .meaning = {}, .type = type});
    }
    return all;
}

JobFromJson job_from_json(std::string_view text) {
    const auto members = members_of(text, kMembersOfJob);
    if (!members) {
        return {.content = {}, .problems = {members.error().message}};
    }
    JobReading reading;
    for (const JsonMember& member : members.value()) {
        if (reading.is_hopeless()) {
            break;
        }
        reading.read(member);
    }
    return reading.finish();
}

}  // namespace jobstrand::cli
