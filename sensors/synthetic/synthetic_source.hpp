#pragma once
/// A source of synthetic frames: any type, any rate, contents that a test can predict.

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "sensors/source.hpp"

namespace takt::sensors {

/// The contents of the frames. A sample's number counts along the `time` axis over all frames (or counts
/// frames, without that axis).
enum class Pattern : std::uint8_t {
  /// Zeros.
  zeros,
  /// Every element is the number of its frame; integers wrap around.
  count,
  /// Every element is its own number in the whole stream; integers wrap around.
  ramp,
  /// amplitude * exp(2 pi i f n) for sample n; the real part only for real elements; rounded for integers.
  tone,
  /// Normal noise with a standard deviation of `amplitude` per component, from `seed` and the frame's number.
  noise,
};

[[nodiscard]] std::string_view name_of(Pattern pattern);
/// Throws ConfigError with the nearest names.
[[nodiscard]] Pattern parse_pattern(std::string_view name);

struct SyntheticOptions {
  /// Its rate defines the distance of samples and the frames per second; 0: as fast as the pipeline
  /// polls.
  FrameType type;
  /// Speed relative to that rate; 0: as fast as the pipeline polls.
  double speed = 1;
  Pattern pattern = Pattern::zeros;
  double amplitude = 1;
  /// Frequency of the tone, cycles per sample.
  double frequency = 0.125;
  std::uint64_t seed = 1;
  /// Number of frames in the stream; 0: only `stop` ends it.
  std::uint64_t frames = 0;
  /// Largest number of frames waiting for the pipeline; later ones are dropped, as in a live source.
  std::size_t depth = 8;
  /// UTC of the first sample, nanoseconds since 1970; default: the time from `begin_at`, or 1970.
  std::optional<std::int64_t> start_utc_ns = {};
  /// Number of the source in the pipeline, for the frame headers.
  std::uint32_t source = 0;
};

/// Throws ConfigError.
void validate(const SyntheticOptions& options);

class SyntheticSource final : public Source {
 public:
  /// Throws ConfigError.
  explicit SyntheticSource(SyntheticOptions options);
  ~SyntheticSource() override;

  [[nodiscard]] const FrameType& type() const override;
  void begin_at(std::int64_t utc_ns) override;
  /// Restores the place; its time does not advance meanwhile.
  [[nodiscard]] bool resume_after(const StreamPlace& place) override;
  /// Returns true if frames are produced as fast as the pipeline polls.
  [[nodiscard]] bool may_be_shared() const override;
  void seek(std::uint64_t frame) override;
  void start() override;
  [[nodiscard]] SourceState poll(FrameView& frame) override;
  [[nodiscard]] SourceState poll_at(FrameView& frame, std::optional<std::int64_t> seen) override;
  void release() override;
  [[nodiscard]] std::size_t least_pool() const override;
  void use_pool(const FramePool& pool) override;
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override;
  void stop() override;
  [[nodiscard]] SourceCounters counters() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
