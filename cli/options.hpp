#pragma once
/// Options and pieces of help that several sub-commands share.

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "core/units.hpp"
#include "schedulers/scheduler.hpp"

namespace takt::cli {

/// Throws ConfigError with the nearest known value first.
void expect_known(std::string_view what, std::string_view value,
                  std::initializer_list<std::string_view> known);

/// The format that was asked for, or the one that the output's name ends with (`front.svg`), or the first
/// known. Throws ConfigError when it is not known.
[[nodiscard]] std::string choose_format(std::string_view what, const std::string& asked,
                                        const std::string& output, std::span<const std::string_view> known);

/// A duration longer than none. Throws ConfigError.
[[nodiscard]] Time parse_positive_duration(std::string_view option, const std::string& text);

/// The positional argument GRAPH.
void add_graph_argument(CLI::App& command, std::string& graph);
/// `--machine MACHINE`.
CLI::Option* add_machine_option(CLI::App& command, std::string& machine);
/// `--seed`, `--effort` and `--merging`.
void add_scheduler_options(CLI::App& command, schedulers::Options& options);

/// Writes a result to a file, or to stdout when none is named.
void print_or_write(const std::string& text, const std::string& file);

/// What GRAPH and MACHINE may be, for footers.
[[nodiscard]] std::string graph_help();
[[nodiscard]] std::string machine_help();

}  // namespace takt::cli
