#include "persistence/drivers/database_url.hpp"
#include "schema/job_failure.hpp"
#include "schema/text/time_text.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/text/http_address.hpp"

namespace jobstrand::cli {

namespace {

template <auto Member>
constexpr auto kInHttp = &field_at<&Settings::http, Member>;

template <auto Member>
constexpr auto kInSpans = &field_at<&Settings::spans, Member>;

[[nodiscard]] std::string problem_of_endpoint(std::string_view text) {
    const auto url = parse_http_url(text);
    if (text.empty() || (url && text.find('?') == std::string_view::npos)) {
        return {};
    }
    return url ? "must not have a query" : url.error().message;
}

[[nodiscard]] std::string problem_of_address(std::string_view text) {
    const auto address = service::parse_listen_address(text);
    return text.empty() || address ? std::string() : address.error().message;
}

[[nodiscard]] std::string problem_of_url(std::string_view text) {
    const auto url = persistence::parse_database_url(text);
    return url ? std::string() : "must be a database URL: " + url.error().message;
}

constexpr std::int64_t kUrlLength = 4096;

constexpr std::array kServiceSettings{
    Setting{
        .name = "db",
        .field = &field_at<&Settings::database_url>,
        .most = kUrlLength,
        .meaning =
            "Database URL, for example `sqlite:jobs.db`. `--db` and `JOBSTRAND_DB` win over it.",
        .problem_of_text = problem_of_url,
    },
    Setting{
        .name = "passwordFile",
        .field = &field_at<&Settings::password_file>,
        .most = kUrlLength,
        .meaning = "A file with the password for `db` in its first line, which only its owner may "
                   "read; the same as `password_file` in the URL.",
    },
    Setting{
        .name = "passwordCommand",
        .field = &field_at<&Settings::password_command>,
        .most = kUrlLength,
        .meaning = "A program, by its absolute path, and its arguments, with blanks in between and "
                   "without a shell: it prints the password for `db`; the same as "
                   "`password_command` in the URL.",
    },
    Setting{
        .name = "logLevel",
        .field = &field_at<&Settings::log_level>,
        .meaning = "Least level that is logged: `debug`, `info`, `warn` or `error`.",
    },
    Setting{
        .name = "logFormat",
        .field = &field_at<&Settings::log_format>,
        .meaning = "`text`, or `json` for one JSON object per line.",
    },
    Setting{
        .name = "asyncExecutorActivate",
        .field = &field_at<&Settings::executor_active>,
        .meaning = "`false`: the service runs no jobs. Embedded, Flowable and Camunda start none "
                   "unless told to; the service does unless told not to.",
        .aliases = {"jobExecutorActivate", "isAutoActivate"},
    },
    Setting{
        .name = "create",
        .field = &field_at<&Settings::create_database>,
        .meaning = "The service makes the file of a SQLite database that is not there. `false`: it "
                   "refuses to start, because the path may be misspelt; `jobstrand schema create` "
                   "makes one.",
    },
    Setting{
        .name = "databaseSchemaUpdate",
        .field = &field_at<&Settings::update_schema>,
        .meaning =
            "The service creates or upgrades its tables when it starts, but never those of others "
            "(Flowable's, for one): `jobstrand schema upgrade` does. `false`: it refuses to start "
            "when they do not fit.",
    },
    Setting{
        .name = "httpListen",
        .field = kInHttp<&HttpSettings::listen>,
        .most = kUrlLength,
        .meaning = "Where the service answers HTTP, for example `127.0.0.1:8080`; empty: nowhere. "
                   "`serve --http` wins over it. An address that other machines reach needs "
                   "`httpTokenFile`.",
        .problem_of_text = problem_of_address,
    },
    Setting{
        .name = "httpTokenFile",
        .field = kInHttp<&HttpSettings::token_file>,
        .most = kUrlLength,
        .meaning = "The file of the tokens that HTTP requests must show, made by `jobstrand token "
                   "make`. Empty: none, for programs of this machine only.",
    },
    Setting{
        .name = "httpHiddenMembers",
        .field = kInHttp<&HttpSettings::hidden_members>,
        .most = kUrlLength,
        .meaning = "Names of members of payloads, joined by commas, whose values tokens with the "
                   "role `read` see as `***`: `password,cardNumber`; `*` hides whole payloads. "
                   "Messages of failures are shown as they are.",
    },
    Setting{
        .name = "httpCertificateFile",
        .field = kInHttp<&HttpSettings::certificate_file>,
        .most = kUrlLength,
        .meaning = "The certificate (PEM, those that lead to a known one behind it) with which the "
                   "service speaks HTTPS; SIGHUP reads it again. Empty: it speaks HTTP.",
    },
    Setting{
        .name = "httpKeyFile",
        .field = kInHttp<&HttpSettings::key_file>,
        .most = kUrlLength,
        .meaning = "The key of `httpCertificateFile` (PEM, without a passphrase).",
    },
    Setting{
        .name = "httpMaxConnections",
        .field = kInHttp<&HttpSettings::connections>,
        .least = 1,
        .most = 100'000,
        .meaning = "HTTP clients at once; further ones are answered 503.",
    },
    Setting{
        .name = "httpMaxBodyBytes",
        .field = kInHttp<&HttpSettings::body_bytes>,
        .least = 1024,
        .most = std::int64_t{256} * 1024 * 1024,
        .meaning = "Bytes of one HTTP request; a longer one is answered 413.",
    },
    Setting{
        .name = kSpreadOverName,
        .field = &field_at<&Settings::spread_over>,
        .most = kUrlLength,
        .meaning = "Engines of this file, two at least, whose databases are as one for whoever "
                   "enqueues over HTTP: the address of each stores every job where it belongs. "
                   "Only at the top of the file.",
    },
    Setting{
        .name = "otlpEndpoint",
        .field = kInSpans<&SpanSettings::endpoint>,
        .most = kUrlLength,
        .meaning = "Where spans of runs are sent, for example `http://127.0.0.1:4318`: an "
                   "OpenTelemetry collector, by OTLP over HTTP (JSON). Empty: nowhere.",
        .problem_of_text = problem_of_endpoint,
    },
    Setting{
        .name = "otlpServiceName",
        .field = kInSpans<&SpanSettings::service_name>,
        .most = kUrlLength,
        .meaning = "`service.name` of the spans.",
    },
};

}  // namespace

std::span<const Setting> service_settings() {
    return kServiceSettings;
}

namespace {

template <auto Member>
constexpr auto kInHistory =
    &field_at<&Settings::executor, &executor::ExecutorSettings::history, Member>;

template <auto Member>
constexpr auto kInRetention =
    &field_at<&Settings::executor, &executor::ExecutorSettings::history_retention, Member>;

template <auto Member>
constexpr auto kOfDeadLetters =
    &field_at<&Settings::policies, &deadletter::DeadLetterPolicies::retention, Member>;

[[nodiscard]] std::string problem_of_time(std::string_view text) {
    return text.empty() || schema::parse_time_of_day(text)
               ? std::string()
               : "must be a time of the day such as 20:00, in UTC, or 20:00+0200";
}

constexpr std::int64_t kRetentionMost = schema::Duration(std::chrono::hours(24 * 36'500)).count();
constexpr std::int64_t kTimeLength = 16;
constexpr std::int64_t kTargetLength = 255;

constexpr std::array kHistorySettings{
    Setting{
        .name = "jobLog",
        .field = kInHistory<&schema::HistoryRules::job_log>,
        .meaning = "What the job log tells: `none`; `failures`: attempts that failed, jobs that "
                   "died or were deleted; `full`: also those that were enqueued, succeeded or were "
                   "requeued.",
    },
    Setting{
        .name = "jobLogRetention",
        .field = kInRetention<&schema::HistoryRetention::age>,
        .most = kRetentionMost,
        .meaning = "Lines of the job log, and resolved incidents, that are older are removed; 0: "
                   "none are for their age.",
    },
    Setting{
        .name = "jobLogMaxRows",
        .field = kInRetention<&schema::HistoryRetention::rows>,
        .meaning = "Only so many lines of the job log are kept, the latest; 0: any number.",
    },
    Setting{
        .name = "lastRuns",
        .field = kInRetention<&schema::HistoryRetention::runs>,
        .meaning = "Of each handler type, so many of the last runs that succeeded are kept "
                   "(`jobstrand job ls --place done`); 0: this process tells of none.",
    },
    Setting{
        .name = "lastRunsRetention",
        .field = kInRetention<&schema::HistoryRetention::runs_age>,
        .most = kRetentionMost,
        .meaning = "Those that are older are removed; 0: none are for their age.",
    },
    Setting{
        .name = "deadLetterRetention",
        .field = kOfDeadLetters<&deadletter::DeadLetterRetention::age>,
        .most = kRetentionMost,
        .meaning = "What became a dead letter longer ago is removed for good; 0: nothing is for "
                   "its age.",
    },
    Setting{
        .name = "deadLetterMaxRows",
        .field = kOfDeadLetters<&deadletter::DeadLetterRetention::rows>,
        .meaning = "Only so many dead letters are kept, the latest; 0: any number.",
    },
    Setting{
        .name = "historyCleanupEnabled",
        .field = kInRetention<&schema::HistoryRetention::is_enabled>,
        .meaning = "`false`: this process removes nothing of the past.",
        .aliases = {"enableHistoryCleaning"},
    },
    Setting{
        .name = "historyCleanupBatchWindowStartTime",
        .field = kInRetention<&schema::HistoryRetention::window_start>,
        .most = kTimeLength,
        .meaning = "From which time of the day on the past is removed, such as `20:00` (UTC) or "
                   "`20:00+0200`; empty, and the end too: at any time.",
        .problem_of_text = problem_of_time,
    },
    Setting{
        .name = "historyCleanupBatchWindowEndTime",
        .field = kInRetention<&schema::HistoryRetention::window_end>,
        .most = kTimeLength,
        .meaning = "And to which time, that of the next day if it is earlier.",
        .problem_of_text = problem_of_time,
    },
    Setting{
        .name = "historyCleanupJobPriority",
        .field = kInRetention<&schema::HistoryRetention::priority>,
        .least = std::numeric_limits<std::int64_t>::min(),
        .meaning = "A process whose `priorityRangeMin` and `priorityRangeMax` leave this priority "
                   "out leaves the removal to others.",
    },
    Setting{
        .name = "incidents",
        .field = kInHistory<&schema::HistoryRules::incidents>,
        .meaning = "A job that becomes a dead letter opens an incident; `false`: none are written, "
                   "and none are resolved.",
        .aliases = {"createIncidentOnFailedJobEnabled"},
    },
    Setting{
        .name = "incidentTarget",
        .field = kInHistory<&schema::HistoryRules::incident_target>,
        .most = kTargetLength,
        .meaning = "One of `[targets]`: each new incident is told to it, by an `http` job that is "
                   "enqueued in the same transaction. Empty: none.",
    },
};

}  // namespace

std::span<const Setting> history_settings() {
    return kHistorySettings;
}

}  // namespace jobstrand::cli
