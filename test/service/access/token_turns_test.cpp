#include "test/fixtures/background_process.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/access/token_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::test {
namespace {

using namespace std::chrono_literals;

/// `jobstrand token` in processes of their own.
class TokenTurns : public testing::Test {
protected:
    struct Running {
        std::string name;
        std::unique_ptr<BackgroundProcess> process;
    };

    [[nodiscard]] std::string path() const { return (directory_.path() / "tokens").string(); }

    [[nodiscard]] Running start(const std::string& verb, const std::string& name) {
        std::vector<std::string> words{JOBSTRAND_PROGRAM, "token", verb, name, "--file", path()};
        if (verb == "make") {
            words.insert(words.end(), {"--role", "read"});
        }
        const auto log = directory_.path() / fmt::format("{}-{}", verb, name);
        return {.name = name, .process = std::make_unique<BackgroundProcess>(words, log)};
    }

    /// They end well. Of those that were made, the hashes of what was printed.
    [[nodiscard]] std::vector<std::string> printed_by(std::vector<Running>& all) const {
        std::vector<std::string> hashes;
        for (const Running& one : all) {
            EXPECT_EQ(one.process->wait(60s), 0) << one.process->log();
            const std::string said = one.process->log();
            const std::string token = said.substr(0, said.find('\n'));
            hashes.push_back(one.name + ' ' + service::hex_of(service::hash_of(token)));
        }
        return hashes;
    }

    [[nodiscard]] std::vector<std::string> in_file() const {
        std::vector<std::string> hashes;
        for (const service::TokenEntry& token : service::read_tokens(path())) {
            hashes.push_back(token.name + ' ' + service::hex_of(token.hash));
        }
        return hashes;
    }

private:
    const TemporaryDirectory directory_;
};

TEST_F(TokenTurns, Of_commands_at_the_same_time_none_is_lost_and_none_undone) {
    constexpr int rounds = 40;
    std::vector<std::string> expected;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Running> made;
        std::vector<Running> revoked;
        made.push_back(start("make", fmt::format("gone{}", round)));
        made.push_back(start("make", fmt::format("kept{}", round)));
        if (round > 0) {
            revoked.push_back(start("revoke", fmt::format("gone{}", round - 1)));
        }
        const std::vector<std::string> printed = printed_by(made);
        expected.push_back(printed.back());
        if (round + 1 == rounds) {
            expected.push_back(printed.front());
        }
        static_cast<void>(printed_by(revoked));
    }
    EXPECT_THAT(in_file(), testing::UnorderedElementsAreArray(expected));
}

}  // namespace
}  // namespace jobstrand::test
