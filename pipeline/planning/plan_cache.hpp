#pragma once
/// Plans of earlier runs, kept with the costs and links that they were made from, so that a second start
/// measures nothing.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_plan.hpp"

namespace takt::pipeline {

/// Names what a plan depends on: this host (name, processors that this process may use), the program,
/// plug-ins and files of kernels by their digests, the pipeline's file by its bytes, and `settings`, the
/// words of the command line that change it. 16 hexadecimal digits. Reads all of these files.
[[nodiscard]] std::string cache_key(const Pipeline& pipeline, const std::vector<std::string>& settings);

/// A folder with one file for each plan. Entries that are older than `longest_age`, unreadable, or of another
/// version are absent. No failure to read or write is an error: a run plans anew then.
class PlanCache {
 public:
  /// `takt/plans` in XDG_CACHE_HOME, or in `.cache` of HOME; a cache that keeps nothing where neither is set.
  PlanCache();
  explicit PlanCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Entry {
    std::string key;
    SharedPlan plan;
    /// Since it was kept.
    Time age{0};
  };
  static constexpr Time longest_age{std::chrono::hours{24 * 30}};

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] std::optional<SharedPlan> find(const std::string& key) const;
  /// Replaces an entry of the same key, and removes those that are too old.
  void keep(const std::string& key, const SharedPlan& plan) const;
  void remove(const std::string& key) const;
  /// The newest first.
  [[nodiscard]] std::vector<Entry> entries() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const std::string& key) const;

  std::filesystem::path folder_;
};

}  // namespace takt::pipeline
