#include "sensors/spead/builder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/system/clock.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"
#include "sensors/packets/numbered_time.hpp"
#include "sensors/spead/descriptor.hpp"
#include "sensors/spead/heap_times.hpp"
#include "sensors/spead/regrouping.hpp"
#include "sensors/spead/samples.hpp"

namespace takt::sensors {

namespace {

/// Largest number of items per packet for which memory is reserved.
constexpr std::size_t most_items = 60;
/// Largest number of reported descriptors that disagree with the file.
constexpr std::size_t most_contradictions = 4;
/// Largest number of reported unused items.
constexpr std::size_t most_unused = 8;

/// Writes the samples of a frame's packets to their places.
class SpeadPlaces {
 public:
  explicit SpeadPlaces(const SpeadFormat& format)
      : format_(format),
        type_(spead_frame_type(format)),
        parts_(format.sample_packets()),
        first_(format.first_packet()),
        wire_bytes_(number_bytes(format.element)),
        float_bytes_(format.element == ElementType::float64 ? sizeof(double) : sizeof(float)) {}

  void scatter(std::span<const std::byte> payload, std::size_t packet, std::span<std::byte> elements) const {
    const Piece piece = piece_of(packet);
    decode_numbers(format_.element, format_.is_big_endian, payload.subspan(piece.skip, piece.bytes),
                   elements.data() + piece.number * float_bytes_);
  }

  void mark_missing(std::size_t packet, std::span<std::byte> elements) const {
    const Piece piece = piece_of(packet);
    fill_with_nan(type_.element,
                  elements.subspan(piece.number * float_bytes_, piece.bytes / wire_bytes_ * float_bytes_));
  }

  /// Covers all packets with NaN, lost or not.
  bool find_nan(std::span<std::byte> elements, FrameHeader& header) const {
    if (!sensors::find_nan(type_, elements.first(type_.data_size().count))) return false;
    const std::size_t packets = header.parts, pieces = std::min<std::size_t>(64, packets);
    header.missing_parts = 0;
    for (std::size_t packet = 0; packet < packets; ++packet) {
      const Piece piece = piece_of(packet);
      const std::byte* const from = elements.data() + piece.number * float_bytes_;
      if (!(float_bytes_ == sizeof(double) ? any_is_nan<double>(from, piece.bytes / wire_bytes_)
                                           : any_is_nan<float>(from, piece.bytes / wire_bytes_)))
        continue;
      ++header.missing_parts;
      header.missing_mask |= std::uint64_t{1} << (packet * pieces / packets);
    }
    return true;
  }

 private:
  template <class Number>
  static bool any_is_nan(const std::byte* bytes, std::size_t count) {
    const std::span numbers(reinterpret_cast<const Number*>(bytes), count);
    return std::ranges::any_of(numbers, [](Number number) { return std::isnan(number); });
  }

  /// The samples of a packet: their offset in its payload, their size in bytes, and the first one's number in
  /// the frame.
  struct Piece {
    std::size_t skip, bytes, number;
  };

  [[nodiscard]] Piece piece_of(std::size_t packet) const {
    const std::size_t heap = packet / parts_, place = first_ + packet % parts_;
    const std::size_t begin = format_.begin_of(place), end = format_.end_of(place);
    const std::size_t from = std::max(begin, format_.offset);
    const std::size_t to = std::min(end, format_.offset + format_.sample_bytes());
    return {from - begin, to - from, (heap * format_.sample_bytes() + from - format_.offset) / wire_bytes_};
  }

  const SpeadFormat format_;
  const FrameType type_;
  std::size_t parts_, first_, wire_bytes_, float_bytes_;
};

FrameGrid spead_grid(const SpeadFormat& format, std::uint32_t source) {
  const auto places = std::make_shared<SpeadPlaces>(format);  // shared by functions of one grid
  const std::size_t parts = format.sample_packets();
  FrameGrid grid{.packets = parts * format.heaps,
                 .ticks_per_second = format.heaps_per_second() * static_cast<double>(parts),
                 .alignment = parts,
                 .payload_bytes = format.payload_bytes,
                 .source = static_cast<std::uint16_t>(source)};
  grid.scatter = [places](std::span<const std::byte> payload, std::size_t, std::size_t packet,
                          std::span<std::byte> elements) { places->scatter(payload, packet, elements); };
  grid.mark_missing = [places](std::size_t, std::size_t packet, std::span<std::byte> elements) {
    places->mark_missing(packet, elements);
  };
  if (is_floating(format.element))
    grid.find_nan = [places](std::span<std::byte> elements, FrameHeader& header) {
      return places->find_nan(elements, header);
    };
  return grid;
}

/// The notation of pipeline files: `64-48`.
std::string to_text(SpeadFlavour flavour) {
  return fmt::format("64-{}", static_cast<int>(flavour));
}

class SpeadBuilder final : public FrameBuilder {
 public:
  SpeadBuilder(const SpeadFormat& format, const Assembly& assembly, std::uint32_t source, FrameQueue& frames)
      : format_(format),
        parts_(format.sample_packets()),
        times_(std::max<std::uint64_t>(static_cast<std::uint64_t>(format.heap_ticks), 1), parts_),
        counted_(format.heaps_per_second(), parts_),
        grid_(timed_grid(source)),
        padded_(format.payload_bytes),
        assembler_(grid_, assembly, counts_, frames) {}

