#pragma once
/// The sub-commands of `takt`: one file for each, which declares arguments, calls the libraries and prints.

#include <span>
#include <vector>

#include "cli/arguments.hpp"

namespace takt::cli {

void declare_add(Command& command);
void declare_calibrate(Command& command);
void declare_compare(Command& command);
void declare_completion(Command& command);
void declare_drop(Command& command);
void declare_doctor(Command& command);
void declare_graph(Command& command);
void declare_help(Command& command);
void declare_list(Command& command);
void declare_logs(Command& command);
void declare_parallelise(Command& command);
void declare_plan(Command& command);
void declare_profile(Command& command);
void declare_ps(Command& command);
void declare_run(Command& command);
void declare_send(Command& command);
void declare_serve(Command& command);
void declare_set(Command& command);
void declare_simulate(Command& command);
void declare_status(Command& command);
void declare_submit(Command& command);
void declare_sustain(Command& command);
void declare_top(Command& command);
void declare_verify(Command& command);
void declare_view(Command& command);

/// Returns all commands, declared, in the order of help.
[[nodiscard]] std::vector<Command> all_commands();
/// Returns their names in the same order.
[[nodiscard]] std::vector<std::string> command_names();
/// Returns one of them. Throws UsageError with the nearest name.
[[nodiscard]] Command find_command(std::string_view name);

}  // namespace takt::cli
