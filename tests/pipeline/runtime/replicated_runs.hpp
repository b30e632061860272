#pragma once
/// Runs of pipelines whose schedule contains several frames: their costs, reports and outputs.

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/support/program.hpp"

namespace takt::test {

/// Elements of 32 bits per frame.
constexpr std::size_t elements = 64;

inline std::vector<std::int32_t> first_of_each_frame(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  std::vector<std::int32_t> values;
  for (std::size_t at = 0; at + 4 <= bytes.size(); at += elements * 4) {
    std::int32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    values.push_back(value);
  }
  return values;
}

/// Returns costs like those of `takt profile` on a quiet machine: a busy one must not change the schedule.
inline std::string costs_file(const TemporaryFolder& folder) {
  std::string text = "costs:\n";
  for (const auto& [task, microseconds] : {std::pair{"counter", 1},
                                           {"first", 150},
                                           {"second", 200},
                                           {"file", 2},
                                           {"left", 200},
                                           {"right", 100},
                                           {"both", 1},
                                           {"sevens", 1},
                                           {"after", 150},
                                           {"sums", 2},
                                           {"plain", 2},
                                           {"other", 2}})
    text += fmt::format("  {0}: {{cost: {1} us, low: {1} us, high: {1} us, runs: 1}}\n", task, microseconds);
  return folder.file("costs.yaml", text);
}

/// Returns `takt run` with these costs and a report.
inline std::vector<std::string> planned_run(const TemporaryFolder& folder, const std::string& pipeline,
                                            const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments{"run",         pipeline,   "--profile",           costs_file(folder),
                                     "--overwrite", "--report", folder / "report.json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

inline nlohmann::json report_of(const TemporaryFolder& folder) {
  return nlohmann::json::parse(read_file(folder / "report.json"));
}

}  // namespace takt::test
