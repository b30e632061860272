#include "sensors/packets/packet_file_source.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_sequence.hpp"
#include "sensors/packets/replay_clock.hpp"

namespace takt::sensors {

namespace {

/// Within these limits all times of a recording fit 64 bits of nanoseconds.
constexpr double least_replay_speed = 1e-3, most_replay_speed = 1e6;

}  // namespace

void validate(const PacketFileOptions& options) {
  if (options.speed != 0 && !(options.speed >= least_replay_speed && options.speed <= most_replay_speed))
    throw OptionError(
        "speed",
        fmt::format(
            "a speed of {} is not valid: expected a multiple of real time from {} to {}, or 0 for as fast "
            "as possible",
            options.speed, least_replay_speed, most_replay_speed));
}

class PacketFileSource::Impl {
 public:
  Impl(PacketFileOptions options, PacketFormat format, Open open)
      : options_((validate(options), std::move(options))),
        format_(std::move(format)),
        open_(std::move(open)) {}

  /// For the frames begun before and after one packet, and those that it completes: see `poll`.
  [[nodiscard]] std::size_t least_pool() const { return 3 * format_.open_frames; }

  void start() {
    recording_ = open_();
    if (pool_.size() > 0)
      queue_.emplace(pool_.size(), FrameMemory(pool_, format_.type.size()));
    else
      queue_.emplace(least_pool(), format_.type.size());
    builder_ = format_.make_builder(*queue_);
    started_.store(true, std::memory_order_release);
    for (; skipped_ > 0 && next(); --skipped_) {
      queue_->take();
      queue_->pop();
    }
  }

  SourceState poll(FrameView& frame) {
    FrameSlot* const slot = next();
    if (!slot) return SourceState::ended;
    if (!clock_.is_due(slot->header)) return SourceState::waiting;
    queue_->take();
    frame = {&slot->header, slot->bytes};
    return SourceState::frame;
  }

  /// Returns null at the end.
  FrameSlot* next() {
    while (!queue_->front() && !ended_) read_packet();
    return queue_->front();
  }

  void read_packet() {
    const std::optional<LanePacket> packet = recording_->next();
    if (!packet) {
      stop();
      if (!any_good_) throw WorkError(no_packets_message(counters().details, warnings()));
      return;
    }
    if (packet->utc_ns) builder_->captured_at(*packet->utc_ns);
    const bool is_good = builder_->take(packet->lane, packet->bytes, now_ns());
    any_good_ |= is_good;
    if (!is_good) note_refusal(recording_->file());
    if (builder_->is_over()) stop();
  }

  void note_refusal(const std::filesystem::path& file) {
    if (file.empty() || (!files_of_refused_.empty() && files_of_refused_.back() == file)) return;
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(files_of_refused_, file) == files_of_refused_.end())
      files_of_refused_.push_back(file);
  }

  /// Reads up to the first valid packet, as a run does.
  void check() const {
    const std::unique_ptr<PacketStream> recording = open_();
    // Only frames under assembly are touched.
    constexpr std::size_t line = 64;
    const std::size_t stride = (format_.type.size().count + line) / line * line;
    std::size_t room = least_pool() * stride + line;
    const auto memory = std::make_unique_for_overwrite<std::byte[]>(room);
    void* begin = memory.get();
    std::align(line, least_pool() * stride, begin, room);
    const FramePool pool{{static_cast<std::byte*>(begin), least_pool() * stride}, stride};
    FrameQueue queue(pool.size(), FrameMemory(pool, format_.type.size()));
    const std::unique_ptr<FrameBuilder> builder = format_.make_builder(queue);
    while (const std::optional<LanePacket> packet = recording->next()) {
      if (packet->utc_ns) builder->captured_at(*packet->utc_ns);
      if (builder->take(packet->lane, packet->bytes, now_ns())) return;
      for (; queue.front(); queue.pop()) queue.take();
      if (builder->is_over()) break;
    }
    std::vector<Counter> counters = builder->counters().details;
    std::ranges::move(recording->counters(), std::back_inserter(counters));
    std::vector<std::string> warnings = builder->warnings(options_.lanes);
    std::ranges::move(recording->warnings(), std::back_inserter(warnings));
    throw ConfigError(no_packets_message(counters, warnings));
  }

