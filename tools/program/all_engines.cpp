#include "tools/program/all_engines.hpp"

#include "tools/access/access_rights.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/process/signals.hpp"
#include "tools/process/unique_fd.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/program.hpp"
#include "tools/text/json_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using Clock = std::chrono::steady_clock;

/// For who only wants to see something, so that all that is there is seen within a second.
constexpr std::chrono::milliseconds kShownWithin{900};

/// What begins the lines of the program on stderr.
constexpr std::string_view kErrorStart = "jobstrand: ";

/// A pipe whose two ends no program inherits but the one that is given one.
struct Pipe {
    Pipe() {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category(), "cannot make a pipe");
        }
        read = UniqueFd(ends[0]);
        write = UniqueFd(ends[1]);
    }

    UniqueFd read;
    UniqueFd write;
};

/// How a process begins: with nothing to read, and what it says goes into these. No signal is
/// blocked there.
class Beginning final {
public:
    Beginning(int out, int err) {
        ::posix_spawn_file_actions_init(&files_);
        ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&files_, out, STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&files_, err, STDERR_FILENO);
        sigset_t none;
        sigemptyset(&none);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    }
    ~Beginning() {
        ::posix_spawnattr_destroy(&attributes_);
        ::posix_spawn_file_actions_destroy(&files_);
    }

    Beginning(const Beginning&) = delete;
    Beginning& operator=(const Beginning&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* files() const { return &files_; }
    [[nodiscard]] const posix_spawnattr_t* attributes() const { return &attributes_; }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// This program, run for one engine.
class EngineRun final {
public:
    explicit EngineRun(std::string engine) : engine_(std::move(engine)) {}

    void start(const std::vector<std::string>& arguments) {
        const UniqueFd out = std::move(out_pipe_.write);
        const UniqueFd err = std::move(err_pipe_.write);
        const Beginning beginning(out.get(), err.get());
        std::vector<std::string> words{"jobstrand"};
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (std::string& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        const int error = ::posix_spawn(
            &process_,
            "/proc/self/exe",
            beginning.files(),
            beginning.attributes(),
            pointers.data(),
            environ
        );
        if (error != 0) {
            throw std::system_error(
                error, std::generic_category(), "cannot start this program for each engine"
            );
        }
        has_begun_ = true;
        out_.from = std::move(out_pipe_.read);
        err_.from = std::move(err_pipe_.read);
    }
    ~EngineRun() {
        if (has_begun_ && !is_over()) {
            end();
        }
    }

    EngineRun(const EngineRun&) = delete;
    EngineRun& operator=(const EngineRun&) = delete;

    [[nodiscard]] const std::string& engine() const { return engine_; }
    [[nodiscard]] const std::string& output() const { return out_.text; }

    /// Whether it is silent. A long list takes its time.
    [[nodiscard]] bool says_nothing() const { return !is_over() && out_.text.empty(); }
    [[nodiscard]] bool is_over() const { return code_.has_value(); }
    [[nodiscard]] bool is_left_out() const { return is_left_out_; }
    [[nodiscard]] ExitCode code() const { return code_.value_or(ExitCode::failed); }

    /// What is still to be read.
    void watch(std::vector<pollfd>& watched) const {
        for (const Stream* const stream : {&out_, &err_}) {
            watched.push_back({.fd = stream->from.get(), .events = POLLIN, .revents = 0});
        }
    }

    /// Reads what is there, and notices the end of the process.
    void read(const pollfd& out, const pollfd& err) {
        out_.read(out);
        err_.read(err);
        if (!is_over() && !out_.from && !err_.from) {
            wait();
        }
    }

    /// Asks the process to end.
    void stop() const {
        if (!is_over()) {
            ::kill(process_, SIGTERM);
        }
    }

    void leave_out() {
        is_left_out_ = true;
        end();
        out_.text.clear();
    }

    /// What is wrong there, a line each, without the beginning that all errors have.
    [[nodiscard]] std::vector<std::string> errors() const {
        if (is_left_out_) {
            return {fmt::format(
                "no answer within {} s, so it is left out",
                static_cast<double>(kShownWithin.count()) / 1000
            )};
        }
        std::vector<std::string> lines;
        std::istringstream text(err_.text);
        for (std::string line; std::getline(text, line);) {
            lines.push_back(line.substr(line.starts_with(kErrorStart) ? kErrorStart.size() : 0));
        }
        return lines;
    }

private:
    struct Stream {
        UniqueFd from;
        std::string text;

        void read(const pollfd& watched) {
            if (!from || watched.revents == 0) {
                return;
            }
            std::array<char, 64 * 1024> part{};
            const ssize_t count = ::read(from.get(), part.data(), part.size());
            if (count > 0) {
                text.append(part.data(), static_cast<std::size_t>(count));
            } else if (count == 0 || errno != EINTR) {
                from.reset();
            }
        }
    };

    void end() {
        ::kill(process_, SIGKILL);
        wait();
    }

    void wait() {
        int status = 0;
        while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
        }
        const bool is_ours =
            WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(ExitCode::check_found);
        code_ = is_ours ? static_cast<ExitCode>(WEXITSTATUS(status)) : ExitCode::failed;
        if (WIFSIGNALED(status)) {
            const bool is_within_line = !err_.text.empty() && !err_.text.ends_with('\n');
            err_.text +=
                fmt::format("{}ended by signal {}\n", is_within_line ? "\n" : "", WTERMSIG(status));
        }
        out_.from.reset();
        err_.from.reset();
    }

    const std::string engine_;
    Pipe out_pipe_;
    Pipe err_pipe_;
    pid_t process_ = 0;
    bool has_begun_ = false;
    Stream out_;
    Stream err_;
    std::optional<ExitCode> code_;
    bool is_left_out_ = false;
};

using EngineRuns = std::vector<std::unique_ptr<EngineRun>>;

[[nodiscard]] bool are_all_over(const EngineRuns& runs) {
    return std::ranges::all_of(runs, [](const auto& run) { return run->is_over(); });
}

/// Until all are over; whoever ends this process ends them. Those that have said nothing when
/// `leave_at` has come and one of them has worked are left out then. nullopt: all are waited for.
void wait_for(EngineRuns& runs, StopSignals& signals, std::optional<Clock::time_point> leave_at) {
    const auto has_worked = [](const auto& run) {
        return run->is_over() && run->code() == ExitCode::done;
    };
    while (!are_all_over(runs)) {
        const bool may_leave = leave_at && std::ranges::any_of(runs, has_worked);
        if (may_leave && Clock::now() >= *leave_at) {
            leave_at.reset();
            for (const auto& run : runs) {
                if (run->says_nothing()) {
                    run->leave_out();
                }
            }
            continue;
        }
        std::vector<pollfd> watched;
        for (const auto& run : runs) {
            run->watch(watched);
        }
        watched.push_back({.fd = signals.descriptor(), .events = POLLIN, .revents = 0});
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(
            leave_at.value_or(Clock::time_point{}) - Clock::now()
        );
        ::poll(watched.data(), watched.size(), may_leave ? static_cast<int>(left.count()) : -1);
        const bool is_told_to_stop = watched.back().revents != 0;
        if (is_told_to_stop) {
            static_cast<void>(signals.wait(schema::Duration{0}));
        }
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (is_told_to_stop) {
                runs[i]->stop();
            }
            runs[i]->read(watched[2 * i], watched[2 * i + 1]);
        }
    }
}

