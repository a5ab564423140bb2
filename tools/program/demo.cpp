#include "tools/program/demo.hpp"

#include "tools/process/stop_signals.hpp"
#include "tools/program/demo_jobs.hpp"
#include "tools/program/named_log.hpp"
#include "tools/service/http_service.hpp"
#include "tools/session/open_engine.hpp"
#include "tools/text/listen_address.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;

/// How often orders come in.
constexpr schema::Duration kBetweenOrders = 700ms;

/// A folder that is gone when this object is.
class DemoFolder final {
public:
    DemoFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "jobstrand-demo-XXXXXX");
        if (::mkdtemp(name.data()) == nullptr) {
            throw CliError(ExitCode::failed, "no folder for the demonstration: " + name);
        }
        path_ = name;
    }
    ~DemoFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    DemoFolder(const DemoFolder&) = delete;
    DemoFolder& operator=(const DemoFolder&) = delete;

    [[nodiscard]] std::string database_url() const {
        return "sqlite:" + (path_ / "jobs.db").string() + "?synchronous=off";
    }

private:
    std::filesystem::path path_;
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
