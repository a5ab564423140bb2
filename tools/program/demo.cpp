#include "tools/engine/wiring.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/signals.hpp"
#include "tools/service/http_service.hpp"
#include "tools/session/open_engine.hpp"
#include "tools/session/session.hpp"
#include "tools/text/http_address.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace jobstrand::cli {

using namespace std::chrono_literals;
using executor::HandlerResult;
using executor::JobContext;

namespace {

// What there is to see in a demonstration: the background jobs of a shop.

/// A way to fail, of so many in a thousand runs.
struct DemoFailure {
    int of_thousand;
    std::string_view message;
    bool is_retryable = true;
};

struct DemoType {
    std::string_view name;
    std::chrono::milliseconds least;
    std::chrono::milliseconds most;
    std::vector<DemoFailure> failures = {};
    std::string_view details = {};
};

[[nodiscard]] const std::vector<DemoType>& demo_types() {
    static const std::vector<DemoType> all{
        {"send-mail",
         20ms,
         180ms,
         {{25, "SmtpError: 451 4.7.1 try again later"},
          {4, "AddressError: no such mailbox \"bo@exmaple.org\"", false}},
         "Traceback (most recent call last):\n  File \"mail.py\", line 41, in send\n    "
         "smtp.sendmail(sender, to, text)\nSmtpError: 451 4.7.1 try again later"},
        {"charge-card",
         150ms,
         700ms,
         {{15, "CardDeclined: insufficient funds", false},
          {20, "Timeout: no answer from pay.example in 10 s"}},
         "com.shop.pay.CardDeclined: insufficient funds\n\tat com.shop.pay.Charge.run("
         "Charge.java:88)\n\tat com.shop.jobs.Worker.call(Worker.java:31)"},
        {"resize-image", 60ms, 400ms, {{8, "OutOfMemory: image of 21000 x 14000 pixels", false}}},
        {"update-search", 5ms, 25ms},
        {"sync-crm", 100ms, 300ms, {{90, "HTTP 503: crm.example is being maintained"}}},
        {"import-order",
         1ms,
         4ms,
         {{400, "KeyError: 'address'", false},
          {300, "ValueError: invalid literal for int(): '12,50'", false},
          {150, "HTTP 404: no such article", false}},
         "Traceback (most recent call last):\n  File \"imports.py\", line 112, in run\n    "
         "street = row['address']\nKeyError: 'address'"},
        {"nightly-report", 4s, 9s, {{50, "KeyError: 'region'"}}},
    };
    return all;
}

[[nodiscard]] std::minstd_rand seeded_by(std::string_view text) {
    return std::minstd_rand(static_cast<unsigned>(std::hash<std::string_view>{}(text)));
}

/// false: the run is to stop.
[[nodiscard]] bool take_time(const JobContext& context, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    return !stopped.wait_for(lock, context.stop, time, [] { return false; }) &&
           !context.stop.stop_requested();
}

[[nodiscard]] HandlerResult run_demo_job(const DemoType& type, const JobContext& context) {
    // The same job does the same in each attempt of the same number.
    auto random = seeded_by(context.job.id + std::to_string(context.attempt));
    std::uniform_int_distribution<std::int64_t> time(type.least.count(), type.most.count());
    if (!take_time(context, std::chrono::milliseconds(time(random)))) {
        return executor::Interrupted{};
    }
    int chance = std::uniform_int_distribution<int>(1, 1000)(random);
    for (const DemoFailure& failure : type.failures) {
        chance -= failure.of_thousand;
        if (chance <= 0) {
            return executor::Failed{
                .message = std::string(failure.message),
                .details = std::string(type.details),
                .retryable = failure.is_retryable};
        }
    }
    return executor::Succeeded{};
}

[[nodiscard]] schema::Job demo_job(std::string_view type, std::string payload) {
    schema::Job job;
    job.handler_type = type;
    job.payload = std::move(payload);
    job.retry_cycle = "R3/PT15S";
    job.exclusive = false;
    return job;
}

constexpr std::string_view kTenants[] = {"acme", "globex", "initech"};

/// What is in the shop's mail, money and search for one order.
[[nodiscard]] std::vector<schema::Job> jobs_of_order(int order) {
    const std::string_view tenant = kTenants[static_cast<std::size_t>(order) % std::size(kTenants)];
    std::vector<schema::Job> jobs{
        demo_job("charge-card", fmt::format(R"({{"order":{},"cents":{}}})", order, order % 9900)),
        demo_job(
            "send-mail",
            fmt::format(
                R"({{"order":{0},"to":"customer{0}@example.org","template":"thanks"}})", order
            )
        ),
        demo_job("update-search", fmt::format(R"({{"order":{}}})", order)),
    };
    if (order % 4 == 0) {
        jobs.push_back(demo_job("resize-image", fmt::format(R"({{"image":"{}.png"}})", order)));
    }
    if (order % 3 == 0) {
        jobs.push_back(demo_job("sync-crm", fmt::format(R"({{"customer":{}}})", order)));
    }
    for (schema::Job& job : jobs) {
        job.tenant_id = tenant;
        job.process_instance_id = fmt::format("order-{}", order);
    }
    return jobs;
}

void start_demo_series(engine::Wiring& engine) {
    const auto start = [&engine](schema::Series series, std::string_view type) {
        schema::Job turn = demo_job(type, "{}");
        turn.retry_cycle.clear();
        engine.start_series(std::move(series), std::move(turn));
    };
    start(
        {.key = "report.daily",
         .group = "reports",
         .description = "Yesterday's numbers, before the office opens",
         .repeat = "0 30 2 ? * MON-FRI",
         .zone = "Europe/Berlin"},
        "nightly-report"
    );
    start({.key = "crm.sync", .repeat = "0/20 * * * * ?"}, "sync-crm");
    start(
        {.key = "report.month",
         .group = "reports",
         .repeat = "0 0 6 L * ?",
         .zone = "America/New_York"},
        "nightly-report"
    );
    start({.key = "search.warm", .repeat = "R/PT30S"}, "update-search");
}

/// Handlers that take their time and fail now and then, by several causes.
void add_demo_handlers(executor::HandlerRegistry& handlers) {
    for (const DemoType& type : demo_types()) {
        handlers.add(std::string(type.name), [&type](const JobContext& context) {
            return run_demo_job(type, context);
        });
    }
}

/// What a shop that has been open for a while has: schedules, limits, timers, dead letters, a
/// suspended instance, jobs that nobody serves.
void fill_demo(engine::Wiring& engine) {
    start_demo_series(engine);
    engine.limit_store().set_limit(
        {.kind = schema::LimitKind::type, .value = "charge-card", .concurrent = 3}
    );
    std::vector<schema::Job> jobs;
    const schema::TimePoint now = engine.clock().now();
    for (int i = 0; i < 300; ++i) {
        schema::Job reminder = demo_job("send-mail", fmt::format(R"({{"reminder":{}}})", i));
        reminder.due_date = now + 1min * (5 + i * 7);
        jobs.push_back(std::move(reminder));
    }
    for (int i = 0; i < 40; ++i) {
        jobs.push_back(demo_job("print-label", fmt::format(R"({{"parcel":{}}})", i)));
    }
    for (int i = 0; i < 120; ++i) {
        jobs.push_back(demo_job("import-order", fmt::format(R"({{"file":"may.csv","row":{}}})", i))
        );
    }
    engine.enqueue_all(std::move(jobs));
}

/// Some orders have come in.
void add_demo_orders(engine::Wiring& engine, std::minstd_rand& random) {
    const int orders = std::uniform_int_distribution<int>(0, 6)(random);
    for (int i = 0; i < orders; ++i) {
        engine.enqueue_all(jobs_of_order(std::uniform_int_distribution<int>(1000, 99'999)(random)));
    }
}

// What the demonstration runs in: a folder of its own, its settings, and a browser.

/// How often orders come in.
constexpr schema::Duration kBetweenOrders = 700ms;

constexpr std::string_view kFolderName = "jobstrand-demo-";

/// A demonstration that has just made its folder may not have locked it yet.
constexpr auto kFreshFolder = 1min;

/// Locked until it is closed, or the process ends however; -1: another process has it.
[[nodiscard]] int lock_folder(const std::filesystem::path& path) {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder >= 0 && ::flock(folder, LOCK_EX | LOCK_NB) != 0) {
        ::close(folder);
        return -1;
    }
    return folder;
}

/// A folder that is gone when this object is. Those of demonstrations that were killed go when the
/// next one begins.
class DemoFolder final {
public:
    DemoFolder() {
        const auto parent = std::filesystem::temp_directory_path();
        remove_abandoned(parent);
        std::string name = parent / (std::string(kFolderName) + "XXXXXX");
        if (::mkdtemp(name.data()) == nullptr) {
            throw Failed("no folder for the demonstration: " + name);
        }
        path_ = name;
        lock_ = lock_folder(path_);
    }
    ~DemoFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
        ::close(lock_);
    }

    DemoFolder(const DemoFolder&) = delete;
    DemoFolder& operator=(const DemoFolder&) = delete;

    [[nodiscard]] std::string database_url() const {
        return "sqlite:" + (path_ / "jobs.db").string() + "?synchronous=off";
    }

private:
    static void remove_abandoned(const std::filesystem::path& parent) {
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(parent, ignored)) {
            const bool is_one = entry.path().filename().string().starts_with(kFolderName);
            const auto age =
                std::filesystem::file_time_type::clock::now() - entry.last_write_time(ignored);
            const int lock = is_one && age > kFreshFolder ? lock_folder(entry.path()) : -1;
            if (lock >= 0) {
                std::filesystem::remove_all(entry.path(), ignored);
                ::close(lock);
            }
        }
    }

    std::filesystem::path path_;
    int lock_ = -1;
};

struct DemoOptions {
    std::optional<std::string> http;  ///< Where to listen; nullopt: a free port of this machine.
    bool no_browser = false;
};

[[nodiscard]] Settings demo_settings(const DemoOptions& options, const std::string& url) {
    Settings settings;
    settings.database_url = url;
    settings.create_database = true;
    settings.executor.core_pool_size = 4;
    settings.executor.max_pool_size = 4;
    settings.http.listen = options.http.value_or("127.0.0.1:0");
    const auto address = service::parse_listen_address(settings.http.listen);
    if (!address) {
        throw WrongUsage("--http " + address.error().message);
    }
    if (!address.value().is_loopback) {
        throw WrongUsage("--http: a demonstration has no tokens, so it listens on 127.0.0.1 only");
    }
    return settings;
}

/// Whether there is a desktop that could show a page.
[[nodiscard]] bool has_desktop() {
    return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr;
}

/// What comes of it is the browser's matter; where there is none, the address was printed.
void show_in_browser(const std::string& url) {
    std::string program = "xdg-open";
    std::string argument = url;
    const std::array<char*, 3> arguments{program.data(), argument.data(), nullptr};
    pid_t child = 0;
    if (::posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ) == 0) {
        ::waitpid(child, nullptr, 0);
    }
}

