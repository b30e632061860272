#pragma once
/// Gives all ranks the measurements and plans of earlier runs (planning/run_cache.hpp).

#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "pipeline/config/pipeline.hpp"
#include "pipeline/planning/run_cache.hpp"

namespace takt::pipeline {

/// Words of the command line that decide which kept values a run may use.
struct CacheSettings {
  /// For costs and links: the words that change the pipeline or its ranks.
  std::vector<std::string> of_measurements;
  /// For plans: these words and those that decide a plan.
  std::vector<std::string> of_plan;
};

/// Access to the cache through rank 0. All functions but `files` are collective over MPI_COMM_WORLD.
class KeptValues {
 public:
  /// Without settings nothing is found or kept; a fresh run finds nothing.
  KeptValues(const Pipeline& pipeline, const std::optional<CacheSettings>& settings, bool is_fresh, int rank);

  /// Returns a kept value on all ranks, as parsed by `read`; nothing if `read` throws ConfigError.
  template <class Read>
  [[nodiscard]] auto find(Kept kind, Read read)
      -> std::optional<std::invoke_result_t<Read, const std::string&>> try {
    const std::optional<std::string> text = find_text(kind);
    if (!text) return std::nullopt;
    return read(*text);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
  /// Keeps the text of rank 0.
  void keep(Kept kind, const std::string& text);

  /// Returns the files of values found or kept, which are wrong if the run deviates from its plan.
  [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
  /// Returns these files and the file of the plan.
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
  /// Empty if nothing is kept.
  std::string measurement_key_, plan_key_;
  std::vector<std::string> files_;
};

}  // namespace takt::pipeline
