#pragma once
/// A sink for SIGPROC filterbank files (.fil), which PRESTO, sigproc, your and other programs read.

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

struct SigprocOptions {
  OutputOptions output;
  /// The mask is an additional file with the suffix `.mask`: one byte per value, in the same order.
  MissingPolicy missing;
  /// Bits of each uint8 value: 8, 4, 2 or 1, the first of a byte in its lowest bits; larger values are
  /// clipped. For float32: 32, or 16, the nearest integer from 0 to 65535. 0: as the elements.
  int bits = 0;
  std::string source_name = "takt";
  /// Numbers of SIGPROC's lists; 0 is `fake`.
  int telescope_id = 0;
  int machine_id = 0;
};

/// Frames as [time][stokes][channel], each with or without the first two axes.
struct SigprocLayout {
  std::size_t spectra = 1;
  std::size_t stokes = 1;
  std::size_t channels = 1;
  double first_hz = 0;
  double step_hz = 0;
  double sample_s = 0;

  [[nodiscard]] std::size_t values() const { return spectra * stokes * channels; }
};

/// Accepts frames `[time][stokes][channel]` of float32 (32 bits per value, or rounded to 16) or uint8 (8
/// bits, or fewer). `time` and `stokes` are optional; the last axis is `channel` or `beamlet` and has evenly
/// spaced coordinates in Hz.
///
/// Channels are written from the highest frequency to the lowest (foff < 0), as most programs expect them.
/// From the first frame on the file has a complete header, and it always holds whole frames. Frames missing
/// in the sequence are filled and counted, so that sample n stays at tstart + n tsamp; a new epoch begins a
/// new file, with its own tstart. Missing values are whole frames, NaN in frames whose header counts missing
/// parts, and integers whose part is flagged.
class SigprocSink final : public GapFillingSink {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be in such a file.
  SigprocSink(const SigprocOptions& options, const FrameType& type);

  /// Adds the values clipped by rounding to the counters of the base class.
  [[nodiscard]] std::vector<Counter> counters() const override;

 private:
  SigprocSink(const SigprocOptions& options, const FrameType& type, const SigprocLayout& layout,
              const SigprocHeader& header);
  void begin() override;
  void append(const Record& record) override;
  [[nodiscard]] bool holds_values_alone() const override { return true; }
  std::span<const std::byte> in_file_order(std::span<const std::byte> mask) override;
  void save_more(StateWriter& state) const override;
  void load_more(StateReader& state) override;
  /// Returns a frame with its channels from the highest frequency to the lowest.
  std::span<const std::byte> highest_first(std::span<const std::byte> elements);

  const SigprocLayout layout_;
  SigprocHeader header_;
  const std::size_t value_bytes_;
  /// The frame and its mask with the channels in the order of the file; empty if that is the frame's own.
  std::vector<std::byte> record_, mask_;
  /// The record with another number of bits per value than its elements have; empty if they are equal.
  std::vector<std::byte> packed_;
  Tally values_clipped_;
};

}  // namespace takt::sensors