  bool take(std::size_t, std::span<const std::byte> datagram, std::int64_t now_ns) override {
    SpeadPacket packet;
    const SpeadVerdict verdict = decode_spead(datagram, format_.flavour, item_, timestamp_, packet);
    if (verdict != SpeadVerdict::good) {
      const std::optional<unsigned> bits = spead_address_bits(datagram);
      if (bits && *bits != static_cast<unsigned>(format_.flavour)) other_flavour_.set(*bits);
      return refuse(verdict);
    }
    note_unused(packet);
    const bool is_other = packet.heap_length && *packet.heap_length != format_.whole_bytes();
    for (const SpeadDescriptor& descriptor : reader_.take(datagram, packet, is_other)) note(descriptor);
    if (packet.is_stop) {
      end_marks_.add();
      return false;
    }
    if (is_other) return regroup(datagram, packet, now_ns);
    std::size_t place = 0;
    if (!find_place(packet, place)) return refuse(SpeadVerdict::layout);
    const std::optional<std::uint64_t> heap = heap_number(packet.heap_counter, packet.timestamp);
    if (!heap) return refuse(SpeadVerdict::timestamp);
    if (place < format_.first_packet() || place >= format_.first_packet() + parts_) {
      aside_.add();
      return true;
    }
    std::span<const std::byte> payload = packet.payload;
    if (payload.size() < padded_.size()) {
      std::ranges::copy(payload, padded_.begin());
      payload = padded_;
    }
    assembler_.take(0, *heap * parts_ + place - format_.first_packet(), payload, now_ns);
    return true;
  }

  void finish(std::int64_t now_ns) override { assembler_.finish(now_ns); }

  void captured_at(std::int64_t utc_ns) override { captured_ns_ = utc_ns; }

  [[nodiscard]] SourceCounters counters() const override {
    SourceCounters counters = counts_.report(1);
    for (std::size_t verdict = 1; verdict < spead_verdict_count; ++verdict)
      counters.details.push_back({fmt::format("refused_{}", name_of(static_cast<SpeadVerdict>(verdict))),
                                  "packets", refused_[verdict].value()});
    counters.details.push_back({"packets_aside", "packets", aside_.value()});
    counters.details.push_back({"packets_regrouped", "packets", regrouped_.value()});
    counters.details.push_back({"parts_regrouped", "packets", regrouped_parts_.value()});
    counters.details.push_back({"end_marks", "packets", end_marks_.value()});
    counters.details.push_back({"other_controls", "packets", other_controls_.value()});
    counters.details.push_back({"items_unused", "items", items_unused_.value()});
    counters.details.push_back({"descriptors", "items", descriptors_.value()});
    return counters;
  }

