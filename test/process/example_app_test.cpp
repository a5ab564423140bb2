#include "test/fixtures/background_process.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/process/binaries.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

namespace jobstrand {
namespace {

/// The example app on a database of its own.
class ExampleAppTest : public testing::Test {
protected:
    test::ProgramResult app(const std::vector<std::string>& words) {
        std::vector<std::string> command{
            test::kOrderServiceBinary, "sqlite:" + (directory_.path() / "orders.db").string()};
        command.insert(command.end(), words.begin(), words.end());
        return test::run_program(command);
    }

    /// Runs until the given step kills it; the orders that it confirmed are added to `confirmed`.
    /// false: it has fewer steps and ended by itself.
    bool dies_at(int step, std::vector<std::string> words) {
        words.insert(words.end(), {"--die-at", std::to_string(step)});
        const test::ProgramResult result = app(words);
        std::istringstream lines(result.out);
        for (std::string id; std::getline(lines, id);) {
            ++confirmed;
        }
        EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 128 + SIGKILL) << result.err;
        return result.exit_code != 0;
    }

    std::map<std::string, int> report() {
        std::map<std::string, int> numbers;
        std::istringstream lines(app({"report"}).out);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t space = line.rfind(' ');
            numbers[line.substr(0, space)] = std::stoi(line.substr(space + 1));
        }
        return numbers;
    }

    int confirmed = 0;

private:
    test::TemporaryDirectory directory_;
};

// I2 B10
TEST_F(
    ExampleAppTest,
    Killed_at_every_step_it_keeps_each_confirmed_order_and_invoices_each_order_once
) {
    int step = 1;
    while (dies_at(step, {"place", "2"})) {
        ++step;
    }
    EXPECT_GE(step, 8);
    const int orders = report()["orders"];
    EXPECT_GE(orders, confirmed);
    EXPECT_EQ(report()["open jobs"], orders);

    step = 1;
    while (dies_at(step, {"work"})) {
        ++step;
    }
    EXPECT_GE(step, 3);
    auto numbers = report();
    EXPECT_EQ(numbers["orders"], orders);
    EXPECT_EQ(numbers["invoices"], orders);
    EXPECT_EQ(numbers["invoiced orders"], orders);
    EXPECT_EQ(numbers["open jobs"], 0);
}

}  // namespace
}  // namespace jobstrand
