#pragma once
/// Pages about schedule files and machines.

#include <span>
#include <string>

#include "core/pictures/page.hpp"
#include "logp/schedule_file.hpp"

namespace takt::logp {

struct NamedScheduleFile {
  std::string name;
  ScheduleFile file;
};

/// One schedule with its Gantt chart, task graph, interaction graph, network and occupancy; or several, one
/// above the other.
[[nodiscard]] Page schedule_page(std::span<const NamedScheduleFile> files);

/// A machine's network, or where it has none its nodes, each connected with each.
[[nodiscard]] Network picture_of(const Machine& machine);
/// A machine: its network where it has one, otherwise its nodes, each connected with each (up to 64).
[[nodiscard]] Page machine_page(const std::string& name, const Machine& machine);

}  // namespace takt::logp
