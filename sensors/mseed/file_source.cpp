#include "sensors/mseed/file_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/mseed/records.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/packet_file_source.hpp"
#include "sensors/packets/replay_clock.hpp"

namespace takt::sensors {

namespace {

std::size_t longest_record(const RecordIndex& index) {
  std::size_t longest = 0;
  for (const RecordPlace& place : index.records) longest = std::max(longest, place.samples);
  return longest;
}

/// In time order no channel lags by more than a record.
TraceGrid grid_of(const MseedFileOptions& options, const RecordIndex& index) {
  TraceGrid grid{.channels = index.channels.size(),
                 .rows = options.rows,
                 .rate_hz = index.rate_hz,
                 .longest_gap = options.longest_gap,
                 .is_in_order = true,
                 .source = static_cast<std::uint16_t>(options.source)};
  const double longest = static_cast<double>(longest_record(index) + 1) / std::max(index.rate_hz, 1e-9);
  grid.window = Time(static_cast<std::int64_t>(std::min(longest * 1e9 + 1, 9e18)));
  validate(grid);
  return grid;
}

}  // namespace

class MseedFileSource::Impl {
 public:
  explicit Impl(const MseedFileOptions& options)
      : index_(index_records(options.files, {.channels = options.channels, .rate_hz = options.rate_hz})),
        grid_(grid_of(options, index_)),
        type_(trace_frame_type(grid_)),
        clock_((validate(PacketFileOptions{.speed = options.speed, .lanes = {}}), options.speed)) {
    // The frames under assembly, and those that one record completes.
    queue_.emplace(2 * TraceJoiner::open_frames(grid_, longest_record(index_)), type_.size());
    joiner_.emplace(grid_, counts_, *queue_);
  }

  /// Returns null at the end.
  FrameSlot* next() {
    while (!queue_->front() && !ended_) read_record();
    return queue_->front();
  }

  void start() {
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

  void check() const {
    OpenFiles files;
    for (const RecordPlace& place : index_.records)
      if (decode(place, files)) return;
    throw ConfigError(fmt::format("{}: no good miniSEED record (refused: {} damaged)",
                                  index_.files.front().string(), index_.records.size()));
  }

  [[nodiscard]] std::vector<std::string> warnings() const {
    std::vector<std::string> all = index_.warnings;
    if (const std::uint64_t count = refused_.value(); count > 0) {
      const RecordPlace& first = index_.records[first_refused_.value()];
      all.push_back(fmt::format("{} damaged records were skipped, the first at byte {} of {}", count,
                                first.offset, index_.files[first.file].string()));
    }
    std::ranges::move(marks_.warnings(), std::back_inserter(all));
    std::ranges::move(counts_.warnings(grid_.rate_hz), std::back_inserter(all));
    return all;
  }

  void stop() {
    if (!ended_) joiner_->finish(now_ns());
    ended_ = true;
  }

  const RecordIndex index_;
  const TraceGrid grid_;
  const FrameType type_;
  ReplayClock clock_;
  TraceCounts counts_;
  /// Records used and refused, and the number of the first one refused.
  Tally records_, refused_, first_refused_;
  RecordMarkCounts marks_;
  std::optional<FrameQueue> queue_;
  /// Frames to read and discard at the start.
  std::uint64_t skipped_ = 0;

 private:
  void read_record() {
    if (next_ == index_.records.size()) return stop();
    const RecordPlace& place = index_.records[next_++];
    std::optional<TraceRecord> record = decode(place, open_files_);
    if (!record) {
      if (refused_.value() == 0) first_refused_.set(next_ - 1);
      refused_.add();
      return;
    }
    records_.add();
    marks_.add(record->marks);
    record->has_leap_second |= place.has_leap_second;
    joiner_->take(place.channel, *record, place.superseded, now_ns());
  }

  /// Each channel may have its own file: several stay open.
  using OpenFiles = std::map<std::size_t, InputStream>;

  [[nodiscard]] std::optional<TraceRecord> decode(const RecordPlace& place, OpenFiles& files) const {
    if (!files.contains(place.file) && files.size() >= most_open_files) files.clear();
    InputStream& file = files.try_emplace(place.file, index_.files[place.file]).first->second;
    std::vector<char> bytes(place.bytes);
    file.clear();
    file.seekg(static_cast<std::streamoff>(place.offset));
    if (!file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
      throw WorkError(
          fmt::format("{}: reading failed: {}", index_.files[place.file].string(),
                      file.eof() ? "the file was shortened during the run" : std::strerror(errno)));
    return decode_record(std::as_bytes(std::span(bytes)));
  }

  std::optional<TraceJoiner> joiner_;
  static constexpr std::size_t most_open_files = 64;
  std::size_t next_ = 0;
  OpenFiles open_files_;
  bool ended_ = false;
};

MseedFileSource::MseedFileSource(const MseedFileOptions& options) : impl_(std::make_unique<Impl>(options)) {}
MseedFileSource::~MseedFileSource() = default;

const FrameType& MseedFileSource::type() const {
  return impl_->type_;
}
void MseedFileSource::check() const {
  impl_->check();
}
bool MseedFileSource::resume_after(const StreamPlace& place) {
  impl_->skipped_ = place.frames;
  return true;
}
void MseedFileSource::start() {
  impl_->start();
}
SourceState MseedFileSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
void MseedFileSource::release() {
  impl_->queue_->pop();
}
std::optional<std::int64_t> MseedFileSource::next_frame_ns() const {
  return impl_->clock_.next_ns();
}
void MseedFileSource::stop() {
  impl_->stop();
}
SourceCounters MseedFileSource::counters() const {
  SourceCounters counters = impl_->counts_.report();
  counters.details.push_back({"records_received", "records", impl_->records_.value()});
  counters.details.push_back({"refused_damaged", "records", impl_->refused_.value()});
  const RecordIndex& index = impl_->index_;
  counters.details.push_back({"refused_rate", "records", index.other_rate_records});
  counters.details.push_back({"refused_encoding", "records", index.unknown_encoding_records});
  counters.details.push_back({"records_of_logs", "records", index.log_records});
  counters.details.push_back({"samples_of_older_versions", "samples", index.superseded_samples});
  counters.details.push_back({"bytes_left_over", "bytes", index.bytes_left_over});
  std::ranges::move(impl_->marks_.report(), std::back_inserter(counters.details));
  return counters;
}
std::vector<std::string> MseedFileSource::warnings() const {
  return impl_->warnings();
}
const std::vector<std::string>& MseedFileSource::channels() const {
  return impl_->index_.channels;
}

}  // namespace takt::sensors
