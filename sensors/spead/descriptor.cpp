#include "sensors/spead/descriptor.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sensors/spead/format.hpp"

namespace takt::sensors {

namespace {

/// Items of a descriptor.
enum : std::uint32_t {
  item_name = 0x10,
  item_description = 0x11,
  item_shape = 0x12,
  item_format = 0x13,
  item_number = 0x14,
  item_numpy = 0x15
};

constexpr std::size_t most_kept = 64 << 10, most_descriptors = 64, most_axes = 16;
constexpr std::size_t longest_name = 256;

/// Bytes of a field of the format, and of an axis of the shape.
std::size_t format_bytes(SpeadFlavour flavour) {
  return spead_word + 1 - static_cast<std::size_t>(flavour) / 8;
}
std::size_t axis_bytes(SpeadFlavour flavour) {
  return 1 + static_cast<std::size_t>(flavour) / 8;
}

std::uint64_t read_number(std::span<const std::byte> bytes) {
  std::uint64_t value = 0;
  for (const std::byte byte : bytes) value = value << 8 | std::to_integer<std::uint64_t>(byte);
  return value;
}

void put_number(std::vector<std::byte>& to, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = bytes; i-- > 0;) to.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void put_text(std::vector<std::byte>& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

/// Makes bytes from an untrusted sender printable.
std::string text_of(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min(bytes.size(), longest_name))) {
    const char c = std::to_integer<char>(byte);
    text += c >= ' ' && c <= '~' ? c : '?';
  }
  return text;
}

/// Parses numpy's header, `{'descr': '<i2', 'fortran_order': False, 'shape': (256, 2)}`.
void read_numpy(const std::string& text, SpeadDescriptor& descriptor) {
  constexpr std::string_view type_key = "'descr': '", shape_key = "'shape': (";
  const std::size_t type = text.find(type_key);
  if (type == std::string::npos || text.size() < type + type_key.size() + 3) return;
  const char* const at = text.data() + type + type_key.size();
  unsigned bytes = 0;
  std::from_chars(at + 2, text.data() + text.size(), bytes);
  descriptor.is_big_endian = at[0] == '>';
  descriptor.kind = at[1];
  descriptor.bits = std::min(bytes, 64U) * 8;
  const std::size_t shape = text.find(shape_key);
  if (shape == std::string::npos) return;
  descriptor.shape.clear();
  const char* next = text.data() + shape + shape_key.size();
  const char* const end = text.data() + text.size();
  while (next < end && descriptor.shape.size() < most_axes) {
    std::uint64_t axis = 0;
    const auto [rest, error] = std::from_chars(next, end, axis);
    if (error != std::errc{}) break;
    descriptor.shape.push_back(axis);
    next = rest;
    while (next < end && (*next == ',' || *next == ' ')) ++next;
  }
}

void read_format(std::span<const std::byte> bytes, SpeadFlavour flavour, SpeadDescriptor& descriptor) {
  // A format of several fields is not represented.
  if (bytes.size() != format_bytes(flavour)) return;
  descriptor.kind = std::to_integer<char>(bytes[0]);
  descriptor.bits = static_cast<unsigned>(read_number(bytes.subspan(1)));
}

void read_shape(std::span<const std::byte> bytes, SpeadFlavour flavour, SpeadDescriptor& descriptor) {
  const std::size_t each = axis_bytes(flavour);
  for (; bytes.size() >= each && descriptor.shape.size() < most_axes; bytes = bytes.subspan(each)) {
    // The first byte marks a variable size.
    const bool is_fixed = bytes[0] == std::byte{0};
    descriptor.shape.push_back(is_fixed ? read_number(bytes.subspan(1, each - 1)) : 0);
  }
}

}  // namespace

