#include "sensors/lofar/file_source.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

void refuse_other_format(const LofarFormat& found, const LofarFileOptions& options) {
  const LofarFormat& wanted = options.format;
  if (found.clock_hz != wanted.clock_hz || found.bits != wanted.bits || found.beamlets != wanted.beamlets)
    throw ConfigError(
        fmt::format("{}: the recording has {} beamlets of {} bits with a clock of {} MHz, the source is "
                    "configured for {} beamlets "
                    "of {} bits with {} MHz",
                    options.files.front().string(), found.beamlets, found.bits, found.clock_hz / 1'000'000,
                    wanted.beamlets, wanted.bits, wanted.clock_hz / 1'000'000));
  if (wanted.station && *found.station != *wanted.station)
    throw ConfigError(
        fmt::format("{}: the recording is of station {}, the source is configured for station {}",
                    options.files.front().string(), *found.station, *wanted.station));
}

PacketFileOptions replay_of(const LofarFileOptions& options) {
  PacketFileOptions replay{.speed = options.speed};
  replay.recording = options.files.front().filename().string();
  for (const std::filesystem::path& file : options.files) replay.lanes.push_back(file.filename().string());
  return replay;
}

}  // namespace

void validate(const LofarFileOptions& options) {
  if (options.files.size() != options.format.lanes)
    throw OptionError("files", fmt::format("{} recorded files are given for {} lanes, expected one a lane",
                                           options.files.size(), options.format.lanes));
  validate(options.format);
  validate(options.assembly);
  validate(replay_of(options));
}

LofarFileSource::LofarFileSource(const LofarFileOptions& options)
    : PacketFileSource((validate(options), replay_of(options)),
                       lofar_packets(options.format, options.assembly, options.source), [options] {
                         auto recording = std::make_unique<LofarRecording>(options.files);
                         refuse_other_format(recording->format(), options);
                         return recording;
                       }) {}

}  // namespace takt::sensors
