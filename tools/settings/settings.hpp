#pragma once

#include "deadletter/dead_letter_policies.hpp"
#include "executor/executor_settings.hpp"
#include "schema/job_definition.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"
#include "tools/process/log_line.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// A program that `command` jobs may run: one table [commands.NAME] of the configuration file.
struct CommandSettings {
    std::string program = {};                 ///< Absolute path.
    std::vector<std::string> arguments = {};  ///< Stand before those of the payload.
    schema::Duration time_limit{std::chrono::seconds(60)};
    std::string working_directory = {};  ///< Absolute path; empty: that of the service.
    std::map<std::string, std::string> environment = {};

    bool operator==(const CommandSettings&) const = default;
};

/// An app that `http` jobs may call: one table [targets.NAME] of the configuration file.
struct TargetSettings {
    std::string url = {};  ///< See parse_http_url().
    /// Of a file whose first line is the secret that signs calls; empty: they are not signed.
    std::string secret_file = {};
    std::string ca_file = {};  ///< Certificates to trust (PEM); empty: those of the system.
    schema::Duration time_limit{std::chrono::seconds(30)};
    std::size_t calls = 256;            ///< At once.
    std::vector<int> retry_statuses{};  ///< Further ones of 4xx that are tried again.
    bool waits_use_retries = false;     ///< 429 and 503 with Retry-After count as failures.
    /// A 202 means that the app tells the end later, within this time; nullopt: it is done.
    std::optional<schema::Duration> call_back_within{};
    std::map<std::string, std::string> headers = {};

    bool operator==(const TargetSettings&) const = default;
};

/// The Flowable engines whose jobs this service runs: the table [flowable].
struct FlowableSettings {
    std::vector<std::string> engines = {};  ///< URLs of their REST applications; empty: none.
    std::string user = {};                  ///< Empty: they ask for nobody.
    std::string password_file = {};         ///< Its password, in the first line.
    std::string ca_file = {};               ///< As in TargetSettings.
    schema::Duration time_limit{std::chrono::minutes(10)};  ///< For one job.
    std::size_t calls = 64;                                 ///< At once, of each engine.
    /// Handler types of their jobs beside those of a process engine.
    std::vector<std::string> handler_types = {};

    bool operator==(const FlowableSettings&) const = default;
};

using Targets = std::map<std::string, TargetSettings, std::less<>>;
/// What is set for definitions: the tables [definitions.NAME] of the configuration file.
using Definitions = std::vector<schema::JobDefinition>;
using Commands = std::map<std::string, CommandSettings, std::less<>>;

/// The HTTP service.
struct HttpSettings {
    std::string listen;                            ///< Address and port; empty: there is none.
    std::string token_file;                        ///< Empty: no tokens, and so loopback only.
    std::string certificate_file;                  ///< PEM, the chain behind it; empty: no TLS.
    std::string key_file;                          ///< PEM; empty likewise.
    std::vector<std::string> hidden_members = {};  ///< Of payloads, from tokens that may only read.
    std::size_t connections = 512;                 ///< Clients at once.
    std::size_t body_bytes = std::size_t{16} * 1024 * 1024;  ///< Of one request.
};

/// Where spans of runs are sent.
struct SpanSettings {
    std::string endpoint;  ///< URL of a collector that speaks OTLP over HTTP; empty: nowhere.
    std::string service_name = "jobstrand";
};

/// Everything that the configuration file says, with defaults where it says nothing.
struct Settings {
    std::string database_url;      ///< Empty: not configured.
    std::string password_file;     ///< Of the database; empty: see its URL.
    std::string password_command;  ///< The same.
    schema::LogLevel log_level = schema::LogLevel::info;
    LogFormat log_format = LogFormat::text;
    bool executor_active = true;   ///< The service runs jobs as soon as it is up (R005).
    bool create_database = false;  ///< The service makes a database file that is not there.
    bool update_schema = true;     ///< The service creates or upgrades the tables when it starts.
    std::vector<std::string> spread_over;  ///< Engines whose databases are as one; empty: none.
    std::int64_t batch_job_priority = 0;   ///< Of jobs that carry batches out (R055).
    std::string retry_time_cycle;          ///< The text behind executor.retry.cycle.
    executor::ExecutorSettings executor;
    HttpSettings http;
    SpanSettings spans;
    Commands commands;
    Targets targets;
    Definitions definitions;
    FlowableSettings flowable;
    deadletter::DeadLetterPolicies policies;  ///< With the tables [requeues.NAME].
};

}  // namespace jobstrand::cli
