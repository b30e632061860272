#pragma once
/// Conversion of frames to VDIF packets.

#include <cstdint>
#include <memory>
#include <span>

#include "core/saved_state.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

struct VdifPacketOptions {
  /// Bits of each sample, or real or imaginary part: 1 to 32.
  int bits = 2;
  /// Factor of the values before quantisation.
  double scale = 1;
  /// Bytes of samples in a VDIF frame; 0: the largest multiple of 8 up to 8000 that fits the stream's rate.
  std::size_t payload_bytes = 0;
  std::uint16_t station = 0;
};

/// Accepts `float32` or `complex_float32` `[beamlet][time][polarisation]` of known rate. Each beamlet and
/// polarisation is a thread of one channel: beamlet * polarisations + polarisation. Samples are the nearest
/// codes (vdif/samples.hpp): with a scale of 1, samples decoded by a VDIF source are reproduced bit by bit.
///
/// A VDIF frame with missing values (NaN) is marked as invalid. Time is rounded to whole VDIF frames of the
/// UTC second.
class VdifPacketizer {
 public:
  /// Throws ConfigError with the reason if frames of this type cannot be VDIF.
  VdifPacketizer(const VdifPacketOptions& options, const FrameType& type);
  ~VdifPacketizer();

  /// Returns all packets of a frame in time order, simultaneous ones adjacent. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> packets_of(const FrameView& frame);
  /// Return the size of each packet, including its header; and of all packets of a frame.
  [[nodiscard]] std::size_t packet_bytes() const;

  /// Return the VDIF frames made, those among them marked as invalid, and the largest rounding of time in
  /// nanoseconds.
  [[nodiscard]] const Tally& made() const;
  [[nodiscard]] const Tally& invalid() const;
  [[nodiscard]] const Tally& largest_shift() const;

  /// Saves and loads the counts, for another object that continues.
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
