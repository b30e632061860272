#include "pipeline/planning/run_cache.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/file_digest.hpp"
#include "core/system/host_name.hpp"
#include "core/system/processor_limit.hpp"
#include "core/system/text_file.hpp"
#include "core/text/one_line.hpp"
#include "pipeline/costs/profile_file.hpp"

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// First line of the files; another one invalidates entries of other versions.
constexpr std::string_view first_line = "takt run cache 1";

/// FNV-1a digest of texts, each with its terminator.
class Digest {
 public:
  void add(std::string_view text) {
    for (const char letter : text) add_byte(static_cast<unsigned char>(letter));
    add_byte(0);
  }
  void add_host() {
    add(host_name());
    add(processor_name());
    for (const std::size_t processor : allowed_processors()) add(fmt::format("{}", processor));
    add(fmt::format("{}", processor_limit().value_or(0)));
  }
  void add_file(const fs::path& file) {
    add(file.string());
    add(fmt::format("{:016x}", file_digest(file).value_or(0)));
  }
  /// Uses size and date, because a program is large.
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
  if (const fs::path cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "takt" / "runs";
  if (const fs::path home = variable("HOME"); home.is_absolute()) return home / ".cache" / "takt" / "runs";
  return {};
}

std::optional<Time> age_of(const fs::path& file) {
  std::error_code error;
  const fs::file_time_type written = fs::last_write_time(file, error);
  if (error) return std::nullopt;
  return std::chrono::duration_cast<Time>(fs::file_time_type::clock::now() - written);
}

/// Returns nothing if the file is too old, unreadable or of another version.
std::optional<RunCache::Entry> read_entry(const fs::path& file) try {
  const std::optional<Time> age = age_of(file);
  const std::string extension = file.extension().string();
  const auto kind =
      std::ranges::find(kept_names, std::string_view(extension).substr(extension.empty() ? 0 : 1));
  if (!age || *age > RunCache::longest_age || kind == kept_names.end()) return std::nullopt;
  const std::string text = read_text_file(file);
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (second == std::string::npos || std::string_view(text).substr(0, first) != first_line)
    return std::nullopt;
  return RunCache::Entry{.kind = static_cast<Kept>(kind - kept_names.begin()),
                         .key = file.stem().string(),
                         .pipeline = text.substr(first + 1, second - first - 1),
                         .text = text.substr(second + 1),
                         .age = *age};
} catch (const ConfigError&) {
  return std::nullopt;
}

}  // namespace

std::string cache_key(const Pipeline& pipeline, const std::vector<std::string>& settings) {
  Digest digest;
  digest.add_host();
  digest.add_program("/proc/self/exe");
  digest.add_file(pipeline.file);
  for (const fs::path& plugin : pipeline.plugins) digest.add_file(plugin);
  for (const std::string& file : files_of_kernels(pipeline)) digest.add_file(file);
  for (const std::string& word : settings) digest.add(word);
  return digest.text();
}

std::string cache_key(const std::vector<std::string>& texts) {
  Digest digest;
  digest.add_host();
  for (const std::string& text : texts) digest.add(text);
  return digest.text();
}

RunCache::RunCache() : folder_(usual_folder()) {}

std::string RunCache::file_name(Kept kind, const std::string& key) {
  return fmt::format("{}.{}", key, kept_names[static_cast<std::size_t>(kind)]);
}

std::optional<std::string> RunCache::find(Kept kind, const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  std::optional<Entry> entry = read_entry(folder_ / file_name(kind, key));
  if (!entry) return std::nullopt;
  return std::move(entry->text);
}

void RunCache::keep(Kept kind, const std::string& key, const std::string& pipeline,
                    const std::string& text) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  try {
    write_text_file(folder_ / file_name(kind, key),
                    fmt::format("{}\n{}\n{}", first_line, one_line(pipeline), text));
  } catch (const WorkError&) {
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error))
    if (const std::optional<Time> age = age_of(entry.path()); age && *age > longest_age)
      fs::remove(entry.path(), error);
}

void RunCache::remove(const std::string& file) const {
  if (folder_.empty()) return;
  std::error_code error;
  fs::remove(folder_ / file, error);
}

std::vector<RunCache::Entry> RunCache::entries() const {
  std::vector<Entry> entries;
  std::error_code error;
  for (const fs::directory_entry& file : fs::directory_iterator(folder_, error))
    if (std::optional<Entry> entry = read_entry(file.path())) entries.push_back(*std::move(entry));
  std::ranges::sort(entries, {}, &Entry::age);
  return entries;
}

}  // namespace takt::pipeline
