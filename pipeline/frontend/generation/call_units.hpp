#pragma once
/// A program as a pipeline: which calls make a task, and which frames they exchange.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// The section that a call writes into the frame of its unit, row after row.
struct UnitResult {
  CallId call;
  std::uint32_t argument = 0;
  std::uint64_t offset = 0;
};

/// Calls that run one after another on the same frame: one call, all calls that read stdin, or all that
/// print.
struct CallUnit {
  /// `Update-5`, `input` or `output`.
  std::string name;
  std::vector<CallId> calls;
  /// Other units whose frames it reads.
  std::vector<std::size_t> inputs;
  /// Results that other calls read; all of them if there are none.
  std::vector<UnitResult> results;
  /// Of the frame, at least 1.
  std::uint64_t bytes = 1;
  /// Whether another unit reads its frame.
  bool is_read = false;
};

struct CallUnits {
  /// In an order in which each reads the frames of earlier ones only.
  std::vector<CallUnit> units;
  /// By call.
  std::vector<std::size_t> unit_of;
  /// The calls that read stdin: the source. The calls that print: a sink.
  std::optional<std::size_t> input, output;
};

/// Places in frames are multiples of this.
inline constexpr std::uint64_t frame_alignment = 64;

/// Returns the place behind `bytes` bytes at which another section may begin.
[[nodiscard]] constexpr std::uint64_t next_place(std::uint64_t bytes) {
  return (bytes + frame_alignment - 1) / frame_alignment * frame_alignment;
}

/// Divides the calls of a program. takt also runs calls in trial runs, and reads inputs ahead of the results
/// that are printed. Throws ProgramError for calls whose use of the environment does not allow that: calls
/// that keep a hidden state, that read stdin and print, that read stdin and need results of other calls, or
/// that print and make results for other calls. O(flows * arguments).
[[nodiscard]] CallUnits call_units(const Program& program);

}  // namespace takt::frontend