/// The output of a verb in JSON, or else its text as one.
[[nodiscard]] std::string as_json(const std::string& output) {
    if (output.empty()) {
        return "null";
    }
    const bool is_json =
        static_cast<bool>(items_of(output)) || static_cast<bool>(members_of(output));
    return is_json ? on_one_line(output) : json_string(output);
}

void show_json(std::ostream& out, const EngineRuns& runs) {
    out << '[';
    const char* before = "\n";
    for (const auto& run : runs) {
        out << fmt::format(
            R"({}  {{"engine": {}, "exitCode": {}, "errors": {}, "result": {}}})",
            before,
            json_string(run->engine()),
            static_cast<int>(run->code()),
            json_string(fmt::format("{}", fmt::join(run->errors(), "\n"))),
            as_json(run->output())
        );
        before = ",\n";
    }
    out << "\n]\n";
}

/// Each line is an object.
void show_json_lines(std::ostream& out, const EngineRun& run) {
    std::istringstream text(run.output());
    for (std::string line; std::getline(text, line);) {
        if (line.starts_with('{')) {
            const bool is_empty = line.starts_with("{}");
            out << "{\"engine\":" << json_string(run.engine()) << (is_empty ? "" : ",")
                << line.substr(1) << '\n';
        }
    }
}

/// A record may have lines in quotes. The header stands once.
void show_csv(std::ostream& out, const EngineRun& run, bool& has_header) {
    const std::string& text = run.output();
    bool is_header = true;
    for (std::size_t at = 0; at < text.size();) {
        bool is_quoted = false;
        std::size_t end = at;
        for (; end < text.size() && (is_quoted || text[end] != '\n'); ++end) {
            is_quoted ^= text[end] == '"';
        }
        if (!is_header || !std::exchange(has_header, true)) {
            out << (is_header ? "engine" : run.engine()) << ',' << text.substr(at, end - at)
                << '\n';
        }
        is_header = false;
        at = end + 1;
    }
}

void show(const Session& session, std::ostream& out, const EngineRuns& runs) {
    if (session.format() == OutputFormat::json) {
        show_json(out, runs);
        return;
    }
    bool has_header = false;
    const char* between = "";
    for (const auto& run : runs) {
        switch (session.format()) {
            case OutputFormat::jsonl:
                show_json_lines(out, *run);
                break;
            case OutputFormat::csv:
                show_csv(out, *run, has_header);
                break;
            case OutputFormat::table:
                out << std::exchange(between, "\n") << "engine " << run->engine() << '\n'
                    << run->output();
                break;
            default:
                out << run->output();
        }
    }
    out.flush();
}

