#pragma once
/// From the traces of several channels, pieces of any length, to frames of all of them side by side.

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
  /// A frame is handed over with what it has when some channel is this far ahead of its end.
  Time window{60'000'000'000};
  /// A longer silence of all channels begins a new epoch; what is missing in a shorter one is lost frames.
  Time longest_gap{600'000'000'000};
  /// Whether pieces come in order of time, as from files: then none of them is doubted.
  bool is_in_order = false;
  /// Number of the source in the pipeline, for the frames' headers.
  std::uint16_t source = 0;
};

/// Throws OptionError.
void validate(const TraceGrid& grid);

/// The frames' type, with the channels' names for messages only.
[[nodiscard]] FrameType trace_frame_type(const TraceGrid& grid);

/// Each sample of a channel is counted once, in the first four.
struct TraceCounts {
  Tally taken;
  /// Came when their frame was handed over.
  Tally late;
  Tally duplicate;
  /// Replaced those of an earlier publication that had come before.
  Tally superseded;
  /// Fell into a leap second, which has no place in POSIX time.
  Tally in_leap_second;
  /// Had more digits than a 32-bit float.
  Tally rounded_values;
  /// Told a time far from where the stream was, and the others said that it was still there.
  Tally implausible;
  /// By how much the time of a piece was rounded to the first one's grid of samples, at most.
  Tally rounded_ns;
  Tally frames, frames_incomplete, frames_cut_off, frames_lost, frames_dropped, jumps;

  [[nodiscard]] SourceCounters report() const;
  /// Of what changes samples or leaves some out, a sentence each.
  [[nodiscard]] std::vector<std::string> warnings() const;
};

/// Time is divided into frames from 1970 on, whatever came first, so that live streams and archives give the
/// same frames; sample times are those of the first piece, others are rounded to them. A frame is handed over
/// when it is whole but for channels that are silent (a window behind the others), or some channel is a
/// window ahead. What is missing is NaN. No clock and no I/O.
///
/// One record proves nothing: a piece more than a window ahead of the newest sample, or as long before the
/// epoch's first one, is kept until more than half of the channels, two pieces of a single one, or eight in a
/// row are there, and nothing new has come meanwhile from where the stream was. Something new from there
/// refuses it.
class TraceJoiner {
 public:
  /// `counts` must outlive it. The grid is valid.
  TraceJoiner(const TraceGrid& grid, TraceCounts& counts, FrameQueue& frames);

  /// The most frames that are begun and not handed over, with pieces of so many samples.
  [[nodiscard]] static std::size_t open_frames(const TraceGrid& grid, std::size_t longest_piece);

  /// Successive samples of a channel, the first one taken at this moment. O(samples).
  /// Where a sample is there already, one of a higher publication replaces it as long as its frame is not
  /// handed over.
  void take(std::size_t channel, std::int64_t start_ns, std::span<const float> samples, std::int64_t now_ns,
            std::uint8_t publication = 0);

  /// The samples of a record but those within a leap second, and those of these runs (first one, and one
  /// behind the last).
  void take(std::size_t channel, const TraceRecord& record,
            std::span<const std::pair<std::size_t, std::size_t>> superseded, std::int64_t now_ns);

  /// The end of the stream: hands over the frames begun, with what they have.
  void finish(std::int64_t now_ns);

 private:
  /// A frame being filled; no slot when there was no room for it.
  struct Open {
    FrameSlot* slot = nullptr;
    std::size_t samples = 0;
    std::vector<std::size_t> of_channel = {};
    /// Of each sample, once records of several publications have come.
    std::vector<std::uint8_t> publications = {};
  };

  /// A piece that is doubted.
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
  /// Index behind each channel's newest sample.
  std::vector<std::int64_t> ends_;
  /// Number of the piece that came last of each channel, from 1 on.
  std::vector<std::uint64_t> heard_at_;
  std::uint64_t pieces_ = 0;
  /// Of the first piece, and whether any has another one.
  std::optional<std::uint8_t> publication_;
  bool has_publications_ = false;
  /// All on the same side of the stream.
  std::vector<Aside> asides_;
  Distance side_ = Distance::near;
  bool begun_ = false;
  /// From the grid of whole samples since 1970 to the first piece's.
  std::int64_t phase_ns_ = 0;
  /// The frame that comes next, and the first one of the epoch.
  std::int64_t next_ = 0, first_ = 0;
  std::uint16_t epoch_ = 0;
};

}  // namespace takt::sensors
