#pragma once
/// The format of a SPEAD stream's heaps in a run, and the frames made from them.

#include <cstddef>
#include <cstdint>
#include <string>

#include "sensors/frames/frame.hpp"
#include "sensors/spead/packet.hpp"

namespace takt::sensors {

struct SpeadFormat {
  SpeadFlavour flavour = SpeadFlavour::spead_64_48;
  /// Type of the samples in heaps; frames have floating-point elements.
  ElementType element = ElementType::float32;
  bool is_big_endian = false;
  /// Axes, rate and unit of frames; samples have the same order in heaps. `time` is the first axis except for
  /// axes of size 1 if a frame has several heaps.
  FrameType frame;
  /// Heaps in a frame.
  std::size_t heaps = 1;
  /// Number of the samples' item; 0: any item at `offset`. And its name, for a stream whose descriptors
  /// contain its number.
  std::uint32_t item = 0;
  std::string item_name = {};
  /// Offset of the samples in a heap's payload, and the length of the payload; 0: samples only.
  std::size_t offset = 0, heap_bytes = 0;
  /// Largest number of heap bytes in a packet, and in the first one, in which senders reserve space for more
  /// items; 0: the same number.
  std::size_t payload_bytes = 1432, first_payload_bytes = 0;
  /// Number of the item with the time of a heap's first sample; 0: heaps are numbered by their counters, and
  /// time is the receiver's.
  std::uint32_t timestamp = 0;
  /// Its name, if descriptors contain its number: heaps have no times before the first descriptor.
  std::string timestamp_name = {};
  /// Time between heaps in ticks, ticks per second, and the time of tick 0 in seconds since
  /// 1970.
  std::int64_t heap_ticks = 0;
  double ticks_per_second = 0;
  double since_s = 0;

  [[nodiscard]] bool has_times() const { return timestamp != 0 || !timestamp_name.empty(); }
  /// Return the bytes of samples in a heap; the bytes of its whole payload.
  [[nodiscard]] std::size_t sample_bytes() const;
  [[nodiscard]] std::size_t whole_bytes() const {
    return heap_bytes > 0 ? heap_bytes : offset + sample_bytes();
  }
  [[nodiscard]] std::size_t first_bytes() const {
    return first_payload_bytes > 0 ? first_payload_bytes : payload_bytes;
  }
  [[nodiscard]] double heaps_per_second() const { return frame.rate_hz * static_cast<double>(heaps); }

  /// Return the number of a heap's packets, and the begin and end of each (from 0) in the payload.
  [[nodiscard]] std::size_t packet_count() const;
  [[nodiscard]] std::size_t begin_of(std::size_t packet) const {
    return packet == 0 ? 0 : first_bytes() + (packet - 1) * payload_bytes;
  }
  [[nodiscard]] std::size_t end_of(std::size_t packet) const {
    const std::size_t end = first_bytes() + packet * payload_bytes;
    return end < whole_bytes() ? end : whole_bytes();
  }
  /// Return the first packet with samples, and the number of such packets.
  [[nodiscard]] std::size_t first_packet() const;
  [[nodiscard]] std::size_t sample_packets() const;
};

/// Throws OptionError.
void validate(const SpeadFormat& format);

/// Elements are float32 (float64 and complex_float32 if samples are), missing ones NaN. Throws
/// OptionError.
[[nodiscard]] FrameType spead_frame_type(const SpeadFormat& format);

/// Return the numbers in an element (2 for complex ones), and bytes of each.
[[nodiscard]] std::size_t numbers_of(ElementType element);
[[nodiscard]] std::size_t number_bytes(ElementType element);

}  // namespace takt::sensors