  [[nodiscard]] std::vector<std::string> warnings(const std::vector<std::string>& lanes) const override {
    std::vector<std::string> warnings =
        lane_warnings(counts_, {lanes.size() == 1 ? lanes.front() : "the stream's ports"});
    if (counts_.received.value() == 0 && other_length_.value() > 0)
      warnings.push_back(fmt::format("heaps have {} bytes: expected {}: see axes, element, offset and heap",
                                     other_length_.value(), format_.whole_bytes()));
    if (counts_.received.value() == 0 && other_flavour_.value() > 0) warnings.push_back(flavour_warning());
    if (counts_.received.value() == 0 && other_payload_.value() > 0)
      warnings.push_back(fmt::format("packets hold {} bytes of a heap: expected {}: 'payload: {}'",
                                     other_payload_.value(), format_.payload_bytes, other_payload_.value()));
    if (other_first_.value() > 0)
      warnings.push_back(fmt::format("first packets of heaps hold {} bytes: expected {}: 'first_payload: {}'",
                                     other_first_.value(), format_.first_bytes(), other_first_.value()));
    if (other_offset_.value() > 0)
      warnings.push_back(fmt::format("samples begin at byte {} of heaps: expected {}: 'offset: {}'",
                                     other_offset_.value(), format_.offset, other_offset_.value()));
    if (addressed_times_.value() > 0)
      warnings.push_back(fmt::format(
          "item {}, the time, is addressed in {} packets: expected immediate; these times are discarded",
          format_.timestamp, addressed_times_.value()));
    if (immediate_samples_.value() > 0)
      warnings.push_back(fmt::format(
          "item {}, the samples, is immediate in {} packets: expected addressed; these samples are discarded",
          format_.item, immediate_samples_.value()));
    const std::lock_guard lock(mutex_);
    if (!unused_.empty())
      warnings.push_back(fmt::format("unused items in heaps: {}{}", fmt::join(unused_, ", "),
                                     unused_.size() == most_unused ? ", ..." : ""));
    warnings.insert(warnings.end(), contradictions_.begin(), contradictions_.end());
    return warnings;
  }

 private:
  /// With timestamps, heaps are numbered by time: the time of heap 0 is known from the first one.
  FrameGrid timed_grid(std::uint32_t source) {
    FrameGrid grid = spead_grid(format_, source);
    if (!format_.has_times()) {
      grid.utc_of = [this](std::uint64_t tick, double ticks_per_second) -> std::int64_t {
        const auto packets = static_cast<long double>(counted_.since_1970(tick / parts_) * parts_);
        return std::llround(packets / static_cast<long double>(ticks_per_second) * 1e9L);
      };
      return grid;
    }
    grid.ticks_per_second =
        format_.ticks_per_second / static_cast<double>(format_.heap_ticks) * static_cast<double>(parts_);
    grid.utc_of = [this](std::uint64_t tick, double) -> std::int64_t {
      // Uses whole ticks of the sender's clock for heaps, so that times are exact.
      const long double seconds = static_cast<long double>(times_.time_of(tick / parts_)) /
                                  static_cast<long double>(format_.ticks_per_second);
      return std::llround((static_cast<long double>(format_.since_s) + seconds) * 1e9L);
    };
    return grid;
  }

  /// Counts fields of a valid packet that takt does not use.
  void note_unused(const SpeadPacket& packet) {
    if (packet.is_other_control) other_controls_.add();
    if (packet.has_addressed_time) addressed_times_.add();
    if (packet.has_immediate_samples) immediate_samples_.add();
    // Before descriptors define the numbers of named items, these may be any.
    const bool is_named_unknown =
        (!format_.item_name.empty() && item_ == 0) || (!format_.timestamp_name.empty() && timestamp_ == 0);
    if (packet.others == 0 || is_named_unknown) return;
    items_unused_.add(packet.others);
    // Only the receiving thread adds to them.
    if (unused_.size() == most_unused || std::ranges::count(unused_, packet.other) > 0) return;
    const std::lock_guard lock(mutex_);
    unused_.push_back(packet.other);
  }

  [[nodiscard]] std::string flavour_warning() const {
    const std::uint64_t bits = other_flavour_.value();
    if (bits == 40 || bits == 48)
      return fmt::format("the packets are SPEAD-64-{}: expected {}: 'flavour: 64-{}'", bits,
                         to_text(format_.flavour), bits);
    return fmt::format("the packets are SPEAD-64-{}, which is not supported: expected 64-40 or 64-48", bits);
  }

  /// Adopts the numbers of named items; compares the description of the samples with the format.
  void note(const SpeadDescriptor& descriptor) {
    descriptors_.add();
    if (!format_.item_name.empty() && descriptor.name == format_.item_name) item_ = descriptor.id;
    if (!format_.timestamp_name.empty() && descriptor.name == format_.timestamp_name)
      timestamp_ = descriptor.id;
    if (item_ == 0 || descriptor.id != item_ ||
        describes(descriptor, format_.element, format_.is_big_endian, format_.sample_bytes()))
      return;
    const std::string contradiction =
        fmt::format("the stream describes item {} '{}' as {}: expected {} bytes of {}, {}-endian",
                    descriptor.id, descriptor.name, descriptor.to_string(), format_.sample_bytes(),
                    name_of(format_.element), format_.is_big_endian ? "big" : "little");
    const std::lock_guard lock(mutex_);
    if (contradictions_.size() < most_contradictions &&
        std::ranges::count(contradictions_, contradiction) == 0)
      contradictions_.push_back(contradiction);
  }

