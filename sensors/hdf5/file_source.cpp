#include "sensors/hdf5/file_source.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/hdf5/recording.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/replay_clock.hpp"

namespace takt::sensors {

class Hdf5FileSource::Impl {
 public:
  explicit Impl(Hdf5FileOptions options)
      : options_((validate(PacketFileOptions{.speed = options.speed, .lanes = {}}), std::move(options))),
        clock_(options_.speed) {
    std::vector<std::pair<std::int64_t, std::filesystem::path>> order;
    for (const std::filesystem::path& file : options_.files) {
      const Hdf5Recording recording(file);
      if (order.empty()) {
        type_ = recording.type();
        description_ = recording.description();
      } else if (!(recording.type() == type_)) {
        throw ConfigError(fmt::format(
            "{}: frames {}, but {} has {}, or other coordinates: the files of one stream must have one "
            "layout",
            file.string(), recording.type().to_string(), order.front().second.string(), type_.to_string()));
      }
      order.emplace_back(recording.first_utc_ns(), file);
    }
    std::ranges::stable_sort(order, {}, &std::pair<std::int64_t, std::filesystem::path>::first);
    for (auto& [utc, file] : order) files_.push_back(std::move(file));
  }

  void start() {
    for (; skipped_ > 0 && next(); --skipped_) is_read_ = false;
  }

  SourceState poll(FrameView& frame) {
    if (stopped_ || !next()) return SourceState::ended;
    if (!clock_.is_due(header_)) return SourceState::waiting;
    if (options_.speed == 0) header_.ingested_ns = now_ns();
    is_read_ = false;
    frames_.add();
    if (header_.missing_parts > 0) incomplete_.add();
    frame = {&header_, view_.bytes};
    return SourceState::frame;
  }

  const Hdf5FileOptions options_;
  FrameType type_;
  std::vector<std::string> description_;
  ReplayClock clock_;
  std::uint64_t skipped_ = 0;
  bool stopped_ = false;
  Tally frames_, incomplete_, lost_, duplicate_;

 private:
  /// Returns whether a frame was read that has not been delivered.
  bool next() {
    while (!is_read_) {
      if (!recording_) {
        if (next_file_ == files_.size()) return false;
        recording_.emplace(files_[next_file_++]);
      }
      if (recording_->poll(view_) == SourceState::ended) {
        recording_.reset();
        continue;
      }
      take(*view_.header);
    }
    return true;
  }

  /// A frame with an earlier number is a repetition.
  void take(const FrameHeader& header) {
    if (any_ && header.epoch == header_.epoch && header.sequence <= header_.sequence &&
        header.utc_ns <= header_.utc_ns)
      return duplicate_.add();
    if (any_ && header.epoch == header_.epoch && header.sequence > header_.sequence + 1)
      lost_.add(header.sequence - header_.sequence - 1);
    header_ = header;
    header_.source = static_cast<std::uint16_t>(options_.source);
    any_ = is_read_ = true;
  }

  std::vector<std::filesystem::path> files_;
  std::size_t next_file_ = 0;
  std::optional<Hdf5Recording> recording_;
  FrameView view_;
  FrameHeader header_;
  bool any_ = false, is_read_ = false;
};

Hdf5FileSource::Hdf5FileSource(Hdf5FileOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Hdf5FileSource::~Hdf5FileSource() = default;

const FrameType& Hdf5FileSource::type() const {
  return impl_->type_;
}
bool Hdf5FileSource::resume_after(const StreamPlace& place) {
  impl_->skipped_ = place.frames;
  impl_->frames_.set(place.frames);
  return true;
}
void Hdf5FileSource::start() {
  impl_->start();
}
SourceState Hdf5FileSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
std::optional<std::int64_t> Hdf5FileSource::next_frame_ns() const {
  return impl_->clock_.next_ns();
}
std::vector<std::string> Hdf5FileSource::description() const {
  return impl_->description_;
}
void Hdf5FileSource::stop() {
  impl_->stopped_ = true;
}
SourceCounters Hdf5FileSource::counters() const {
  SourceCounters counters;
  counters.ingested = impl_->frames_.value();
  counters.incomplete = impl_->incomplete_.value();
  counters.lost = impl_->lost_.value();
  counters.details = {{"frames_duplicate", "frames", impl_->duplicate_.value()}};
  return counters;
}

}  // namespace takt::sensors
