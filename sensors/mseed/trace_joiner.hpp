#pragma once
/// Assembly of frames from the traces of several channels, in pieces of any length.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame_queue.hpp"
#include "sensors/mseed/trace_record.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// Frames are float32[time=rows][channel].
struct TraceGrid {
  std::size_t channels = 1;
  /// Samples of each channel in a frame.
  std::size_t rows = 100;
  double rate_hz = 100;
  /// A frame is handed over, complete or not, when some channel is this far ahead of its end.
  Time window{60'000'000'000};
  /// A longer silence of all channels begins a new epoch; a shorter one causes lost frames.
  Time longest_gap{600'000'000'000};
  /// Whether pieces arrive in time order, as from files: then each of them is accepted.
  bool is_in_order = false;
  /// Number of the source in the pipeline, for the frame headers.
  std::uint16_t source = 0;
};

/// Throws OptionError.
void validate(const TraceGrid& grid);

/// Returns the frames' type; the channels' names are for messages only.
[[nodiscard]] FrameType trace_frame_type(const TraceGrid& grid);

/// Each sample of a channel is counted once, in the first four.
struct TraceCounts {
  Tally taken;
  /// Arrived after their frame was handed over.
  Tally late;
  Tally duplicate;
  /// Those of the duplicates whose values differ from the ones used.
  Tally contradictory;
  /// Replaced earlier samples of a lower publication.
  Tally superseded;
  /// Fell into a leap second, which has no place in POSIX time.
  Tally in_leap_second;
  /// Had more digits than a 32-bit float.
  Tally rounded_values;
  /// Had a time far from the stream's position, which other pieces contradicted.
  Tally implausible;
  /// Largest rounding of a piece's time to the first piece's grid of samples.
  Tally rounded_ns;
  Tally frames, frames_incomplete, frames_cut_off, frames_lost, frames_dropped, jumps;

  [[nodiscard]] SourceCounters report() const;
  /// Returns warnings about changed or discarded samples, one sentence each.
  [[nodiscard]] std::vector<std::string> warnings(double rate_hz) const;
};

/// Time is divided into frames from 1970 on, whatever data came first, so that live streams and archives
/// produce the same frames. Sample times are those of the first piece; other times are rounded to them. A
/// frame is handed over when all channels are complete except silent ones (a window behind the others), or
/// some channel is a window ahead. Pieces in time order complete a frame when one begins after it, so that
/// repeated samples are compared with it. Missing samples are NaN. Uses no clock and no I/O.
///
/// One record is no proof: a piece more than a window ahead of the newest sample, or as long before the
/// epoch's first one, is held. It is accepted when more than half of the channels, two pieces of a single
/// one, or eight in a row agree. No new sample may arrive at the stream's position meanwhile. Such a sample
/// rejects it.
class TraceJoiner {
 public:
  /// `counts` must outlive the object. The grid is valid.
  TraceJoiner(const TraceGrid& grid, TraceCounts& counts, FrameQueue& frames);

  /// Returns the largest number of frames under assembly, with pieces of this many samples.
  [[nodiscard]] static std::size_t open_frames(const TraceGrid& grid, std::size_t longest_piece);

  /// Adds successive samples of a channel; the first one has this time. O(samples). A
  /// sample of a higher publication replaces an existing one until its frame is handed
  /// over.
  void take(std::size_t channel, std::int64_t start_ns, std::span<const float> samples, std::int64_t now_ns,
            std::uint8_t publication = 0);

  /// Adds the samples of a record except those within a leap second, and those of these runs (first one, and
  /// one after the last).
  void take(std::size_t channel, const TraceRecord& record,
            std::span<const std::pair<std::size_t, std::size_t>> superseded, std::int64_t now_ns);

  /// Ends the stream: hands over the frames under assembly, incomplete or not.
  void finish(std::int64_t now_ns);

 private:
  /// A frame under assembly; no slot if the queue was full.
  struct Open {
    FrameSlot* slot = nullptr;
    std::size_t samples = 0;
    std::vector<std::size_t> of_channel = {};
    /// For each sample, once records of several publications have arrived.
    std::vector<std::uint8_t> publications = {};
  };

  /// A piece that is not confirmed.
  struct Aside {
    std::size_t channel = 0;
    std::int64_t start_ns = 0;
    std::vector<float> samples;
    std::uint8_t publication = 0;
  };
  enum class Distance : std::uint8_t { near, ahead, before };

  [[nodiscard]] Distance distance_of(std::int64_t start_ns, std::size_t samples) const;
  [[nodiscard]] bool have_moved() const;
  void follow(std::int64_t now_ns);
  void refuse_asides();
  void put(std::size_t channel, std::int64_t start_ns, std::span<const float> samples, std::int64_t now_ns,
           std::uint8_t publication);
  [[nodiscard]] std::int64_t index_of(std::int64_t ns) const;
  [[nodiscard]] std::int64_t time_of(std::int64_t index) const;
  [[nodiscard]] Open& open(std::int64_t frame);
  [[nodiscard]] bool is_passed(std::int64_t frame, const Open& filled) const;
  [[nodiscard]] bool has_holes(std::int64_t frame, const Open& filled) const;
  void close_first(bool at_end, std::int64_t now_ns);
  void fill_header(std::int64_t frame, const Open& done, std::int64_t now_ns);

  const TraceGrid grid_;
  const FrameType type_;
  TraceCounts& counts_;
  FrameQueue& frames_;
  std::map<std::int64_t, Open> open_;
  /// Index after each channel's newest sample.
  std::vector<std::int64_t> ends_;
  /// Number of each channel's last piece, from 1 on.
  std::vector<std::uint64_t> received_at_;
  std::uint64_t pieces_ = 0;
  /// Publication of the first piece, and whether any other piece has another one.
  std::optional<std::uint8_t> publication_;
  bool has_publications_ = false;
  /// All on the same side of the stream.
  std::vector<Aside> asides_;
  Distance side_ = Distance::near;
  bool begun_ = false;
  /// Offset of the first piece's grid from that of whole samples since 1970.
  std::int64_t phase_ns_ = 0;
  /// Index of the first sample of the newest piece.
  std::int64_t position_ = 0;
  /// The next frame, and the first one of the epoch.
  std::int64_t next_ = 0, first_ = 0;
  std::uint16_t epoch_ = 0;
};

}  // namespace takt::sensors
