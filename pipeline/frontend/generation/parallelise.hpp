#pragma once
/// From a program to a plan for ranks, and from the plan to a program that runs.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "logp/machine.hpp"
#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/generation/mpi_program.hpp"
#include "pipeline/frontend/weights/program_graph.hpp"

namespace takt::frontend {

struct ParallelOptions {
  std::size_t ranks = 1;
  /// MACHINE; empty: usual costs of messages in the memory of one computer.
  std::string machine = {};
  /// A scheduler of the registry, or `auto`.
  std::string scheduler = "auto";
  /// Limit for each scheduler that `auto` tries, in seconds.
  double time_limit = 10;
  InsertionOptions insertion = {};
};

/// A program planned for ranks.
struct ParallelPlan {
  std::string scheduler;
  ParallelProgram parallel;
  /// Predicted times of the whole program on these ranks, and of all calls on one.
  Time predicted{0};
  Time sequential{0};
  /// Bytes of all transfers.
  std::uint64_t bytes = 0;
  /// What limits the speed-up, and what would help, if little is gained; otherwise empty.
  std::string advice;
};

/// Plans a program for the least makespan. The prediction is that of the final orders of the calls, which may
/// differ from the schedule's (assignment_of). Throws ConfigError for a machine with another number of
/// processors.
[[nodiscard]] ParallelPlan plan_parallel(const WeightedProgram& program, const ParallelOptions& options);

/// Returns three lines: calls, messages, prediction; and the advice.
[[nodiscard]] std::string plan_text(const WeightedProgram& program, const ParallelPlan& plan);

/// Writes the files into a folder, which is made. Throws ConfigError if one of them exists and `overwrites`
/// is not set.
void write_files(const std::vector<GeneratedFile>& files, const std::filesystem::path& folder,
                 bool overwrites);

/// Compiles the written program with its Makefile. Throws WorkError with the compiler's messages.
void build_program(const std::filesystem::path& folder);

/// Runs the built program on its ranks; returns its exit code.
[[nodiscard]] int run_program(const std::filesystem::path& folder, const std::string& name, std::size_t ranks,
                              const std::vector<std::string>& arguments = {});

/// Compiles the program with a clock around each call, runs it `runs` times, and returns the shortest time of
/// each call, at least 1 ns. What it prints is discarded. Throws WorkError if it cannot be compiled or fails.
[[nodiscard]] std::vector<Time> measure_calls(const ReadProgram& program, std::size_t runs);

}  // namespace takt::frontend
