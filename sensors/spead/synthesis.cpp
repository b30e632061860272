#include "sensors/spead/synthesis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "sensors/option_error.hpp"
#include "sensors/packets/time_after.hpp"
#include "sensors/spead/descriptor.hpp"
#include "sensors/spead/samples.hpp"

namespace takt::sensors {

namespace {

double elements_per_second(const SpeadFormat& format) {
  return format.heaps_per_second() * static_cast<double>(format.sample_bytes() / size_of(format.element));
}

SpeadPointer told(SpeadItem item, std::uint64_t value) {
  return {.is_immediate = true, .id = static_cast<std::uint32_t>(item), .value = value};
}

/// Returns the time of the first heap in the sender's ticks; a whole number of heaps, as for all others.
std::uint64_t first_timestamp(const SpeadFormat& format, std::int64_t second) {
  if (format.timestamp == 0) return 0;
  const long double ticks = (static_cast<long double>(second) - static_cast<long double>(format.since_s)) *
                            static_cast<long double>(format.ticks_per_second);
  const auto heaps =
      static_cast<std::uint64_t>(std::ceil(ticks / static_cast<long double>(format.heap_ticks)));
  return heaps * static_cast<std::uint64_t>(format.heap_ticks);
}

}  // namespace

double SpeadCodec::packets_per_second() const {
  return format_.heaps_per_second() * static_cast<double>(format_.packet_count());
}

std::optional<std::int64_t> SpeadCodec::utc_of(std::span<const std::byte> packet) const {
  SpeadPacket read;
  if (decode_spead(packet, format_.flavour, 0, 0, read) != SpeadVerdict::good) return {};
  const double heaps = static_cast<double>(read.heap_counter) - 1 +
                       static_cast<double>(read.payload_offset) / static_cast<double>(format_.whole_bytes());
  return time_after(first_utc_ns_, heaps / format_.heaps_per_second());
}

std::span<const std::string_view> SpeadCodec::causes() const {
  // Excludes the time: only a heap's first packet has one to damage.
  static const std::array names{name_of(SpeadVerdict::header), name_of(SpeadVerdict::size),
                                name_of(SpeadVerdict::items), name_of(SpeadVerdict::layout)};
  return names;
}

std::size_t SpeadCodec::damage(std::vector<std::byte>& packet, std::uint64_t choice) const {
  const std::size_t cause = packet.size() < 5 * spead_word ? 0 : choice % causes().size();
  if (cause == 0) {
    if (packet.empty()) packet.resize(1);
    packet[0] ^= std::byte{0x80};
  } else if (cause == 1) {
    packet.pop_back();
  } else {
    // Removes the heap counter, or misplaces the payload.
    const bool is_layout = cause == 3;
    const auto wanted =
        static_cast<std::uint32_t>(is_layout ? SpeadItem::payload_offset : SpeadItem::heap_counter);
    const std::size_t items = read_spead_word(packet) & 0xFFFF;
    for (std::size_t i = 1; i <= items && (i + 1) * spead_word <= packet.size(); ++i) {
      const std::span<std::byte> word = std::span(packet).subspan(i * spead_word, spead_word);
      SpeadPointer pointer = decode_pointer(read_spead_word(word), format_.flavour);
      if (pointer.id != wanted) continue;
      if (is_layout)
        pointer.value = format_.whole_bytes() + 1;
      else
        pointer.id = 0;
      write_spead_word(word, encode_pointer(pointer, format_.flavour));
    }
  }
  return cause;
}

std::size_t SpeadCodec::coalesced(std::span<const std::byte> datagram, std::size_t usual) const {
  return coalesced_by_headers(datagram, usual, [this](std::span<const std::byte> packet) {
    return spead_packet_bytes(packet, format_.flavour);
  });
}

bool SpeadCodec::shift(std::span<std::byte> packet, std::int64_t packets) const {
  SpeadPacket read;
  if (decode_spead(packet, format_.flavour, 0, 0, read) != SpeadVerdict::good || read.heap_counter == 0)
    return false;
  const double a_heap = static_cast<double>(format_.packet_count());
  const std::int64_t heaps = std::llround(static_cast<double>(packets) / a_heap);
  if (static_cast<std::int64_t>(read.heap_counter) + heaps < 1) return false;
  const std::size_t items = read_spead_word(packet) & 0xFFFF;
  for (std::size_t i = 1; i <= items; ++i) {
    const std::span<std::byte> word = packet.subspan(i * spead_word, spead_word);
    SpeadPointer pointer = decode_pointer(read_spead_word(word), format_.flavour);
    const bool is_time = format_.timestamp != 0 && pointer.id == format_.timestamp;
    if (is_time)
      pointer.value += static_cast<std::uint64_t>(heaps * format_.heap_ticks);
    else if (pointer.id == static_cast<std::uint32_t>(SpeadItem::heap_counter))
      pointer.value += static_cast<std::uint64_t>(heaps);
    else
      continue;
    write_spead_word(word, encode_pointer(pointer, format_.flavour));
  }
  return true;
}

void validate(const SpeadSynthesisOptions& options) {
  validate(options.format);
  validate(options.signal, 1, false);
  if (!std::isfinite(options.tone_hz))
    throw OptionError("tone", fmt::format("a tone of {} Hz is not valid", options.tone_hz));
  const int bits = static_cast<int>(options.format.flavour);
  if (options.format.timestamp != 0 &&
      (static_cast<double>(options.second) - options.format.since_s) * options.format.ticks_per_second >=
          std::ldexp(1, bits))
    throw OptionError("since",
                      fmt::format("the time of the first heap does not fit {} bits: expected a time of "
                                  "0 that is later than {}",
                                  bits, options.format.since_s));
  if (options.format.timestamp != 0 && static_cast<double>(options.second) < options.format.since_s)
    throw OptionError("second", fmt::format("the second {} is before the time of 0, {}", options.second,
                                            options.format.since_s));
}

SpeadSynthesis::SpeadSynthesis(SpeadSynthesisOptions options)
    : options_((validate(options), std::move(options))),
      codec_(options_.format, options_.second * 1'000'000'000),
      signal_(options_.signal, options_.tone_hz, elements_per_second(options_.format), options_.second,
              {.parts = numbers_of(options_.format.element)},
              options_.format.sample_bytes() / number_bytes(options_.format.element)),
      numbers_(options_.format.sample_bytes() / number_bytes(options_.format.element)),
      heap_(options_.format.whole_bytes()) {
  if (options_.has_descriptors) describe();
}

void SpeadSynthesis::describe() {
  const SpeadFormat& format = options_.format;
  const auto add = [&](const SpeadDescriptor& descriptor) {
    if (descriptor.id == 0) return;
    descriptors_.push_back(description_.size());
    const std::vector<std::byte> bytes = encode_descriptor(descriptor, format.flavour);
    description_.insert(description_.end(), bytes.begin(), bytes.end());
  };
  const auto number_bits = static_cast<unsigned>(8 * number_bytes(format.element));
  const std::uint64_t values = format.sample_bytes() / number_bytes(format.element);
  SpeadDescriptor samples{.id = format.item,
                          .name = format.item_name.empty() ? "samples" : format.item_name,
                          .description = "synthesised by takt",
                          .shape = {values},
                          .kind = is_floating(format.element)   ? 'f'
                                  : is_unsigned(format.element) ? 'u'
                                                                : 'i',
                          .bits = number_bits,
                          .is_big_endian = format.is_big_endian};
  // Complex integers are pairs, which numpy does not have otherwise.
  if (numbers_of(format.element) == 2 && is_floating(format.element)) {
    samples.kind = 'c';
    samples.bits = 2 * number_bits;
    samples.shape = {values / 2};
  } else if (numbers_of(format.element) == 2) {
    samples.shape = {values / 2, 2};
  }
  add(samples);
  add({.id = format.timestamp,
       .name = format.timestamp_name.empty() ? "timestamp" : format.timestamp_name,
       .description = "of a heap's first sample",
       .kind = 'u',
       .bits = static_cast<unsigned>(format.flavour)});
}

LanePacket SpeadSynthesis::next_of_description() {
  const SpeadFormat& format = options_.format;
  const std::size_t end = std::min(place_ + format.payload_bytes, description_.size());
  std::vector<SpeadPointer> items{
      told(SpeadItem::heap_counter, 0), told(SpeadItem::heap_length, description_.size()),
      told(SpeadItem::payload_offset, place_), told(SpeadItem::payload_length, end - place_)};
  for (const std::size_t begin : descriptors_)
    if (place_ == 0)
      items.push_back(
          {.is_immediate = false, .id = static_cast<std::uint32_t>(SpeadItem::descriptor), .value = begin});
  encode_spead(format.flavour, items, std::span(description_).subspan(place_, end - place_), packet_);
  place_ = end;
  if (place_ == description_.size()) {
    description_.clear();
    place_ = 0;
  }
  return {0, packet_};
}

void SpeadSynthesis::fill_heap() {
  const std::size_t elements = numbers_.size() / numbers_of(options_.format.element);
  signal_.make(heap_number_, heap_number_ * elements, 0, numbers_);
  encode_numbers(options_.format.element, options_.format.is_big_endian, numbers_,
                 std::span(heap_).subspan(options_.format.offset, options_.format.sample_bytes()));
}

std::optional<LanePacket> SpeadSynthesis::next() {
  const SpeadFormat& format = options_.format;
  if (!description_.empty()) return next_of_description();
  if (options_.heaps > 0 && heap_number_ == options_.heaps) {
    if (has_ended_) return {};
    has_ended_ = true;
    const std::array items{told(SpeadItem::heap_counter, heap_number_ + 1), told(SpeadItem::heap_length, 0),
                           told(SpeadItem::payload_offset, 0), told(SpeadItem::payload_length, 0),
                           told(SpeadItem::stream_control, spead_stop)};
    encode_spead(format.flavour, items, {}, packet_);
    return LanePacket{0, packet_};
  }
  if (place_ == 0) fill_heap();
  const std::size_t begin = format.begin_of(place_), end = format.end_of(place_);
  std::array<SpeadPointer, 6> items{
      told(SpeadItem::heap_counter, heap_number_ + 1), told(SpeadItem::heap_length, format.whole_bytes()),
      told(SpeadItem::payload_offset, begin), told(SpeadItem::payload_length, end - begin)};
  std::size_t count = 4;
  if (place_ == 0 && format.timestamp != 0)
    items[count++] = {.is_immediate = true,
                      .id = format.timestamp,
                      .value = first_timestamp(format, options_.second) +
                               heap_number_ * static_cast<std::uint64_t>(format.heap_ticks)};
  if (place_ == 0 && format.item != 0)
    items[count++] = {.is_immediate = false, .id = format.item, .value = format.offset};
  encode_spead(format.flavour, std::span(items).first(count), std::span(heap_).subspan(begin, end - begin),
               packet_);
  if (++place_ == format.packet_count()) {
    place_ = 0;
    ++heap_number_;
  }
  return LanePacket{0, packet_};
}

}  // namespace takt::sensors
