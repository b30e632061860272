#pragma once
/// Pages about schedule files.

#include <span>
#include <string>

#include "core/pictures/page.hpp"
#include "logp/schedule_file.hpp"

namespace takt::pipeline {

struct NamedScheduleFile {
  std::string name;
  logp::ScheduleFile file;
};

/// Returns the page of one schedule with its Gantt chart, task graph, interaction graph, network and
/// occupancy; or of several, one above the other.
[[nodiscard]] Page schedule_page(std::span<const NamedScheduleFile> files);

}  // namespace takt::pipeline