/// `demo`: two nodes with living jobs on a temporary SQLite database, and the page that shows them,
/// until a signal says stop. The database is removed then.
[[nodiscard]] ExitCode demo(Session& session, const DemoOptions& options) {
    StopSignals signals;
    const DemoFolder folder;
    const std::string url = folder.database_url();
    const Settings settings = demo_settings(options, url);
    const EngineSurroundings ours = session.surroundings();
    // What fails is on the page; the terminal has its address.
    schema::SilentLog log;
    const EngineSurroundings around{
        ours.clock, log, ours.guardian, ours.http_client, ours.path, ours.handler_counts};
    std::vector<std::unique_ptr<engine::Wiring>> nodes;
    for (int i = 0; i < 2; ++i) {
        nodes.push_back(open_engine(url, settings, OpenFor::service, around));
        add_demo_handlers(nodes.back()->handlers());
    }
    engine::Wiring& first = *nodes.front();
    std::unique_ptr<service::HttpService> http;
    // Defended catch: what cannot be listened on is a mistake in the options.
    try {
        http = std::make_unique<service::HttpService>(
            service::ApiParts{.engine = first, .settings = settings, .log = around.log}, true
        );
    } catch (const std::runtime_error& error) {
        throw WrongUsage(error.what());
    }
    fill_demo(first);
    for (const auto& node : nodes) {
        node->start();
    }
    http->start();
    const std::string address = settings.http.listen.substr(0, settings.http.listen.rfind(':'));
    const std::string page = fmt::format("http://{}:{}/", address, http->port());
    session.streams().out
        << page
        << "\nThe jobs of a shop on a temporary database; Ctrl-C ends them and removes it.\n"
        << std::flush;
    if (!options.no_browser && has_desktop()) {
        show_in_browser(page);
    }
    std::minstd_rand random(1);
    while (signals.wait(kBetweenOrders) == StopSignals::Event::timed_out) {
        add_demo_orders(first, random);
    }
    http->say_stopping();
    for (const auto& node : nodes) {
        (void)node->stop(executor::StopMode::at_once);
    }
    http->stop();
    return ExitCode::done;
}

}  // namespace

OperationNoun demo_verb() {
    return {
        .operations = {local_operation<DemoOptions>(
            {.words = "demo",
             .summary = "Show the page of a shop's jobs, on a temporary database, until Ctrl-C",
             .examples = "  jobstrand demo\n"
                         "  jobstrand demo --http 127.0.0.1:8080 --no-browser"},
            {{"--http",
              &DemoOptions::http,
              "Where the page is [a free port of 127.0.0.1]",
              {.unit = "ADDRESS:PORT", .may_be_empty = true}},
             {"--no-browser", &DemoOptions::no_browser, "Only print the address"}},
            demo
        )}};
}

}  // namespace jobstrand::cli
