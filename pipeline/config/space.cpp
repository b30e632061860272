#include "pipeline/config/space.hpp"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace takt::pipeline {

namespace fs = std::filesystem;

namespace {

/// Returns the file that a sink writes; empty if it writes none, or to a pipe or a device.
fs::path file_of(const Pipeline& pipeline, const Stage& stage) {
  if (stage.kind != StageKind::sink) return {};
  for (const ParameterSpec& spec : pipeline.kernels.find_sink(stage.type)->parameters) {
    if (spec.type != ParameterType::output_file) continue;
    const fs::path path = stage.parameters.text(spec.name);
    std::error_code ignored;
    return !fs::exists(path, ignored) || fs::is_regular_file(path, ignored) ? path : fs::path();
  }
  return {};
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Space that the run needs on one file system.
struct Disk {
  double needed = 0;
  double free = 0;
  std::vector<std::string> stages;
  SourceLocation where;
};

/// The disks by device.
class Disks {
 public:
  /// Returns the disk of a directory, which this stage needs; null if there is none.
  Disk* of(const fs::path& folder, const Stage& stage, const SourceLocation& where) {
    struct stat found {};
    struct statvfs room {};
    if (::stat(folder.c_str(), &found) != 0 || ::statvfs(folder.c_str(), &room) != 0) return nullptr;
    Disk& disk = disks_[found.st_dev];
    if (disk.stages.empty()) {
      disk.free = static_cast<double>(room.f_bavail) * static_cast<double>(room.f_frsize);
      disk.where = where;
    }
    if (disk.stages.empty() || disk.stages.back() != stage.name) disk.stages.push_back(stage.name);
    return &disk;
  }
  [[nodiscard]] const std::map<dev_t, Disk>& all() const { return disks_; }

 private:
  std::map<dev_t, Disk> disks_;
};

/// Returns the directory for backlog frames that exceed memory; empty if none spill.
fs::path spill_folder(const Stage& stage) {
  if (!stage.backlog || stage.backlog->policy != sensors::BacklogPolicy::spill) return {};
  std::error_code ignored;
  return stage.backlog->folder.empty() ? fs::temp_directory_path(ignored) : stage.backlog->folder;
}

std::string bytes_text(double bytes) {
  constexpr double most = 9e18;
  return to_string(Bytes{static_cast<std::uint64_t>(std::clamp(bytes, 0.0, most))});
}

}  // namespace

std::optional<double> bytes_written(const Pipeline& pipeline, std::size_t sink, const StreamLimits& length) {
  const auto source = std::ranges::find(pipeline.stages, StageKind::source, &Stage::kind);
  if (source == pipeline.stages.end()) return std::nullopt;
  // The output of a transient buffer is unknown before the run.
  if (pipeline.stages.at(sink).transient) return std::nullopt;
  std::optional<double> frames;
  if (length.frames) frames = static_cast<double>(*length.frames);
  if (const std::optional<Frequency> rate = pipeline.source_rate(); rate && length.duration) {
    const double in_time = rate->hertz * std::chrono::duration<double>(*length.duration).count();
    frames = std::min(frames.value_or(in_time), in_time);
  }
  if (!frames) return std::nullopt;
  const FrameType& written = pipeline.stages.at(sink).output;
  const bool has_rates = written.rate_hz > 0 && source->output.rate_hz > 0;
  const double share = has_rates ? written.rate_hz / source->output.rate_hz : 1;
  return *frames * share * static_cast<double>(written.size().count);
}

void check_space(const Pipeline& pipeline, const StreamLimits& length, ErrorList& errors) {
  Disks disks;
  for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
    const Stage& stage = pipeline.stages[i];
    const fs::path file = file_of(pipeline, stage), spill = spill_folder(stage);
    if (const std::optional<double> needed = bytes_written(pipeline, i, length); !file.empty() && needed) {
      const bool has_path = stage.parameters.has("path");
      if (Disk* const disk =
              disks.of(folder_of(file), stage, has_path ? stage.parameters.where("path") : stage.where)) {
        std::error_code error;
        if (const auto replaced = fs::file_size(file, error); !error)
          disk->free += static_cast<double>(replaced);
        disk->needed += *needed;
      }
    }
    if (spill.empty()) continue;
    if (std::error_code ignored; !fs::is_directory(spill, ignored) || ::access(spill.c_str(), W_OK) != 0)
      errors.add(stage.where,
                 fmt::format("'{}': 'backlog': the 'folder' {} does not exist or is not writable", stage.name,
                             spill.string()));
    if (Disk* const disk = disks.of(spill, stage, stage.where))
      disk->needed += static_cast<double>(stage.backlog->spill.count);
  }
  for (const auto& [device, disk] : disks.all())
    if (disk.needed > disk.free)
      errors.add(disk.where,
                 fmt::format("{} to be written by '{}' exceed the {} that are free: expected a shorter run, "
                             "a smaller 'spill', or another disk",
                             bytes_text(disk.needed), fmt::join(disk.stages, "', '"), bytes_text(disk.free)));
}

}  // namespace takt::pipeline
