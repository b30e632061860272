#pragma once
/// Options and parts of help that several sub-commands share.

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.hpp"
#include "core/units.hpp"
#include "logp/machine.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

/// Returns the requested format, or that of the output's extension (`front.svg`), or the first known one.
/// Throws ConfigError for an unknown format.
[[nodiscard]] std::string choose_format(std::string_view what, const std::string& asked,
                                        const std::string& output, std::span<const std::string_view> known);

/// Parse the value of an option as core/units.hpp does. ConfigErrors name the option.
[[nodiscard]] Time parse_duration_of(std::string_view option, const std::string& text);
[[nodiscard]] Bytes parse_bytes_of(std::string_view option, const std::string& text);
[[nodiscard]] Frequency parse_frequency_of(std::string_view option, const std::string& text);
/// Parses a duration above zero.
[[nodiscard]] Time parse_positive_duration(std::string_view option, const std::string& text);

/// `--machine MACHINE`.
Argument& add_machine_option(Command& command, std::string& machine,
                             std::string help = "Machine to schedule for: a file or its parameters");
/// Returns the file that an option names; nothing if it is unset.
[[nodiscard]] std::optional<std::filesystem::path> named_file(const std::string& name);
/// Reads the machine. Reports on stderr which missing costs are set to 0, if other costs are present.
[[nodiscard]] logp::Machine read_machine(const std::string& text);
/// Reads the graph named GRAPH (core/formats/graph_source.hpp). Prints the reader's notes on stderr.
[[nodiscard]] TaskGraph read_graph(const std::string& name);
/// Returns the graph with work by processor if it has work by type of core. Throws ConfigError if the types
/// of the machine differ, or if its number of processors differs from that of the graph's table of works:
/// their assignment is then unknown.
[[nodiscard]] TaskGraph on_machine(const std::string& name, TaskGraph graph, const logp::Machine& machine);
/// Adds `--format FORMAT` with these values; the default is the first one.
Argument& add_format_option(Command& command, std::string& format, std::vector<std::string> formats);
/// `-o, --output FILE`.
Argument& add_output_option(Command& command, std::string& output, std::string help);
/// Adds `--seed`, `--effort` and `--merging`, and the options of moldable tasks.
void add_scheduler_options(Command& command, schedulers::Options& options);

/// Throws ConfigError if the output is not writable, or would replace a file that the command reads.
void check_output(const std::string& output, const std::vector<std::string>& inputs = {});

/// Writes the user's output, and reports on standard error if the file existed before. Throws like
/// write_text_file.
void write_output(const std::string& file, std::string_view text);

/// Writes a result to a file, or to stdout if none is named.
void print_or_write(const std::string& text, const std::string& file);

/// Add notes on the valid forms of GRAPH and MACHINE.
void add_graph_note(Command& command);
void add_machine_note(Command& command);

/// Returns the names of all schedulers, for shell completion.
[[nodiscard]] std::vector<std::string> scheduler_names();

}  // namespace takt::cli
