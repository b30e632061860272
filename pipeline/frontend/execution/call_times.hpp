#pragma once
/// Measures the calls of a program.

#include <cstddef>
#include <vector>

#include "core/units.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

struct CallTimesOptions {
  /// Most runs of the program, and the time after which no further one starts.
  std::size_t runs = 11;
  Time budget{std::chrono::seconds{3}};
};

/// Compiles the program with a clock around each call and runs it. Returns the times of the shortest run,
/// which other processes disturbed least, without the clock's own, at least 1 ns each. (The shortest of each
/// call's times would sum to less than any run takes.) The memory that calls write is in place before. What
/// the program prints is discarded. Throws WorkError if it cannot be compiled or fails.
[[nodiscard]] std::vector<Time> measure_calls(const ReadProgram& program,
                                              const CallTimesOptions& options = {});

}  // namespace takt::frontend