std::string SpeadDescriptor::to_string() const {
  const char* const kinds = kind == 'i'   ? "integers"
                            : kind == 'u' ? "integers without sign"
                            : kind == 'f' ? "floating point"
                            : kind == 'c' ? "complex"
                                          : "values";
  return fmt::format("{} of {} bits, {}-endian, [{}]", kinds, bits, is_big_endian ? "big" : "little",
                     fmt::join(shape, ", "));
}

std::optional<SpeadDescriptor> decode_descriptor(std::span<const std::byte> bytes, SpeadFlavour flavour) {
  if (bytes.size() < spead_word) return {};
  const std::size_t items = read_spead_word(bytes) & 0xFFFF;
  if (bytes.size() / spead_word < 1 + items) return {};
  SpeadDescriptor descriptor;
  std::optional<std::uint64_t> length;
  std::vector<SpeadPointer> fields;
  for (std::size_t i = 1; i <= items; ++i) {
    const SpeadPointer pointer = decode_pointer(read_spead_word(bytes.subspan(i * spead_word)), flavour);
    if (pointer.is_immediate && pointer.id == static_cast<std::uint32_t>(SpeadItem::payload_length))
      length = pointer.value;
    else if (pointer.is_immediate && pointer.id == item_number)
      descriptor.id = static_cast<std::uint32_t>(pointer.value);
    else if (!pointer.is_immediate && pointer.id >= item_name && pointer.id <= item_numpy)
      fields.push_back(pointer);
  }
  const std::size_t head = (1 + items) * spead_word;
  // In another flavour the header has another meaning.
  SpeadPacket packet;
  if (!length || *length > bytes.size() - head || descriptor.id == 0 ||
      decode_spead(bytes.first(head + static_cast<std::size_t>(*length)), flavour, 0, 0, packet) !=
          SpeadVerdict::good)
    return {};
  std::ranges::stable_sort(fields, {}, &SpeadPointer::value);
  std::optional<std::span<const std::byte>> numpy;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint64_t end = i + 1 < fields.size() ? fields[i + 1].value : packet.payload.size();
    if (fields[i].value > end || end > packet.payload.size()) return {};
    const std::span<const std::byte> field =
        packet.payload.subspan(fields[i].value, static_cast<std::size_t>(end - fields[i].value));
    if (fields[i].id == item_name) descriptor.name = text_of(field);
    if (fields[i].id == item_description) descriptor.description = text_of(field);
    if (fields[i].id == item_format) read_format(field, flavour, descriptor);
    if (fields[i].id == item_shape) read_shape(field, flavour, descriptor);
    if (fields[i].id == item_numpy) numpy = field;
  }
  if (numpy) read_numpy(text_of(*numpy), descriptor);
  return descriptor;
}

std::vector<std::byte> encode_descriptor(const SpeadDescriptor& descriptor, SpeadFlavour flavour) {
  std::vector<std::byte> payload;
  std::vector<SpeadPointer> items;
  const auto told = [&](auto id, std::uint64_t value) {
    items.push_back({.is_immediate = true, .id = static_cast<std::uint32_t>(id), .value = value});
  };
  const auto begin = [&](std::uint32_t id) {
    items.push_back({.is_immediate = false, .id = id, .value = payload.size()});
  };
  told(SpeadItem::heap_counter, 1);
  told(SpeadItem::heap_length, 0);
  told(SpeadItem::payload_offset, 0);
  told(SpeadItem::payload_length, 0);
  told(item_number, descriptor.id);
  begin(item_name);
  put_text(payload, descriptor.name);
  begin(item_description);
  put_text(payload, descriptor.description);
  // Numbers supported by numpy use its header and their own byte order; others are big-endian.
  const bool is_numpy = descriptor.bits >= 8 && std::has_single_bit(descriptor.bits);
  begin(item_format);
  if (!is_numpy) {
    payload.push_back(static_cast<std::byte>(descriptor.kind));
    put_number(payload, descriptor.bits, format_bytes(flavour) - 1);
  }
  begin(item_shape);
  for (const std::uint64_t axis : descriptor.shape) put_number(payload, axis, axis_bytes(flavour));
  if (is_numpy) begin(item_numpy);
  if (is_numpy)
    put_text(payload, fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{})}}",
                                  descriptor.bits == 8       ? '|'
                                  : descriptor.is_big_endian ? '>'
                                                             : '<',
                                  descriptor.kind, descriptor.bits / 8, fmt::join(descriptor.shape, ", "),
                                  descriptor.shape.size() == 1 ? "," : ""));
  items[1].value = items[3].value = payload.size();
  std::vector<std::byte> bytes;
  encode_spead(flavour, items, payload, bytes);
  return bytes;
}

