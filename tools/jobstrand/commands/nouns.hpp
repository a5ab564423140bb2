#pragma once

#include "tools/jobstrand/commands/verb.hpp"

/// One function per noun, each in its own file: declares the noun's verbs.
namespace jobstrand::cli {

void add_serve_command(const Command& program, Action& action);
void add_schema_commands(const Command& program, Action& action);
void add_token_commands(const Command& program, Action& action);
void add_stats_command(const Command& program, Action& action);
void add_top_command(const Command& program, Action& action);
void add_doctor_command(const Command& program, Action& action);
void add_config_commands(const Command& program, Action& action);
void add_completion_commands(const Command& program, Action& action);
void add_manual_command(const Command& program, Action& action);

}  // namespace jobstrand::cli
