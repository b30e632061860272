#pragma once
/// A SIGPROC filterbank file (.fil), as PRESTO, sigproc, your and others read it.

#include <cstdint>
#include <string>
#include <vector>

#include "sensors/files/gap_filling_sink.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

struct SigprocOptions {
  OutputOptions output;
  /// The mask is a file with `.mask` behind its name beside each file: one byte for each value, in its order.
  MissingPolicy missing;
  /// Of each value of uint8: 8, 4, 2 or 1, the first of a byte in its lowest bits; larger values are the
  /// largest that fits. Of float32: 32, or 16, the nearest integer from 0 to 65535. 0: as the elements are.
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

/// Takes frames `[time][stokes][channel]` of float32 (32 bits a value, or rounded to 16) or uint8 (8 bits, or
/// fewer). `time` and `stokes` may be left out; the last axis is `channel` or `beamlet` and has evenly spaced
/// coordinates in Hz.
///
/// Channels are written from the highest frequency to the lowest (foff < 0), as most programs expect them.
/// From the first frame on the file has a complete header, and it holds whole frames always. Frames that are
/// missing in the sequence are filled and counted, so that sample n stays at tstart + n tsamp; a new epoch
/// begins a new file, with its own tstart. Missing are whole frames, values that are NaN in frames whose
/// header tells of missing parts, and integers whose part is flagged.
class SigprocSink final : public GapFillingSink {
 public:
  /// Throws ConfigError when frames of this type cannot be in such a file, with the reason.
  SigprocSink(const SigprocOptions& options, const FrameType& type);

  /// Those of every such sink, and values clipped where floats are rounded.
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
  /// A frame with its channels from the highest frequency to the lowest.
  std::span<const std::byte> highest_first(std::span<const std::byte> elements);

  const SigprocLayout layout_;
  SigprocHeader header_;
  const std::size_t value_bytes_;
  /// The frame and its mask with the channels in the order of the file; empty where that is the frame's own.
  std::vector<std::byte> record_, mask_;
  /// The record with another number of bits a value than its elements have; empty where that is the same.
  std::vector<std::byte> packed_;
  Tally values_clipped_;
};

}  // namespace takt::sensors
