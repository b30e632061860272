#include "sensors/spead/regrouping.hpp"

#include <algorithm>
#include <iterator>

namespace takt::sensors {

namespace {

/// Largest number of bytes in a heap in addition to the samples.
constexpr std::uint64_t most_extra_bytes = 65'536;
/// Number of immediate values kept of a heap.
constexpr std::size_t most_values = 64;
/// Number of a null item.
constexpr std::uint32_t null_item = 0;

}  // namespace

bool ByteRanges::add(std::uint64_t begin, std::uint64_t end) {
  const auto first =
      std::ranges::lower_bound(ranges_, begin, {}, [](const auto& range) { return range.second; });
  const auto last =
      std::ranges::upper_bound(first, ranges_.end(), end, {}, [](const auto& range) { return range.first; });
  if (first == last) {
    if (ranges_.size() == most_ranges) return false;
    ranges_.insert(first, {begin, end});
    return true;
  }
  first->first = std::min(first->first, begin);
  first->second = std::max(std::prev(last)->second, end);
  ranges_.erase(std::next(first), last);
  return true;
}

bool ByteRanges::covers(std::uint64_t begin, std::uint64_t end) const {
  const auto after =
      std::ranges::upper_bound(ranges_, begin, {}, [](const auto& range) { return range.first; });
  return after != ranges_.begin() && std::prev(after)->second >= end;
}

std::optional<std::uint64_t> find_samples(std::span<const std::byte> datagram, const SpeadFormat& format,
                                          std::uint32_t item, std::uint64_t heap_length) {
  const std::size_t count = read_spead_word(datagram) & 0xFFFF;
  std::vector<SpeadPointer> pointers;
  for (std::size_t i = 1; i <= count; ++i) {
    const SpeadPointer pointer =
        decode_pointer(read_spead_word(datagram.subspan(i * spead_word)), format.flavour);
    if (!pointer.is_immediate) pointers.push_back(pointer);
  }
  std::ranges::sort(pointers, {}, &SpeadPointer::value);
  std::optional<std::uint64_t> found;
  for (auto pointer = pointers.begin(); pointer != pointers.end(); ++pointer) {
    const bool may_be = item != 0 ? pointer->id == item
                                  : pointer->id != null_item &&
                                        pointer->id != static_cast<std::uint32_t>(SpeadItem::descriptor);
    if (!may_be) continue;
    const std::uint64_t end = std::next(pointer) == pointers.end() ? heap_length : std::next(pointer)->value;
    const bool is_whole = end >= pointer->value && end - pointer->value == format.sample_bytes();
    if (is_whole && !found)
      found = pointer->value;
    else if (is_whole || item != 0)
      return no_samples;
  }
  return found;
}

bool SpeadRegrouper::take(std::span<const std::byte> datagram, const SpeadPacket& packet,
                          std::uint32_t item) {
  const std::uint64_t length = packet.heap_length.value_or(0);
  latest_ = {packet.payload_offset, packet.payload_offset + packet.payload.size()};
  if (length < format_.sample_bytes() || length > format_.whole_bytes() + most_extra_bytes ||
      latest_.end > length || packet.payload.empty())
    return false;
  // A repetition of a complete heap is a new one, from a restarted sender.
  if (counter_ != packet.heap_counter || length_ != length || given_ == is_given_.size())
    begin_heap(packet, length);
  if (!begin_) {
    begin_ = find_samples(datagram, format_, item, length);
    is_new_heap_ = begin_.has_value();
  }
  if (begin_ == no_samples) return false;
  note_values(datagram);
  if (there_.add(latest_.begin, latest_.end))
    std::ranges::copy(packet.payload, payload_.begin() + static_cast<std::ptrdiff_t>(latest_.begin));
  return true;
}

void SpeadRegrouper::begin_heap(const SpeadPacket& packet, std::uint64_t length) {
  counter_ = packet.heap_counter;
  length_ = length;
  heap_.reset();
  begin_.reset();
  values_.clear();
  there_.clear();
  is_given_.assign(format_.sample_packets(), false);
  given_ = 0;
  payload_.resize(format_.whole_bytes() + most_extra_bytes);
}

void SpeadRegrouper::note_values(std::span<const std::byte> datagram) {
  const std::size_t count = read_spead_word(datagram) & 0xFFFF;
  for (std::size_t i = 1; i <= count && values_.size() < most_values; ++i) {
    const SpeadPointer pointer =
        decode_pointer(read_spead_word(datagram.subspan(i * spead_word)), format_.flavour);
    // The items of every packet describe the packet, not the heap.
    if (pointer.is_immediate && pointer.id > static_cast<std::uint32_t>(SpeadItem::stream_control))
      values_.push_back(pointer);
  }
}

std::optional<std::uint64_t> SpeadRegrouper::value_of(std::uint32_t item) const {
  const auto found = std::ranges::find(values_, item, &SpeadPointer::id);
  return found == values_.end() ? std::nullopt : std::optional(found->value);
}

void SpeadRegrouper::set_heap(std::uint64_t heap) {
  heap_ = heap;
  is_new_heap_ = true;
}

std::span<const std::size_t> SpeadRegrouper::give() {
  places_.clear();
  if (!begin_ || !heap_) return places_;
  const std::size_t first = is_new_heap_ ? 0 : piece_at(latest_.begin);
  const std::size_t last = is_new_heap_ ? is_given_.size() - 1 : piece_at(latest_.end - 1);
  is_new_heap_ = false;
  for (std::size_t piece = first; piece <= last; ++piece) {
    const std::size_t place = format_.first_packet() + piece;
    const Bytes samples = samples_of(place);
    if (is_given_[piece] ||
        !there_.covers(*begin_ + samples.begin - format_.offset, *begin_ + samples.end - format_.offset))
      continue;
    is_given_[piece] = true;
    ++given_;
    places_.push_back(place);
  }
  return places_;
}

SpeadRegrouper::Bytes SpeadRegrouper::samples_of(std::size_t place) const {
  return {std::max<std::uint64_t>(format_.begin_of(place), format_.offset),
          std::min<std::uint64_t>(format_.end_of(place), format_.offset + format_.sample_bytes())};
}

/// Returns the piece of a byte in the heap; for one before or after the samples the first or last one.
std::size_t SpeadRegrouper::piece_at(std::uint64_t byte) const {
  const std::uint64_t sample =
      std::min<std::uint64_t>(byte - std::min(byte, *begin_), format_.sample_bytes() - 1);
  const std::uint64_t at = format_.offset + sample;
  const std::uint64_t place =
      at < format_.first_bytes() ? 0 : 1 + (at - format_.first_bytes()) / format_.payload_bytes;
  return static_cast<std::size_t>(place) - format_.first_packet();
}

void SpeadRegrouper::copy_piece(std::size_t place, std::span<std::byte> payload) const {
  const Bytes samples = samples_of(place);
  const auto from = static_cast<std::size_t>(*begin_ + samples.begin - format_.offset);
  const auto to = static_cast<std::size_t>(samples.begin - format_.begin_of(place));
  std::ranges::copy(std::span(payload_).subspan(from, static_cast<std::size_t>(samples.end - samples.begin)),
                    payload.begin() + static_cast<std::ptrdiff_t>(to));
}

}  // namespace takt::sensors
