#pragma once

#include <filesystem>
#include <string>

namespace jobstrand::test_kit {

/// A SQLite file in a folder of its own, which is removed with it. It is a file, because the engine
/// and the app have connections of their own to it; nothing waits for the disk.
class TemporaryDatabase final {
public:
    /// Throws std::system_error when there is no place for it.
    TemporaryDatabase();
    ~TemporaryDatabase();

    TemporaryDatabase(const TemporaryDatabase&) = delete;
    TemporaryDatabase& operator=(const TemporaryDatabase&) = delete;

    [[nodiscard]] std::string path() const { return (folder_ / "jobs.db").string(); }
    [[nodiscard]] std::string url() const;

private:
    std::filesystem::path folder_;
};

}  // namespace jobstrand::test_kit
