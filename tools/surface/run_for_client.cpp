#include "tools/surface/run_for_client.hpp"

#include "tools/surface/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace jobstrand::cli {

BoundedText::Buffer::Buffer(std::size_t most, std::function<void()> on_full)
    : most_(most), on_full_(std::move(on_full)) {}

std::streamsize BoundedText::Buffer::xsputn(const char* bytes, std::streamsize count) {
    const auto size = static_cast<std::size_t>(count);
    is_full_ = is_full_ || text.size() + size > most_;
    if (!is_full_) {
        text.append(bytes, size);
    } else if (on_full_) {
        on_full_();
    }
    return count;
}

BoundedText::Buffer::int_type BoundedText::Buffer::overflow(int_type c) {
    if (!traits_type::eq_int_type(c, traits_type::eof())) {
        const char byte = traits_type::to_char_type(c);
        (void)xsputn(&byte, 1);
    }
    return traits_type::not_eof(c);
}

BoundedText::BoundedText(std::size_t most, std::function<void()> on_full)
    : std::ostream(nullptr), buffer_(most, std::move(on_full)) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);  // So that what on_full throws comes out of the write.
}

namespace {

/// Of stdout and of stderr.
constexpr std::size_t kMostOutput = std::size_t{64} * 1024 * 1024;
constexpr std::size_t kMostErrors = std::size_t{1024} * 1024;

[[noreturn]] void refuse_output() {
    throw Failed(
        "the output is longer than 64 MiB: ask for less with --limit, and go on with --after"
    );
}

/// What would reach for this machine.
void refuse_globals(const GlobalOptions& options) {
    const bool is_any_given = options.database_url || options.config_file || options.engine ||
                              options.server || options.token_file;
    if (is_any_given) {
        throw WrongUsage(
            "a service has its own database and settings: leave --db, --config, --engine, --server "
            "and --token-file out"
        );
    }
}

using Run = std::function<ExitCode(Session&)>;

[[nodiscard]] ExitCode run_guarded(
    GlobalOptions options,
    const VerbCall& call,
    const ServedClient& client,
    Streams& streams,
    VerbAnswer& answer,
    const Run& run
) {
    // Defended catch: what the command line would say, and exit with, is the answer.
    try {
        refuse_globals(options);
        options.color = call.is_coloured ? "always" : "never";
        Session session(streams, std::move(options), client);
        const ExitCode code = run(session);
        answer.more_behind = session.more_behind();
        answer.looked_at = session.looked_at();
        return code;
    } catch (const Unconfirmed& unconfirmed) {
        answer.question = unconfirmed.question();
        return unconfirmed.code();
    } catch (const CliError& error) {
        streams.out.clear();  // It may be that one more write would have been too many.
        print_error_lines(streams, error.what());
        return error.code();
    } catch (const std::invalid_argument& error) {
        print_error_lines(streams, error.what());
        return ExitCode::wrong_usage;
    }
}

/// The texts of a client's call, and what is written for it.
struct ServedStreams {
    explicit ServedStreams(const VerbCall& call)
        : in(call.input),
          out(kMostOutput, refuse_output),
          err(kMostErrors),
          streams{
              .in = in,
              .out = out,
              .err = err,
              .in_is_terminal = call.can_be_asked,
              .err_is_coloured = call.are_errors_coloured,
              .out_columns = call.columns,
          } {}

    void write_into(VerbAnswer& answer) {
        answer.output = out.take_text();
        answer.errors = err.take_text();
    }

    std::istringstream in;
    BoundedText out;
    BoundedText err;
    Streams streams;
};

/// As the audit tells it: as it could be typed.
[[nodiscard]] TypedVerb typed_of(const Operation& operation, const GivenTexts& given) {
    TypedVerb typed{.words = operation.text.words};
    std::vector<std::string> positional;
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        const Parameter& parameter = operation.parameters[i];
        for (const std::string& text : given.texts[i]) {
            if (parameter.is_argument()) {
                positional.push_back(text);
                continue;
            }
            typed.arguments.push_back(parameter.option_name());
            if (parameter.kind != ParameterKind::flag) {
                typed.arguments.push_back(text);
            }
        }
    }
    if (!positional.empty()) {
        typed.arguments.emplace_back("--");
        std::ranges::move(positional, std::back_inserter(typed.arguments));
    }
    return typed;
}

}  // namespace

VerbAnswer run_for_client(
    const std::vector<std::string>& words,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
) {
    ServedStreams served(call);
    std::vector<std::string> line = words;
    line.insert(line.end(), call.arguments.begin(), call.arguments.end());
    Program program;
    VerbAnswer answer;
    const auto said = program.parse(std::move(line), served.streams);
    if (said) {
        answer.exit_code = *said;
    } else if (program.typed().words != fmt::format("{}", fmt::join(words, " "))) {
        answer.exit_code = ExitCode::wrong_usage;
        print_error_lines(served.streams, "the arguments name another verb");
    } else {
        const ServedClient client{
            engine, settings, call.files, call.user, call.caller, call.scope, is_stopping, false};
        answer.exit_code = run_guarded(
            program.globals(),
            call,
            client,
            served.streams,
            answer,
            [&](Session& session) { return program.run(session); }
        );
    }
    served.write_into(answer);
    return answer;
}

VerbAnswer run_for_client(
    const Operation& operation,
    const GivenTexts& given,
    const VerbCall& call,
    engine::Wiring& engine,
    const Settings& settings,
    const std::function<bool()>& is_stopping
) {
    ServedStreams served(call);
    VerbAnswer answer;
    const ServedClient client{
        engine, settings, call.files, call.user, call.caller, call.scope, is_stopping, true};
    const Run run = [&](Session& session) { return operation.run(session, given); };
    answer.exit_code = run_guarded(
        {.output = "json", .reason = call.reason},
        call,
        client,
        served.streams,
        answer,
        [&](Session& session) {
            return operation.text.role == service::Role::admin
                       ? run_audited(session, typed_of(operation, given), run)
                       : run(session);
        }
    );
    served.write_into(answer);
    return answer;
}

}  // namespace jobstrand::cli
