#include "sensors/lofar/file_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/lofar/builder.hpp"
#include "sensors/lofar/recording.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_sequence.hpp"

namespace takt::sensors {

namespace {

void refuse_other_format(const LofarFormat& found, const LofarFileOptions& options,
                         const std::filesystem::path& file) {
  const LofarFormat& wanted = options.format;
  if (found.clock_hz != wanted.clock_hz || found.bits != wanted.bits || found.beamlets != wanted.beamlets)
    throw ConfigError(
        fmt::format("{}: the recording has {} beamlets of {} bits with a clock of {} MHz, the source is "
                    "configured for {} beamlets "
                    "of {} bits with {} MHz",
                    file.string(), found.beamlets, found.bits, found.clock_hz / 1'000'000, wanted.beamlets,
                    wanted.bits, wanted.clock_hz / 1'000'000));
  if (wanted.station && *found.station != *wanted.station)
    throw ConfigError(
        fmt::format("{}: the recording is of station {}, the source is configured for station {}",
                    file.string(), *found.station, *wanted.station));
}

PacketFileOptions replay_of(const LofarFileOptions& options) {
  PacketFileOptions replay{.speed = options.speed};
  std::vector<std::filesystem::path> all;
  for (const auto& files : options.lanes) {
    replay.lanes.push_back(files.empty() ? "" : files.front().filename().string());
    all.insert(all.end(), files.begin(), files.end());
  }
  if (!all.empty()) replay.recording = name_of_files(all);
  return replay;
}

}  // namespace

void validate(const LofarFileOptions& options) {
  if (options.lanes.size() != options.format.lanes)
    throw OptionError("files", fmt::format("{} recorded files are given for {} lanes: expected one per lane",
                                           options.lanes.size(), options.format.lanes));
  for (const auto& files : options.lanes)
    if (files.empty() || files.size() != options.lanes.front().size())
      throw OptionError(
          "files", fmt::format("lane {} has {} files and lane 0 has {}: expected equal numbers",
                               &files - options.lanes.data(), files.size(), options.lanes.front().size()));
  validate(options.format);
  validate(options.assembly);
  validate(replay_of(options));
}

LofarFileSource::LofarFileSource(const LofarFileOptions& options)
    : PacketFileSource((validate(options), replay_of(options)),
                       lofar_packets(options.format, options.assembly, options.source), [options] {
                         return open_packets(options.lanes.front(), [&](const std::filesystem::path& file) {
                           // The files of the same number in all lanes.
                           const auto number =
                               std::ranges::find(options.lanes.front(), file) - options.lanes.front().begin();
                           std::vector<std::filesystem::path> files;
                           for (const auto& lane : options.lanes)
                             files.push_back(lane[static_cast<std::size_t>(number)]);
                           auto recording = std::make_unique<LofarRecording>(files);
                           refuse_other_format(recording->format(), options, file);
                           return recording;
                         });
                       }) {}

}  // namespace takt::sensors
