#include "persistence/rows/store_context.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace jobstrand::persistence {

namespace {

/// A claim takes milliseconds. What takes longer than this hangs, and nothing may hang with it: the
/// database decides anyway.
constexpr std::chrono::seconds kLongestWait{1};

}  // namespace

class GroupTurns::Turn final {
public:
    explicit Turn(GroupTurns& turns) : turns_(turns) {}

    ~Turn() {
        {
            const std::lock_guard lock(turns_.mutex_);
            for (const std::string& group : groups_) {
                turns_.taken_.erase(group);
            }
        }
        turns_.ended_.notify_all();
    }

    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    /// Precondition: the turns' mutex is held.
    void take(std::string_view group) {
        if (turns_.taken_.emplace(group).second) {
            groups_.emplace_back(group);
        }
    }

private:
    GroupTurns& turns_;
    std::vector<std::string> groups_;
};

std::shared_ptr<const void> GroupTurns::wait_for(std::span<const std::string_view> groups) {
    const auto are_free = [&] {
        return std::ranges::none_of(groups, [&](std::string_view group) {
            return taken_.contains(group);
        });
    };
    auto turn = std::make_shared<Turn>(*this);
    std::unique_lock lock(mutex_);
    ended_.wait_for(lock, kLongestWait, are_free);
    for (const std::string_view group : groups) {
        turn->take(group);
    }
    return turn;
}

}  // namespace jobstrand::persistence
