#pragma once
/// A sink for WAV files, for receiver and audio programs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"

namespace takt::sensors {

enum class WavEncoding : std::uint8_t { float32, int16 };

struct WavSinkOptions {
  OutputOptions output;
  MissingPolicy missing;
  WavEncoding encoding = WavEncoding::float32;
  /// Factor of the values before rounding.
  double scale = 1;
  /// Centre frequency in the header, whole Hz; default: that of the frames.
  std::optional<double> frequency_hz = {};
};

/// The memory layout of a frame's samples, and their header values.
struct WavLayout {
  std::size_t samples = 1, channels = 1;
  /// Distance of successive samples, and of successive channels, in numbers.
  std::size_t sample_step = 1, channel_step = 1;
  /// 2 for I and Q.
  std::size_t parts = 1;
  std::uint32_t sample_hz = 0;
  /// 0: unknown.
  std::uint32_t frequency_hz = 0;
};

/// Accepts `complex_float32` (I and Q) and `float32` frames of known rate, a whole number of samples per
/// second, with the axis `time` and at most one other of more than one index: `beamlet`, `channel` or
/// `polarisation`. Its indices are adjacent channels, or pairs of channels.
///
/// A file of I and Q has a chunk `auxi` with the time of its first sample, to the nearest millisecond, and
/// the centre frequency common to all its beamlets. A file of real samples has a chunk `bext` with the time,
/// to the nearest whole number of samples since midnight, and no frequency. The header is updated with the
/// size after each frame, except in a pipe; beyond 4 GiB the file is RF64.
class WavSink final : public GapFillingSink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file; OptionError.
  WavSink(const WavSinkOptions& options, const FrameType& type);

  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  WavSink(const WavSinkOptions& options, const FrameType& type, const WavLayout& layout);
  void begin() override;
  void append(const Record& record) override;
  [[nodiscard]] bool holds_values_alone() const override { return true; }
  std::span<const std::byte> in_file_order(std::span<const std::byte> mask) override;
  void settle() override;
  void save_more(StateWriter& state) const override;
  void load_more(StateReader& state) override;

  template <class Value>
  void in_order(const Value* from, Value* to, std::size_t parts) const;
  /// Sets the time of the file's first sample as represented in the header.
  void take_start();
  [[nodiscard]] std::int64_t since_midnight_ns() const;
  /// Writes to `header_`.
  void encode_header();

  const WavLayout layout_;
  const WavEncoding encoding_;
  const float scale_;
  std::string header_;
  /// A frame in the order of the file.
  std::vector<float> numbers_;
  std::vector<std::int16_t> integers_;
  std::vector<std::byte> mask_;
  /// For real samples: date and time of the first one, and whole samples since midnight.
  std::string origination_;
  std::uint64_t samples_since_midnight_ = 0;
  Tally clipped_, largest_shift_;
};

}  // namespace takt::sensors
