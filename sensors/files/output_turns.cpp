#include "sensors/files/output_turns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"

namespace takt::sensors {

namespace {

/// Largest number appended to a name: more files of one name indicate an error.
constexpr std::uint64_t most_files = 1'000'000;

}  // namespace

void validate(const OutputOptions& options) {
  if (options.path.empty()) throw ConfigError("the output has no name: expected that of a file");
  (void)name_at(options.path.string(), 0);
}

bool OutputTurns::is_time(const FrameHeader& frame, std::uint64_t size, std::uint64_t bytes) const {
  if (frame.epoch != epoch_) return true;
  if (frame.sequence > next_ && !is_gap(frame.sequence - next_, bytes)) return true;
  if (rotate_size_.count > 0 && size + bytes > rotate_size_.count) return true;
  return interval_of(frame) != interval_;
}

void OutputTurns::begin(const FrameHeader& frame) {
  epoch_ = frame.epoch;
  interval_ = interval_of(frame);
  note(frame);
}

bool OutputTurns::is_gap(std::uint64_t frames, std::uint64_t bytes) {
  constexpr std::uint64_t most_frames = 1 << 22, most_bytes = std::uint64_t{16} << 30;
  return frames <= most_frames && frames <= most_bytes / std::max<std::uint64_t>(bytes, 1);
}

std::int64_t OutputTurns::interval_of(const FrameHeader& frame) const {
  const std::int64_t length = rotate_every_.count();
  if (length == 0) return 0;
  return frame.utc_ns / length - (frame.utc_ns % length < 0 ? 1 : 0);
}

void begin_numbered(const OutputOptions& options, std::int64_t utc_ns, std::uint64_t files,
                    const std::function<bool(const std::filesystem::path&)>& begin) {
  const std::string path = options.path.string();
  const std::filesystem::path name = name_at(path, utc_ns);
  std::uint64_t number = is_pattern(path) ? 1 : files + 1;
  while (!begin(numbered(name, number)))
    if (++number > most_files)
      throw WorkError(fmt::format("{}: {} files of this name exist already", name.string(), most_files));
}

}  // namespace takt::sensors
