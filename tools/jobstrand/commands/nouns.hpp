#pragma once

#include "tools/jobstrand/commands/verb.hpp"

/// One function per noun, each in its own file: declares the noun's verbs.
namespace jobstrand::cli {

void add_serve_command(CLI::App& program, Action& action);
void add_schema_commands(CLI::App& program, Action& action);
void add_job_commands(CLI::App& program, Action& action);
void add_timer_commands(CLI::App& program, Action& action);
void add_series_commands(CLI::App& program, Action& action);
void add_group_commands(CLI::App& program, Action& action);
void add_calendar_commands(CLI::App& program, Action& action);
void add_dead_commands(CLI::App& program, Action& action);
void add_instance_commands(CLI::App& program, Action& action);
void add_definition_commands(CLI::App& program, Action& action);
void add_stats_command(CLI::App& program, Action& action);
void add_config_commands(CLI::App& program, Action& action);

}  // namespace jobstrand::cli
