#pragma once
/// What the heaps of one SPEAD stream look like in a run, and the frames that are made of them.

#include <cstddef>
#include <cstdint>
#include <string>

#include "sensors/frames/frame.hpp"
#include "sensors/spead/packet.hpp"

namespace takt::sensors {

struct SpeadFormat {
  SpeadFlavour flavour = SpeadFlavour::spead_64_48;
  /// Of the samples in heaps; frames have floating-point elements.
  ElementType element = ElementType::float32;
  bool is_big_endian = false;
  /// Axes, rate and unit of frames; samples lie in heaps as in frames. `time` comes first but for axes of
  /// size 1 where a frame has several heaps.
  FrameType frame;
  /// Heaps in a frame.
  std::size_t heaps = 1;
  /// Number of the item that is the samples; 0: whatever lies at `offset`. And its name, for a stream whose
  /// descriptors tell its number.
  std::uint32_t item = 0;
  std::string item_name = {};
  /// Where the samples begin in a heap's payload, and how long that is; 0: it is nothing but samples.
  std::size_t offset = 0, heap_bytes = 0;
  /// The most bytes of a heap in a packet, and those in its first one, which senders leave room for more
  /// items in; 0: as many.
  std::size_t payload_bytes = 1432, first_payload_bytes = 0;
  /// Number of the item that is the time of a heap's first sample; 0: heaps are numbered by their counters,
  /// and time is the receiver's.
  std::uint32_t timestamp = 0;
  /// Its name, where descriptors tell its number: until one has come heaps have no times.
  std::string timestamp_name = {};
  /// From one heap's time to the next, and how many of these are a second; and the time of 0, in seconds
  /// since 1970.
  std::int64_t heap_ticks = 0;
  double ticks_a_second = 0;
  double since_s = 0;

  [[nodiscard]] bool has_times() const { return timestamp != 0 || !timestamp_name.empty(); }
  /// Bytes of samples in a heap; of all of its payload.
  [[nodiscard]] std::size_t sample_bytes() const;
  [[nodiscard]] std::size_t whole_bytes() const {
    return heap_bytes > 0 ? heap_bytes : offset + sample_bytes();
  }
  [[nodiscard]] std::size_t first_bytes() const {
    return first_payload_bytes > 0 ? first_payload_bytes : payload_bytes;
  }
  [[nodiscard]] double heaps_a_second() const { return frame.rate_hz * static_cast<double>(heaps); }

  /// A heap's packets, the first one 0: how many they are, and where one begins and ends in the payload.
  [[nodiscard]] std::size_t packet_count() const;
  [[nodiscard]] std::size_t begin_of(std::size_t packet) const {
    return packet == 0 ? 0 : first_bytes() + (packet - 1) * payload_bytes;
  }
  [[nodiscard]] std::size_t end_of(std::size_t packet) const {
    const std::size_t end = first_bytes() + packet * payload_bytes;
    return end < whole_bytes() ? end : whole_bytes();
  }
  /// Those with samples: the first one, and how many.
  [[nodiscard]] std::size_t first_packet() const;
  [[nodiscard]] std::size_t sample_packets() const;
};

/// Throws OptionError.
void validate(const SpeadFormat& format);

/// Elements are float32 (float64 and complex_float32 where samples are), what is missing NaN. Throws
/// OptionError.
[[nodiscard]] FrameType spead_frame_type(const SpeadFormat& format);

/// Numbers in an element (2 of complex ones), and bytes of each.
[[nodiscard]] std::size_t numbers_of(ElementType element);
[[nodiscard]] std::size_t number_bytes(ElementType element);

}  // namespace takt::sensors
