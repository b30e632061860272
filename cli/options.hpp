#pragma once
/// Options and pieces of help that several sub-commands share.

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

/// The format that was asked for, or the one that the output's name ends with (`front.svg`), or the first
/// known. Throws ConfigError when it is not known.
[[nodiscard]] std::string choose_format(std::string_view what, const std::string& asked,
                                        const std::string& output, std::span<const std::string_view> known);

/// What an option was given, as core/units.hpp reads it. ConfigError names the option.
[[nodiscard]] Time parse_duration_of(std::string_view option, const std::string& text);
[[nodiscard]] Bytes parse_bytes_of(std::string_view option, const std::string& text);
[[nodiscard]] Frequency parse_frequency_of(std::string_view option, const std::string& text);
/// A duration longer than none.
[[nodiscard]] Time parse_positive_duration(std::string_view option, const std::string& text);

/// `--machine MACHINE`.
Argument& add_machine_option(Command& command, std::string& machine,
                             std::string help = "Machine to schedule for: a file or its parameters");
/// The file that an option names; nothing where it was not given.
[[nodiscard]] std::optional<std::filesystem::path> named_file(const std::string& name);
/// The machine that was given. Says on stderr which costs that were not written are 0, where others were.
[[nodiscard]] logp::Machine read_machine(const std::string& text);
/// The graph that GRAPH names (core/formats/graph_source.hpp). Prints the reader's notes on stderr.
[[nodiscard]] TaskGraph read_graph(const std::string& name);
/// Throws ConfigError where the graph of this name has a table of works with more or fewer columns than the
/// machine has processors: which processors it means nobody knows then.
void check_work_table(const std::string& name, const TaskGraph& graph, const logp::Machine& machine);
/// `--format FORMAT`, one of these; the first one when it is not given.
Argument& add_format_option(Command& command, std::string& format, std::vector<std::string> formats);
/// `-o, --output FILE`.
Argument& add_output_option(Command& command, std::string& output, std::string help);
/// `--seed`, `--effort` and `--merging`, and those of moldable tasks.
void add_scheduler_options(Command& command, schedulers::Options& options);

/// Throws ConfigError when the output could not be written, or would replace a file that the command reads.
void check_output(const std::string& output, const std::vector<std::string>& inputs = {});

/// Writes what the user asked for, and reports on standard error where the file existed before. Throws as
/// write_text_file does.
void write_output(const std::string& file, std::string_view text);

/// Writes a result to a file, or to stdout when none is named.
void print_or_write(const std::string& text, const std::string& file);

/// Notes that say what GRAPH and MACHINE may be.
void add_graph_note(Command& command);
void add_machine_note(Command& command);

/// Of all schedulers, for a shell to offer.
[[nodiscard]] std::vector<std::string> scheduler_names();

}  // namespace takt::cli
