#include "pipeline/planning/plan_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "core/allowed_processors.hpp"
#include "core/error.hpp"
#include "core/file_digest.hpp"
#include "core/host_name.hpp"
#include "core/text_file.hpp"
#include "pipeline/profiling/profile_file.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// Of the file's text; another one makes entries of other versions absent.
constexpr std::string_view first_line = "takt plan cache 1";

/// FNV-1a of texts, each with its end.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0);
  }
  void add_file(const fs::path& file) {
    add(file.string());
    add(fmt::format("{:016x}", file_digest(file).value_or(0)));
  }
  /// By size and date: a program is large.
  void add_program(const fs::path& file) {
    std::error_code error;
    add(fs::canonical(file, error).string());
    add(fmt::format("{} {}", fs::file_size(file, error),
                    fs::last_write_time(fs::canonical(file, error), error).time_since_epoch().count()));
  }
  [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  void add_byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }

  std::uint64_t value_ = 0xcbf29ce484222325;
};

fs::path usual_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return fs::path(value == nullptr ? "" : value);
  };
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "takt" / "plans";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "takt" / "plans";
  return {};
}

std::optional<Time> age_of(const fs::path& file) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(file, error);
  if (error) return std::nullopt;
  return std::chrono::duration_cast<Time>(fs::file_time_type::clock::now() - written);
}

std::optional<SharedPlan> read_plan(const fs::path& file) try {
  const std::string text = read_text_file(file);
  const std::size_t end = text.find('\n');
  if (end == std::string::npos || std::string_view(text).substr(0, end) != first_line) return std::nullopt;
  return shared_plan_from_text(std::string_view(text).substr(end + 1));
} catch (const ConfigError&) {
  return std::nullopt;
} catch (const WorkError&) {
  return std::nullopt;
}

}  // namespace

std::string cache_key(const Pipeline& pipeline, const std::vector<std::string>& settings) {
  Digest digest;
  digest.add(host_name());
  digest.add(processor_name());
  for (const std::size_t processor : allowed_processors()) digest.add(fmt::format("{}", processor));
  digest.add_program("/proc/self/exe");
  digest.add_file(pipeline.file);
  for (const fs::path& plugin : pipeline.plugins) digest.add_file(plugin);
  for (const std::string& file : files_of_kernels(pipeline)) digest.add_file(file);
  for (const std::string& word : settings) digest.add(word);
  return digest.text();
}

PlanCache::PlanCache() : folder_(usual_folder()) {}

fs::path PlanCache::file_of(const std::string& key) const {
  return folder_ / (key + ".plan");
}

std::optional<SharedPlan> PlanCache::find(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<Time> age = age_of(file_of(key));
  if (!age || *age > longest_age) return std::nullopt;
  return read_plan(file_of(key));
}

void PlanCache::keep(const std::string& key, const SharedPlan& plan) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  const fs::path file = file_of(key), draft = fs::path(file).concat(fmt::format(".{}", ::getpid()));
  try {
    write_text_file(draft, fmt::format("{}\n{}\n", first_line, to_text(plan)));
  } catch (const WorkError&) {
    return;
  } catch (const ConfigError&) {
    return;
  }
  fs::rename(draft, file, error);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
    if (const std::optional<Time> age = age_of(entry.path()); age && *age > longest_age)
      fs::remove(entry.path(), error);
}

void PlanCache::remove(const std::string& key) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::remove(file_of(key), error);
}

std::vector<PlanCache::Entry> PlanCache::entries() const {
  std::vector<Entry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error)) {
    const std::optional<Time> age = age_of(file.path());
    if (file.path().extension() != ".plan" || !age || *age > longest_age) continue;
    if (std::optional<SharedPlan> plan = read_plan(file.path()))
      entries.push_back({file.path().stem().string(), *std::move(plan), *age});
  }
  std::ranges::sort(entries, {}, &Entry::age);
  return entries;
}

}  // namespace takt::pipeline
