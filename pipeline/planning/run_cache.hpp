#pragma once
/// Costs, links and plans of earlier runs, so that a second start measures nothing.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"
#include "pipeline/config/pipeline.hpp"

namespace takt::pipeline {

enum class Kept : std::uint8_t { plan, costs, links };
/// In this order; also the extensions of their files.
inline constexpr std::array<std::string_view, 3> kept_names{"plan", "costs", "links"};

/// Names what a kept value depends on: this host (name, processors that this process may use), the program,
/// plug-ins and files of kernels by their digests, the pipeline's file by its bytes, and `settings`, the
/// words of the command line that change it. 16 hexadecimal digits. Reads all of these files.
[[nodiscard]] std::string cache_key(const Pipeline& pipeline, const std::vector<std::string>& settings);

/// A folder with one file for each value. Entries that are older than `longest_age`, unreadable, or of
/// another version are absent. No failure to read or write is an error: a run measures anew then.
class RunCache {
 public:
  /// `takt/runs` in XDG_CACHE_HOME, or in `.cache` of HOME; a cache that keeps nothing where neither is set.
  RunCache();
  explicit RunCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Entry {
    Kept kind = Kept::plan;
    std::string key;
    std::string pipeline;
    std::string text;
    /// Since it was kept.
    Time age{0};
  };
  static constexpr Time longest_age{std::chrono::hours{24 * 30}};

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// The text that was kept.
  [[nodiscard]] std::optional<std::string> find(Kept kind, const std::string& key) const;
  /// Replaces an entry of the same kind and key, and removes those that are too old. `pipeline` is its name.
  void keep(Kept kind, const std::string& key, const std::string& pipeline, const std::string& text) const;
  /// By the name of its file.
  void remove(const std::string& file) const;
  /// The newest first.
  [[nodiscard]] std::vector<Entry> entries() const;

  [[nodiscard]] static std::string file_name(Kept kind, const std::string& key);

 private:
  std::filesystem::path folder_;
};

}  // namespace takt::pipeline
