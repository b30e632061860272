#pragma once
/// A source of frames from samples in one file or several successive ones.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "sensors/files/sample_layout.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

struct SampleFileOptions {
  /// The pieces of one stream, in any order: they are read in time order; a piece without a time follows its
  /// predecessor in the list.
  std::vector<SamplePiece> pieces;
  /// Speed relative to the stream's own rate; 0: as fast as the pipeline polls.
  double speed = 0;
  /// A longer gap between pieces begins a new epoch; the frames of a shorter one are lost.
  Time longest_gap{10'000'000'000};
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// Throws OptionError; ConfigError with both names if the layouts of two pieces differ.
void validate(const SampleFileOptions& options);

/// Reads in `poll`. Frames lie on the grid of the epoch's first row, whatever file their rows come from; the
/// time of a piece is rounded to that grid. Rows in a gap are missing: NaN, or flags after integers
/// (FrameType::parts); frames without any row are lost. Rows that repeat those of an earlier piece are
/// skipped. The last frame of an epoch may be incomplete, and an incomplete row at a piece's end is skipped.
/// Rows that a header announces and the file lacks are missing. All of this is counted. NaN in files of
/// floating-point values is missing.
class SampleFileSource final : public Source {
 public:
  /// Throws OptionError and ConfigError, as `validate`.
  explicit SampleFileSource(SampleFileOptions options);
  ~SampleFileSource() override;

  [[nodiscard]] const FrameType& type() const override;
  /// Throws ConfigError if a file is not readable or contradicts its header, or if there is no sample.
  void check() const override;
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  /// Returns true for one plain file that is read as fast as the pipeline polls.
  [[nodiscard]] bool may_be_shared() const override;
  void seek(std::uint64_t frame) override;
  /// Throws ConfigError if a file is not readable.
  void start() override;
  /// Throws WorkError if reading fails.
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  void release() override {}
  [[nodiscard]] bool is_cut_off() const override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;
  /// Returns the descriptions of all headers, each line once.
  [[nodiscard]] std::vector<std::string> description() const override;
  /// Reports gaps and overlaps of pieces, truncated files, rounded values, and warnings about headers.
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
