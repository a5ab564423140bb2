#include "tools/program/demo.hpp"

#include "tools/process/stop_signals.hpp"
#include "tools/program/demo_jobs.hpp"
#include "tools/program/named_log.hpp"
#include "tools/service/http_service.hpp"
#include "tools/session/open_engine.hpp"
#include "tools/text/listen_address.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

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
            throw CliError(ExitCode::failed, "no folder for the demonstration: " + name);
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

[[nodiscard]] Settings demo_settings(const DemoOptions& options, const std::string& url) {
    Settings settings;
    settings.database_url = url;
    settings.create_database = true;
    settings.executor.core_pool_size = 4;
    settings.executor.max_pool_size = 4;
    settings.http.listen = options.http.value_or("127.0.0.1:0");
    const auto address = service::parse_listen_address(settings.http.listen);
    if (!address) {
        throw CliError(ExitCode::wrong_usage, "--http " + address.error().message);
    }
    if (!address.value().is_loopback) {
        throw CliError(
            ExitCode::wrong_usage,
            "--http: a demonstration has no tokens, so it listens on 127.0.0.1 only"
        );
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

}  // namespace

ExitCode demo(Session& session, const DemoOptions& options) {
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
        throw CliError(ExitCode::wrong_usage, error.what());
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

}  // namespace jobstrand::cli