  std::string no_packets_message(const std::vector<Counter>& counters,
                                 const std::vector<std::string>& warnings) const {
    const std::string refused = refusals(counters);
    std::string message = fmt::format("no good {} packet in {} ({})", format_.name, options_.recording,
                                      refused.empty() ? "it has no packets" : "refused: " + refused);
    for (const std::string& warning : warnings) message += "; " + warning;
    return message;
  }

  void stop() {
    if (!ended_ && builder_) builder_->finish(now_ns());
    ended_ = true;
  }

  SourceCounters counters() const {
    if (!started_.load(std::memory_order_acquire)) return {};
    SourceCounters all = builder_->counters();
    const std::vector<Counter> read = recording_->counters();
    all.details.insert(all.details.end(), read.begin(), read.end());
    return all;
  }

  std::vector<std::string> warnings() const {
    if (!started_.load(std::memory_order_acquire)) return {};
    std::vector<std::string> lines = builder_->warnings(options_.lanes);
    const std::vector<std::string> read = recording_->warnings();
    lines.insert(lines.end(), read.begin(), read.end());
    const std::lock_guard lock(mutex_);
    // The recording reports the packets that it refuses itself.
    if (const std::string refused = refusals(builder_->counters().details); !refused.empty())
      lines.push_back(fmt::format(
          "{}: packets were refused: {}",
          files_of_refused_.empty() ? options_.recording : name_of_files(files_of_refused_), refused));
    return lines;
  }

  const PacketFileOptions options_;
  const PacketFormat format_;
  const Open open_;
  /// Set by `start`.
  std::optional<FrameQueue> queue_;
  std::unique_ptr<FrameBuilder> builder_;
  std::unique_ptr<PacketStream> recording_;
  /// Other threads may query the builder's counts.
  std::atomic<bool> started_{false};
  bool ended_ = false, any_good_ = false;
  /// Frames to read and discard at the start.
  std::uint64_t skipped_ = 0;
  ReplayClock clock_{options_.speed};
  FramePool pool_;
  /// Guards the files, which other threads name.
  mutable std::mutex mutex_;
  /// Files with refused packets, in the order of their first ones.
  std::vector<std::filesystem::path> files_of_refused_;
};

PacketFileSource::PacketFileSource(PacketFileOptions options, PacketFormat format, Open open)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(format), std::move(open))) {}
PacketFileSource::~PacketFileSource() = default;

const FrameType& PacketFileSource::type() const {
  return impl_->format_.type;
}
void PacketFileSource::check() const {
  impl_->check();
}
bool PacketFileSource::resume_after(const StreamPlace& place) {
  impl_->skipped_ = place.frames;
  return true;
}
void PacketFileSource::start() {
  impl_->start();
}
SourceState PacketFileSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
std::size_t PacketFileSource::least_pool() const {
  return impl_->least_pool();
}
void PacketFileSource::use_pool(const FramePool& pool) {
  impl_->pool_ = pool;
}
std::optional<std::int64_t> PacketFileSource::next_frame_ns() const {
  return impl_->clock_.next_ns();
}
void PacketFileSource::release() {
  impl_->queue_->pop();
}
void PacketFileSource::stop() {
  impl_->stop();
}
SourceCounters PacketFileSource::counters() const {
  return impl_->counters();
}
std::vector<std::string> PacketFileSource::description() const {
  return impl_->format_.description;
}
std::vector<std::string> PacketFileSource::warnings() const {
  return impl_->warnings();
}

}  // namespace takt::sensors
