#include "bench/report.hpp"

#include "bench/core/result.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace jobstrand::bench {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class Report : public testing::Test {
protected:
    std::string file_with(const std::string& name, const std::string& content) {
        const std::string path = (directory_.path() / name).string();
        std::ofstream(path) << content;
        return path;
    }

    static Result a_result(std::string scenario) {
        Result result{.scenario = std::move(scenario), .started_at = "2026-11-20T00:00:00.000Z"};
        result.environment = {{"cpu", "a fast one"}, {"database", "SQLite 3"}, {"url", "secret"}};
        result.figures = {{"jobs run", "jobs/s", {150'000}, 300'000}};
        return result;
    }

    test::TemporaryDirectory directory_;
};

TEST_F(Report, Each_figure_of_each_file_is_a_row) {
    const std::string report = markdown_report(
        {.files =
             {file_with("a.json", to_json(a_result("drain"))),
              file_with("b.json", to_json(a_result("flow")))}}
    );

    EXPECT_THAT(
        report,
        HasSubstr("| drain | SQLite 3 | jobs run | 150,000 | 150,000 to 150,000 | jobs/s | 300,000 "
                  "| 0.5 |\n| flow | SQLite 3 |")
    );
    EXPECT_THAT(report, HasSubstr("a fast one"));
    EXPECT_THAT(report, HasSubstr("All checks passed"));
}

TEST_F(Report, Each_curve_is_drawn_as_an_svg_file_in_the_directory) {
    if (std::system("command -v gnuplot >/dev/null") != 0) {
        GTEST_SKIP() << "not on this machine: gnuplot; install Debian's gnuplot-nox";
    }
    Result result = a_result("scale");
    result.series = {
        {"rate: 5 % 'of' $HOME", "jobs", "jobs/s", {{10, 1}, {1000, 3}}},
        {"nothing measured", "s", "ms", {}}};
    const std::string report = markdown_report(
        {.files = {file_with("a.json", to_json(result))}, .charts = directory_.path().string()}
    );

    const fs::path chart = directory_.path() / "scale-rate-5-of-home.svg";
    EXPECT_THAT(report, HasSubstr("(" + chart.string() + ")"));
    EXPECT_THAT(report, Not(HasSubstr("nothing measured")));
    std::ifstream file(chart);
    const std::string svg(std::istreambuf_iterator<char>(file), {});
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("scale: rate: 5 % 'of' $HOME"));
    EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST_F(Report, A_chart_that_cannot_be_written_is_an_error_that_names_it) {
    if (std::system("command -v gnuplot >/dev/null") != 0) {
        GTEST_SKIP() << "not on this machine: gnuplot; install Debian's gnuplot-nox";
    }
    Result result = a_result("scale");
    result.series = {{"rate", "jobs", "jobs/s", {{1, 1}}}};
    const std::string file = file_with("a.json", to_json(result));
    try {
        (void)markdown_report({.files = {file}, .charts = file});
        ADD_FAILURE() << "a file was taken for a directory";
    } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("scale-rate.svg"));
    }
}

TEST_F(Report, A_failed_check_is_named) {
    Result result = a_result("drain");
    result.checks = {{"the tables are empty at the end", "jobs are left"}};
    const std::string report = markdown_report({.files = {file_with("a.json", to_json(result))}});

    EXPECT_THAT(
        report, HasSubstr("**Failed** in drain: the tables are empty at the end: jobs are left")
    );
}

TEST_F(Report, A_file_that_is_no_result_is_refused_by_name) {
    for (const std::string content : {"", "{", "[]", R"({"format":"another/1"})"}) {
        const std::string path = file_with("other.json", content);
        try {
            (void)markdown_report({.files = {path}});
            ADD_FAILURE() << "accepted: " << content;
        } catch (const std::runtime_error& error) {
            EXPECT_THAT(error.what(), HasSubstr("other.json is not a result"));
        }
    }
}

}  // namespace
}  // namespace jobstrand::bench
