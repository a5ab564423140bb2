// A node for tests, with a handler that is fast: a job of the type "append" writes its id, its
// attempt and its retries into a file that only this process writes to. One of the type "abort"
// does so too, and then ends the process. One of the type "alone" does so while it holds a file
// beside FILE that is named after its instance; when somebody holds that already, the line begins
// with "overlap-".
//
//     cluster_node URL FILE MILLISECONDS
//
// Each job takes so many milliseconds. Runs until SIGTERM and then drains. Log lines go to standard
// output.

#include "tools/engine/wiring.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace jobstrand {
namespace {

/// Writes each line at once: the process may be killed at any moment.
class StandardOutputLog final : public schema::Log {
public:
    [[nodiscard]] bool enabled(schema::LogLevel level) const noexcept override {
        return level != schema::LogLevel::debug;
    }

    void write(
        schema::LogLevel level,
        std::string_view message,
        std::initializer_list<schema::LogField> fields
    ) noexcept override {
        if (!enabled(level)) {
            return;
        }
        std::string line(message);
        for (const schema::LogField& field : fields) {
            line += fmt::format(" {}={}", field.name, field.value);
        }
        const std::lock_guard lock(mutex_);
        std::puts(line.c_str());
        std::fflush(stdout);
    }

private:
    std::mutex mutex_;
};

/// Appends a line for each run. The file outlives the process, whatever kills it.
class RunFile final {
public:
    RunFile(const char* path, schema::Duration work)
        : work_(work), descriptor_(::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) {
            throw std::runtime_error(fmt::format("cannot open {}", path));
        }
    }
    ~RunFile() { ::close(descriptor_); }

    RunFile(const RunFile&) = delete;
    RunFile& operator=(const RunFile&) = delete;

    executor::HandlerResult
    operator()(const executor::JobContext& context, std::string_view prefix = {}) const {
        const std::string line = fmt::format(
            "{}{} {} {}\n", prefix, context.job.id, context.attempt, context.job.retries
        );
        if (::write(descriptor_, line.data(), line.size()) < 0) {
            return executor::Failed{.message = "cannot write the run"};
        }
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, context.stop, work_, [] { return false; });
        return executor::Succeeded{};
    }

private:
    const schema::Duration work_;
    const int descriptor_;
};

/// A file that one run on this machine holds at a time; the end of its process lets it go.
class HeldFile final {
public:
    explicit HeldFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600)),
          is_held_(::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {}
    ~HeldFile() { ::close(descriptor_); }

    HeldFile(const HeldFile&) = delete;
    HeldFile& operator=(const HeldFile&) = delete;

    [[nodiscard]] bool is_held() const { return is_held_; }

private:
    const int descriptor_;
    const bool is_held_;
};

void wait_for_sigterm(const sigset_t& signals) {
    int signal = 0;
    sigwait(&signals, &signal);
}

void run(const char* url, const char* file, schema::Duration work) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    const schema::SystemClock clock;
    StandardOutputLog log;
    const RunFile runs(file, work);
    engine::WiringOptions options{.database_url = url};
    if (const char* const lock_time = std::getenv("JOBSTRAND_CLUSTER_LOCK_MS")) {
        options.executor.lock_time = std::chrono::milliseconds(std::stoi(lock_time));
        options.executor.reset_interval = options.executor.lock_time / 10;
    }
    engine::Wiring engine(std::move(options), clock, log);
    engine.handlers().add("append", [&runs](const auto& context) { return runs(context); });
    engine.handlers().add("abort", [&runs](const auto& context) -> executor::HandlerResult {
        (void)runs(context);
        std::abort();
    });
    const std::string folder = std::filesystem::path(file).parent_path().string();
    engine.handlers().add("alone", [&](const auto& context) -> executor::HandlerResult {
        const HeldFile inside(fmt::format("{}/inside-{}", folder, context.job.process_instance_id));
        return runs(context, inside.is_held() ? "" : "overlap-");
    });
    engine.start();
    wait_for_sigterm(signals);
    (void)engine.stop(executor::StopMode::drain);
}

}  // namespace
}  // namespace jobstrand

int main(int count, char** words) {
    if (count != 4) {
        std::fputs("usage: cluster_node URL FILE MILLISECONDS\n", stderr);
        return 2;
    }
    jobstrand::run(words[1], words[2], std::chrono::milliseconds(std::stoi(words[3])));
    return 0;
}
