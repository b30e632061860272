#pragma once
/// Statements that give the memory of sections its place before times are measured.
///
/// The first write to a page takes about a microsecond on a virtual machine, more than the work on its data,
/// and depends on what ran before.

#include <cstddef>
#include <set>
#include <string>

#include "pipeline/frontend/communication/insertion.hpp"
#include "pipeline/frontend/reading/program.hpp"

namespace takt::frontend {

/// The definition of `takt_touch`, which the statements call.
[[nodiscard]] std::string first_touch_helper();

/// Returns the sections that calls of the program write.
[[nodiscard]] std::set<Section> written_sections(const Program& program);

/// Returns the sections that calls of one rank write, and those that it receives.
[[nodiscard]] std::set<Section> written_sections(const Program& program, const ParallelProgram& parallel,
                                                 std::size_t rank);

/// Returns one statement for each contiguous range of bytes around the sections, indented by `indent`.
[[nodiscard]] std::string first_touch(const Program& program, const std::set<Section>& sections,
                                      const std::string& indent);

}  // namespace takt::frontend
