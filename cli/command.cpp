#include "cli/command.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace takt::cli {

namespace {

struct Entry {
  std::string_view name, summary;
  void (*declare)(Command&);
};

/// In the usual order of use: run, plan before it, inspect it, feed it.
constexpr std::array table{
    Entry{"run", "Run a pipeline over MPI ranks and report its throughput", declare_run},
    Entry{"submit", "Submit a run to Slurm", declare_submit},
    Entry{"doctor", "Check whether hosts can run a pipeline together", declare_doctor},
    Entry{"top", "List the runs in progress, with the time of each rank", declare_top},
    Entry{"set", "Change a parameter of a task in a running pipeline", declare_set},
    Entry{"serve", "Run a service that adds and drops streams while others run", declare_serve},
    Entry{"add", "Add a pipeline to the streams of a service", declare_add},
    Entry{"drop", "Drop a stream from a service", declare_drop},
    Entry{"ps", "Show the streams of a service", declare_ps},
    Entry{"logs", "Show the log of a stream of a service", declare_logs},
    Entry{"status", "Show the processors of a service and how much of them is in use", declare_status},
    Entry{"sustain", "Find the highest rate that a pipeline sustains without loss", declare_sustain},
    Entry{"plan", "Compute a schedule of a task graph or a pipeline for a machine", declare_plan},
    Entry{"parallelise", "Turn a sequential C program into an MPI program or a pipeline",
          declare_parallelise},
    Entry{"compare", "Compare schedulers on graphs and machines", declare_compare},
    Entry{"verify", "Check that a schedule is correct and obeys the machine model", declare_verify},
    Entry{"simulate", "Simulate a schedule over many frames under its machine model", declare_simulate},
    Entry{"calibrate", "Measure the cost of messages on this machine, and write a machine file",
          declare_calibrate},
    Entry{"profile", "Measure the cost of each task of a pipeline on this machine", declare_profile},
    Entry{"graph", "Generate, convert, draw or describe a task graph", declare_graph},
    Entry{"view", "Show a file", declare_view},
    Entry{"send", "Emulate a sensor: replay or synthesise packets", declare_send},
    Entry{"list", "List commands, schedulers, kernels, sources, sinks, formats, graphs", declare_list},
    Entry{"help", "Print the help of a command, also as a man page", declare_help},
    Entry{"completion", "Completion of command lines for bash, zsh or fish", declare_completion},
};

Command declared(const Entry& entry) {
  Command command{std::string(entry.name), std::string(entry.summary)};
  entry.declare(command);
  return command;
}

}  // namespace

std::vector<Command> all_commands() {
  std::vector<Command> commands;
  for (const Entry& entry : table) commands.push_back(declared(entry));
  return commands;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Entry& entry : table) names.emplace_back(entry.name);
  return names;
}

Command find_command(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Entry& entry : table) {
    if (entry.name == name) return declared(entry);
    names.push_back(entry.name);
  }
  if (name.empty()) throw UsageError(fmt::format("which command? (known: {})", fmt::join(names, " ")));
  throw UsageError(unknown_name("command", name, std::move(names)));
}

}  // namespace takt::cli
