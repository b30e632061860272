#pragma once
/// The calls of a program as C functions that read and write the frames of a pipeline.

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/frontend/generation/call_units.hpp"
#include "pipeline/frontend/reading/read_program.hpp"

namespace takt::frontend {

/// Joins the frames that the printing calls read, because a sink has one input.
struct GatheredFrames {
  /// Place of the frame of each input of the output unit.
  std::vector<std::uint64_t> places;
  std::uint64_t bytes = 0;
};

/// The task of these frames, and its call.
inline constexpr const char* gathering_name = "results";

/// Returns the frames that a task has to join; none if the printing calls read one frame or nothing.
[[nodiscard]] GatheredFrames gathered_frames(const CallUnits& units);

/// Returns the functions, and the table `takt_calls` (takt/program.h).
///
/// A section that is one result of one call is read where it lies in that call's frame, and written to its
/// place in the call's own frame. All others (parts, tiles, sections of several calls) pass through scratch
/// memory. Before a call, a section that it writes is zero, or has the initial values of its array: as in the
/// first run of the sequential program, whatever the frame's memory held.
[[nodiscard]] std::string calls_text(const ReadProgram& program, const CallUnits& units);

}  // namespace takt::frontend
