#pragma once
/// What earlier runs measured and planned (planning/run_cache.hpp), for all ranks of this one.

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_cache.hpp"

namespace takt::pipeline {

/// The words of the command line on which kept values depend.
struct CacheSettings {
  /// Costs and links: what changes the pipeline or its ranks.
  std::vector<std::string> of_measurements;
  /// Plans: these and what decides a plan.
  std::vector<std::string> of_plan;
};

/// Rank 0 reads and writes the cache. All functions but `files` are collective over MPI_COMM_WORLD.
class KeptValues {
 public:
  /// Without settings nothing is found or kept; a fresh run finds nothing.
  KeptValues(const Pipeline& pipeline, const std::optional<CacheSettings>& settings, bool is_fresh, int rank);

  /// On all ranks, by `read`, which may throw ConfigError: the value is then absent.
  template <class Read>
  [[nodiscard]] auto find(Kept kind, Read read)
      -> std::optional<std::invoke_result_t<Read, const std::string&>> try {
    const std::optional<std::string> text = find_text(kind);
    if (!text) return std::nullopt;
    return read(*text);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
  /// The text of rank 0.
  void keep(Kept kind, const std::string& text);

  /// The files of what was found or kept: wrong ones where the run deviates from its plan.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// The files once the plan is kept, too.
  [[nodiscard]] std::vector<std::string> files_with_plan() const;

 private:
  [[nodiscard]] std::optional<std::string> find_text(Kept kind);
  void note(Kept kind);
  [[nodiscard]] std::string key_of(Kept kind) const {
    return kind == Kept::plan ? plan_key_ : measurement_key_;
  }

  std::string pipeline_;
  bool is_fresh_;
  int rank_;
  /// Empty where nothing is kept.
  std::string measurement_key_, plan_key_;
  std::vector<std::string> files_;
};

}  // namespace takt::pipeline