  /// Processes a packet of a heap of another length, which may contain samples as well.
  bool regroup(std::span<const std::byte> datagram, const SpeadPacket& packet, std::int64_t now_ns) {
    if (!regrouper_.take(datagram, packet, item_)) {
      aside_.add();
      other_length_.set(*packet.heap_length);
      return false;
    }
    const std::optional<std::uint64_t> time =
        timestamp_ != 0 ? regrouper_.value_of(timestamp_) : std::nullopt;
    if (!regrouper_.heap() && (time || !format_.has_times())) {
      const std::optional<std::uint64_t> heap = heap_number(packet.heap_counter, time);
      if (!heap) return refuse(SpeadVerdict::timestamp);
      regrouper_.set_heap(*heap);
    }
    regrouped_.add();
    for (const std::size_t place : regrouper_.give()) {
      regrouper_.copy_piece(place, padded_);
      regrouped_parts_.add();
      assembler_.take(0, *regrouper_.heap() * parts_ + place - format_.first_packet(), padded_, now_ns);
    }
    return true;
  }

  bool refuse(SpeadVerdict verdict) {
    refused_[static_cast<std::size_t>(verdict)].add();
    return false;
  }

  /// Finds the packet's number in its heap; returns whether it is an expected one.
  bool find_place(const SpeadPacket& packet, std::size_t& place) {
    if (packet.item_offset && *packet.item_offset != format_.offset) {
      other_offset_.set(*packet.item_offset);
      return false;
    }
    const std::uint64_t offset = packet.payload_offset;
    if (offset >= format_.whole_bytes()) return false;
    if (offset == 0 && packet.payload.size() != format_.end_of(0)) other_first_.set(packet.payload.size());
    if (offset > 0 && packet.payload.size() != format_.payload_bytes &&
        offset + packet.payload.size() < format_.whole_bytes())
      other_payload_.set(packet.payload.size());
    place = offset < format_.first_bytes() ? (offset == 0 ? 0 : format_.packet_count())
                                           : 1 + (offset - format_.first_bytes()) / format_.payload_bytes;
    return place < format_.packet_count() && format_.begin_of(place) == offset &&
           packet.payload.size() == format_.end_of(place) - offset;
  }

  std::optional<std::uint64_t> heap_number(std::uint64_t counter, std::optional<std::uint64_t> time) {
    return format_.has_times() ? times_.heap_of(counter, time) : counted_.place_of(counter, utc_now());
  }

  /// Arrival time of a heap without a time, if known.
  [[nodiscard]] std::int64_t utc_now() const { return captured_ns_ ? *captured_ns_ : utc_now_ns(); }

  const SpeadFormat format_;
  const std::size_t parts_;
  /// As in the format, or in the stream's descriptors.
  std::uint32_t item_ = format_.item, timestamp_ = format_.timestamp;
  SpeadDescriptorReader reader_{format_.flavour};
  SpeadRegrouper regrouper_{format_};
  mutable std::mutex mutex_;
  std::vector<std::string> contradictions_;
  std::vector<std::uint32_t> unused_;
  /// For recordings.
  std::optional<std::int64_t> captured_ns_;
  /// With times, and without.
  HeapTimes times_;
  NumberedTime counted_;
  const FrameGrid grid_;
  AssemblyCounts counts_;
  std::array<Tally, spead_verdict_count> refused_;
  Tally aside_, regrouped_, regrouped_parts_, end_marks_, descriptors_, other_length_, other_first_,
      other_payload_, other_offset_, other_flavour_, other_controls_, items_unused_, addressed_times_,
      immediate_samples_;
  std::vector<std::byte> padded_;
  Assembler assembler_;
};

}  // namespace

PacketFormat spead_packets(const SpeadFormat& format, const Assembly& assembly, std::uint32_t source) {
  const FrameType type = spead_frame_type(format);
  validate(assembly);
  return {.name = "SPEAD",
          .type = type,
          .largest_packet = (1 + most_items) * spead_word + format.payload_bytes,
          .open_frames = Assembler::open_frames(format.sample_packets() * format.heaps, assembly),
          .window = assembly.window,
          .make_builder = [=](FrameQueue& frames) -> std::unique_ptr<FrameBuilder> {
            return std::make_unique<SpeadBuilder>(format, assembly, source, frames);
          }};
}

}  // namespace takt::sensors