[[nodiscard]] ExitCode code_of(const EngineRuns& runs) {
    ExitCode worst = runs.front()->code();
    bool do_agree = true;
    bool is_sound = true;
    for (const auto& run : runs) {
        const ExitCode code = run->code();
        do_agree &= code == worst && !run->is_left_out();
        is_sound &= code == ExitCode::done || code == ExitCode::check_found;
    }
    if (do_agree) {
        return worst;
    }
    return is_sound ? ExitCode::check_found : ExitCode::partly_done;
}

/// One of the file.
struct NamedEngine {
    std::string name;
    bool is_at_the_top = false;  ///< An engine of a table may be called like that one.
};

[[nodiscard]] std::vector<NamedEngine> engines_of(Session& session) {
    std::vector<NamedEngine> engines;
    if (!session.given_database_url().empty()) {
        engines.push_back({.name = std::string(service::kFirstEngine), .is_at_the_top = true});
    }
    for (const auto& [name, settings] : session.further_engines()) {
        engines.push_back({.name = name});
    }
    return engines;
}

/// The session is that of the engine at the top of the file.
[[nodiscard]] GlobalOptions without_engine(const Program& program) {
    GlobalOptions options = program.globals();
    options.engine.reset();
    return options;
}

/// Whether only one of several processes would find something in it: a pipe, a terminal, or stdin
/// by another name, which they do not get.
[[nodiscard]] bool can_be_read_once(const std::string& file) {
    constexpr std::array<std::string_view, 4> kStdin{
        "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    std::error_code problem;
    const auto kind = std::filesystem::status(file, problem).type();
    return std::ranges::count(kStdin, file) > 0 || kind == std::filesystem::file_type::fifo ||
           kind == std::filesystem::file_type::socket ||
           kind == std::filesystem::file_type::character;
}

void require_sense(const Program& program, const TypedVerb& verb, const Environment& environment) {
    const auto refuse = [](const std::string& why) { throw WrongUsage("--engine all: " + why); };
    if (program.globals().database_url || variable(environment, "JOBSTRAND_DB")) {
        refuse("--db and JOBSTRAND_DB name one database; leave them out");
    }
    if (served_operation_named(verb.words) == nullptr && !verb.words.starts_with("schema ")) {
        refuse(fmt::format("{} is not about the jobs of an engine", verb.words));
    }
    const bool reads_input =
        verb.reads_input || std::ranges::any_of(verb.files, [](const TypedVerb::File& file) {
            return can_be_read_once(file.name);
        });
    if (reads_input) {
        refuse("stdin and pipes can be read once; name a file, or one engine after the other");
    }
}

/// What the program is called with for one of them.
[[nodiscard]] std::vector<std::string>
arguments_for(const NamedEngine& engine, const Session& session, const TypedVerb& verb) {
    std::vector<std::string> arguments{"-o", session.format_name(), "--color", "never"};
    if (const auto file = session.config_file()) {
        arguments.insert(arguments.end(), {"--config", *file});
    }
    if (!engine.is_at_the_top) {
        arguments.insert(arguments.end(), {"--engine", engine.name});
    }
    if (!session.reason().empty()) {
        arguments.insert(arguments.end(), {"--reason", session.reason()});
    }
    std::istringstream words(verb.words);
    for (std::string word; words >> word;) {
        arguments.push_back(word);
    }
    arguments.insert(arguments.end(), verb.arguments.begin(), verb.arguments.end());
    return arguments;
}

}  // namespace

ExitCode
run_on_all_engines(const Program& program, Streams& streams, const Environment& environment) {
    const Clock::time_point began = Clock::now();
    const TypedVerb verb = program.typed();
    require_sense(program, verb, environment);
    Session session(streams, environment, without_engine(program));
    const std::vector<NamedEngine> engines = engines_of(session);
    EngineRuns runs;
    for (const NamedEngine& engine : engines) {
        runs.push_back(std::make_unique<EngineRun>(engine.name));
    }
    if (runs.empty()) {
        throw WrongUsage("--engine all: the configuration file names no engine");
    }
    StopSignals signals;
    for (std::size_t i = 0; i < engines.size(); ++i) {
        runs[i]->start(arguments_for(engines[i], session, verb));
    }
    const Operation* const operation = served_operation_named(verb.words);
    const bool only_shows = operation != nullptr && operation->text.role == service::Role::read;
    wait_for(runs, signals, only_shows ? std::optional(began + kShownWithin) : std::nullopt);
    show(session, streams.out, runs);
    for (const auto& run : runs) {
        for (const std::string& line : run->errors()) {
            print_error_lines(streams, run->engine() + ": " + line);
        }
    }
    return code_of(runs);
}

bool is_for_all_engines(const Program& program, Streams& streams, const Environment& environment) {
    if (program.globals().engine != kAllEngines || program.globals().server) {
        return false;
    }
    Session session(streams, environment, without_engine(program));
    return !session.further_engines().contains(kAllEngines);
}

}  // namespace jobstrand::cli
