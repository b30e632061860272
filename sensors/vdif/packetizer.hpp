#pragma once
/// Frames as VDIF packets.

#include <cstdint>
#include <memory>
#include <span>

#include "core/saved_state.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"

namespace takt::sensors {

struct VdifPacketOptions {
  /// Of each sample, or real or imaginary part: 1 to 32.
  int bits = 2;
  /// Values are multiplied by this before they are quantised.
  double scale = 1;
  /// Bytes of samples in a VDIF frame; 0: the largest multiple of 8 up to 8000 that fits the stream's rate.
  std::size_t payload_bytes = 0;
  std::uint16_t station = 0;
};

/// Takes `float32` or `complex_float32` `[beamlet][time][polarisation]` of known rate. Each beamlet and
/// polarisation is a thread of one channel: beamlet * polarisations + polarisation. Samples are the nearest
/// codes (vdif/samples.hpp): what a VDIF source decoded is written bit by bit as it was, at a scale of 1.
///
/// A VDIF frame of which values are missing (NaN) is marked as invalid. Time is rounded to whole VDIF frames
/// of the UTC second.
class VdifPacketizer {
 public:
  /// Throws ConfigError when frames of this type cannot be VDIF, with the reason.
  VdifPacketizer(const VdifPacketOptions& options, const FrameType& type);
  ~VdifPacketizer();

  /// All packets of a frame, one after the other, those of a moment side by side. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> packets_of(const FrameView& frame);
  /// Of each packet, its header included; and of all packets of a frame.
  [[nodiscard]] std::size_t packet_bytes() const;

  /// VDIF frames made, those marked as invalid among them, and by how many nanoseconds time was rounded at
  /// most.
  [[nodiscard]] const Tally& made() const;
  [[nodiscard]] const Tally& invalid() const;
  [[nodiscard]] const Tally& largest_shift() const;

  /// What it has counted, for another one that goes on.
  void save(StateWriter& state) const;
  void load(StateReader& state);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
