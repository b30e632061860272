#pragma once
/// Caches costs, links and plans of earlier runs, so that a second start measures nothing.

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

/// Of pipelines; the calls and the messages of C programs.
enum class Kept : std::uint8_t { plan, costs, links, calls, messages };
/// Names in the order of Kept; also the extensions of the files.
inline constexpr std::array<std::string_view, 5> kept_names{"plan", "costs", "links", "calls", "messages"};

/// Returns a key for everything that a cached value depends on: this host (name, available processors, limit
/// of processor time); digests of the program, plug-ins and files of kernels; the bytes of the pipeline's
/// file; and `settings`, the command-line words that modify it. 16 hexadecimal digits. Reads all of these
/// files.
[[nodiscard]] std::string cache_key(const Pipeline& pipeline, const std::vector<std::string>& settings);

/// Returns a key for values that depend on this host and on `texts`.
[[nodiscard]] std::string cache_key(const std::vector<std::string>& texts);

/// A directory with one file for each value. Entries older than `longest_age`, unreadable ones, and those of
/// another version count as absent. Read and write failures are not errors: a run then measures anew.
class RunCache {
 public:
  /// Uses `takt/runs` in XDG_CACHE_HOME, or in `.cache` of HOME; if neither is set, the cache stays empty.
  RunCache();
  explicit RunCache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  struct Entry {
    Kept kind = Kept::plan;
    std::string key;
    std::string pipeline;
    std::string text;
    /// Time since it was stored.
    Time age{0};
  };
  static constexpr Time longest_age{std::chrono::hours{24 * 30}};

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Returns the stored text.
  [[nodiscard]] std::optional<std::string> find(Kept kind, const std::string& key) const;
  /// Replaces an entry of the same kind and key, and removes old ones. `pipeline` is its name.
  void keep(Kept kind, const std::string& key, const std::string& pipeline, const std::string& text) const;
  /// Removes an entry by its file name.
  void remove(const std::string& file) const;
  /// Returns all entries, newest first.
  [[nodiscard]] std::vector<Entry> entries() const;

  [[nodiscard]] static std::string file_name(Kept kind, const std::string& key);

 private:
  std::filesystem::path folder_;
};

}  // namespace takt::pipeline