bool describes(const SpeadDescriptor& descriptor, ElementType element, bool is_big_endian,
               std::size_t bytes) {
  const std::size_t number = number_bytes(element);
  const bool is_float = is_floating(element);
  std::uint64_t values = 1;
  for (const std::uint64_t axis : descriptor.shape) {
    // A variable size may match any number of bytes.
    if (axis == 0) return true;
    if (values > bytes) return false;
    values *= axis;
  }
  const unsigned number_bits = descriptor.kind == 'c' ? descriptor.bits / 2 : descriptor.bits;
  const char kind = is_float ? 'f' : is_unsigned(element) ? 'u' : 'i';
  const bool is_kind =
      descriptor.kind == kind || (descriptor.kind == 'c' && is_float && numbers_of(element) == 2);
  return is_kind && number_bits == 8 * number && (number == 1 || descriptor.is_big_endian == is_big_endian) &&
         values * descriptor.bits / 8 == bytes;
}

std::vector<SpeadDescriptor> SpeadDescriptorReader::take(std::span<const std::byte> datagram,
                                                         const SpeadPacket& packet, bool may_have_some) {
  const std::size_t items = read_spead_word(datagram) & 0xFFFF;
  const bool is_new = counter_ != packet.heap_counter;
  std::vector<std::uint64_t> begins;
  for (std::size_t i = 1; i <= items; ++i) {
    const SpeadPointer pointer = decode_pointer(read_spead_word(datagram.subspan(i * spead_word)), flavour_);
    if (!pointer.is_immediate && pointer.id == static_cast<std::uint32_t>(SpeadItem::descriptor) &&
        pointer.value < most_kept && begins.size() < most_descriptors)
      begins.push_back(pointer.value);
  }
  if (is_new && begins.empty() && !may_have_some) return {};
  if (is_new) {
    counter_ = packet.heap_counter;
    payload_.clear();
    is_there_.clear();
    begins_.clear();
  }
  for (const std::uint64_t begin : begins)
    if (begins_.size() < most_descriptors && std::ranges::count(begins_, begin) == 0)
      begins_.push_back(begin);
  if (packet.payload_offset < most_kept) {
    const auto offset = static_cast<std::size_t>(packet.payload_offset);
    const std::size_t count = std::min(packet.payload.size(), most_kept - offset);
    payload_.resize(std::max(payload_.size(), offset + count));
    is_there_.resize(payload_.size(), false);
    std::copy_n(packet.payload.begin(), count, payload_.begin() + static_cast<std::ptrdiff_t>(offset));
    std::fill_n(is_there_.begin() + static_cast<std::ptrdiff_t>(offset), count, true);
  }
  std::vector<SpeadDescriptor> found;
  std::erase_if(begins_, [&](std::uint64_t begin) {
    if (begin >= payload_.size()) return false;
    const auto first = is_there_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto there = static_cast<std::size_t>(std::find(first, is_there_.end(), false) - first);
    const auto descriptor =
        decode_descriptor(std::span(payload_).subspan(static_cast<std::size_t>(begin), there), flavour_);
    if (descriptor) found.push_back(*descriptor);
    return descriptor.has_value();
  });
  return found;
}

}  // namespace takt::sensors
