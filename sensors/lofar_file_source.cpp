#include "sensors/lofar_file_source.hpp"

#include <atomic>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/lofar_assembler.hpp"
#include "sensors/lofar_recording.hpp"
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

/// Between them all moments of a recording fit 64 bits of nanoseconds.
constexpr double least_speed = 1e-3, most_speed = 1e6;

}  // namespace

void validate(const LofarFileOptions& options) {
  if (options.files.size() != options.format.lanes)
    throw OptionError("files", fmt::format("{} recorded files are given for {} lanes, expected one a lane",
                                           options.files.size(), options.format.lanes));
  validate(options.format);
  validate(options.assembly);
  if (options.speed != 0 && !(options.speed >= least_speed && options.speed <= most_speed))
    throw OptionError(
        "speed",
        fmt::format(
            "a speed of {} cannot be, expected a multiple of real time from {} to {}, or 0 for as fast "
            "as possible",
            options.speed, least_speed, most_speed));
}

class LofarFileSource::Impl {
 public:
  explicit Impl(LofarFileOptions options)
      : options_(std::move(options)), type_((validate(options_), lofar_frame_type(options_.format))) {}

  /// For the frames begun before and after one packet, and those that it completes: see `poll`.
  [[nodiscard]] std::size_t least_pool() const {
    return 3 * LofarAssembler::open_frames(options_.format, options_.assembly);
  }

  void start() {
    recording_.emplace(options_.files);
    refuse_other_format(recording_->format(), options_);
    if (pool_.size() > 0)
      queue_.emplace(pool_.size(), FrameMemory(pool_, type_.size()));
    else
      queue_.emplace(least_pool(), type_.size());
    assembler_.emplace(options_.format, options_.assembly, options_.source, *queue_);
    started_.store(true, std::memory_order_release);
  }

  SourceState poll(FrameView& frame) {
    while (!queue_->front() && !ended_) read_packet();
    FrameSlot* slot = queue_->front();
    if (!slot) return SourceState::ended;
    if (options_.speed > 0 && !due(*slot)) return SourceState::waiting;
    queue_->take();
    frame = {&slot->header, slot->bytes};
    return SourceState::frame;
  }

  void read_packet() {
    if (const std::optional<LanePacket> packet = recording_->next())
      assembler_->take(packet->lane, packet->bytes, now_ns());
    else
      stop();
  }

  void stop() {
    if (!ended_ && assembler_) assembler_->finish(now_ns());
    ended_ = true;
  }

  SourceCounters counters() const {
    return started_.load(std::memory_order_acquire) ? assembler_->counts().report(options_.format.lanes)
                                                    : SourceCounters{};
  }

  std::vector<std::string> warnings() const {
    if (!started_.load(std::memory_order_acquire)) return {};
    std::vector<std::string> names;
    for (const std::filesystem::path& file : options_.files) names.push_back(file.filename().string());
    return assembler_->counts().warnings(names);
  }

  /// Whether the moment has come at which the frame would have arrived live; from then on its latency counts.
  bool due(FrameSlot& slot) {
    if (!first_utc_) {
      first_utc_ = slot.header.utc_ns;
      first_shown_ns_ = now_ns();
    }
    const auto after = static_cast<double>(slot.header.utc_ns - *first_utc_);
    const std::int64_t moment = first_shown_ns_ + std::llround(after / options_.speed);
    slot.header.ingested_ns = moment;
    next_ns_ = moment;
    return now_ns() >= moment;
  }

  const LofarFileOptions options_;
  const FrameType type_;
  /// From `start` on.
  std::optional<FrameQueue> queue_;
  std::optional<LofarAssembler> assembler_;
  std::optional<LofarRecording> recording_;
  /// The assembler's counts may be asked for by other threads.
  std::atomic<bool> started_{false};
  bool ended_ = false;
  std::optional<std::int64_t> first_utc_;
  std::int64_t first_shown_ns_ = 0;
  /// When the frame that was looked at last comes.
  std::optional<std::int64_t> next_ns_;
  FramePool pool_;
};

LofarFileSource::LofarFileSource(LofarFileOptions options)
    : impl_(std::make_unique<Impl>(std::move(options))) {}
LofarFileSource::~LofarFileSource() = default;

const FrameType& LofarFileSource::type() const {
  return impl_->type_;
}
void LofarFileSource::start() {
  impl_->start();
}
SourceState LofarFileSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
std::size_t LofarFileSource::least_pool() const {
  return impl_->least_pool();
}
void LofarFileSource::use_pool(const FramePool& pool) {
  impl_->pool_ = pool;
}
std::optional<std::int64_t> LofarFileSource::next_frame_ns() const {
  return impl_->next_ns_;
}
void LofarFileSource::release() {
  impl_->queue_->pop();
}
void LofarFileSource::stop() {
  impl_->stop();
}
SourceCounters LofarFileSource::counters() const {
  return impl_->counters();
}
std::vector<std::string> LofarFileSource::warnings() const {
  return impl_->warnings();
}

}  // namespace takt::sensors
