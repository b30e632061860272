#include "sensors/streams/wire.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/missing_values.hpp"

namespace takt::sensors {

namespace {

static_assert(std::endian::native == std::endian::little, "headers are sent as they lie in memory");
static_assert(std::is_trivially_copyable_v<FrameHeader>);

constexpr std::uint32_t frame_mark = 0x31464B54, end_mark = 0x31454B54, wish_mark = 0x31524B54,
                        done_mark = 0x31444B54;
/// Longer descriptions are no types.
constexpr std::uint32_t longest_type = 4096;

struct WireHead {
  std::uint32_t mark = 0;
  std::uint32_t type_bytes = 0;
  std::uint64_t frame_bytes = 0;
};
static_assert(sizeof(WireHead) == wire_head_bytes);

struct WireWords {
  std::uint32_t mark = 0;
  std::uint16_t wish = 0, epoch = 0;
  std::uint64_t sequence = 0;
};
static_assert(sizeof(WireWords) == wire_head_bytes);

WireHead head_of(std::span<const std::byte> message) {
  WireHead head;
  std::memcpy(&head, message.data(), sizeof head);
  return head;
}

}  // namespace

WireEncoder::WireEncoder(const FrameType& type) : type_(type.to_string()), frame_bytes_(type.size().count) {}

void WireEncoder::encode(const FrameView& frame, std::vector<std::byte>& message) const {
  const WireHead head{frame_mark, static_cast<std::uint32_t>(type_.size()), frame_bytes_};
  message.resize(sizeof head + written_header_bytes + type_.size() + frame_bytes_);
  std::byte* to = message.data();
  const auto put = [&](const void* from, std::size_t bytes) {
    std::memcpy(to, from, bytes);
    to += bytes;
  };
  put(&head, sizeof head);
  put(frame.header, written_header_bytes);
  put(type_.data(), type_.size());
  put(frame.bytes.data(), frame_bytes_);
}

std::vector<std::byte> WireEncoder::end() {
  std::vector<std::byte> message(wire_head_bytes);
  std::memcpy(message.data(), &end_mark, sizeof end_mark);
  return message;
}

std::string wire_request(const WireRequest& request) {
  WireWords words{.mark = done_mark};
  if (request.wish)
    words = {wish_mark, static_cast<std::uint16_t>(*request.wish), request.epoch, request.sequence};
  return {reinterpret_cast<const char*>(&words), sizeof words};
}

std::optional<WireRequest> read_wire_request(std::span<const std::byte> bytes) {
  WireWords words;
  if (bytes.size() < sizeof words) return {};
  std::memcpy(&words, bytes.data(), sizeof words);
  if (words.mark == done_mark) return WireRequest{};
  if (words.mark != wish_mark || words.wish > static_cast<std::uint16_t>(WireWish::what_is_behind)) return {};
  return WireRequest{static_cast<WireWish>(words.wish), words.epoch, words.sequence};
}

std::optional<std::size_t> wire_message_bytes(std::span<const std::byte> bytes, const FrameType& type) {
  if (bytes.size() < wire_head_bytes) return {};
  const WireHead head = head_of(bytes);
  if (head.mark == end_mark) return wire_head_bytes;
  // Twice as large: of another type, which is to be told by its text.
  if (head.mark != frame_mark || head.type_bytes > longest_type ||
      head.frame_bytes > 2 * type.size().count + (1 << 20))
    return {};
  return sizeof head + written_header_bytes + head.type_bytes + static_cast<std::size_t>(head.frame_bytes);
}

std::optional<std::string_view> wire_type(std::span<const std::byte> beginning) {
  if (beginning.size() < wire_head_bytes + written_header_bytes) return {};
  const WireHead head = head_of(beginning);
  if (head.mark != frame_mark || head.type_bytes > beginning.size() - wire_head_bytes - written_header_bytes)
    return {};
  return std::string_view(
      reinterpret_cast<const char*>(beginning.data()) + wire_head_bytes + written_header_bytes,
      head.type_bytes);
}

WireDecoder::WireDecoder(const FrameType& type, std::uint32_t source, FrameQueue& frames, bool may_repeat)
    : type_(type),
      type_text_(type.to_string()),
      frame_bytes_(type.size().count),
      source_(static_cast<std::uint16_t>(source)),
      frames_(frames),
      may_repeat_(may_repeat) {}

bool WireDecoder::take(std::span<const std::byte> message, std::int64_t now_ns) {
  if (message.size() < wire_head_bytes) return refused_size_.add(), true;
  const WireHead head = head_of(message);
  if (head.mark == end_mark) return false;
  if (head.mark != frame_mark || head.type_bytes > longest_type ||
      message.size() - wire_head_bytes < written_header_bytes + head.type_bytes)
    return refused_size_.add(), true;
  const char* const text = reinterpret_cast<const char*>(message.data()) + sizeof head + written_header_bytes;
  const std::string_view type(text, head.type_bytes);
  if (type != type_text_) {
    if (received_.value() == 0)
      throw WorkError(fmt::format("the sender's frames are {}, expected {}", excerpt(type), type_text_));
    return refused_type_.add(), true;
  }
  const std::span<const std::byte> data =
      message.subspan(sizeof head + written_header_bytes + head.type_bytes);
  if (data.size() != frame_bytes_ || head.frame_bytes != frame_bytes_) return refused_size_.add(), true;
  FrameHeader header;
  std::memcpy(static_cast<void*>(&header), message.data() + sizeof head, written_header_bytes);
  // Whoever counts what is there would count below nothing.
  if (header.missing_parts > header.parts) return refused_parts_.add(), true;
  if (may_repeat_ && is_repeated(header)) return repeated_.add(), true;
  received_.add();
  count_gap(header);
  FrameSlot* const slot = frames_.acquire();
  if (slot == nullptr) return dropped_.add(), true;
  slot->header = header;
  slot->header.source = source_;
  slot->header.ingested_ns = now_ns;
  std::ranges::copy(data, slot->bytes.begin());
  // Others than takt may not say what is missing.
  if (header.missing_parts > 0 || mark_nan(type_, slot->bytes, slot->header)) incomplete_.add();
  frames_.push(slot);
  return true;
}

bool WireDecoder::is_repeated(const FrameHeader& header) const {
  return has_last_ && header.epoch == epoch_ && header.sequence < next_ && header.utc_ns <= last_utc_ns_;
}

std::optional<std::pair<std::uint16_t, std::uint64_t>> WireDecoder::last() const {
  if (!has_last_) return std::nullopt;
  return std::pair(epoch_, next_ - 1);
}

void WireDecoder::count_gap(const FrameHeader& header) {
  if (has_last_ && header.epoch == epoch_) {
    if (header.sequence < next_) return late_.add();
    lost_.add(header.sequence - next_);
  }
  has_last_ = true;
  epoch_ = header.epoch;
  next_ = header.sequence + 1;
  last_utc_ns_ = header.utc_ns;
}

SourceCounters WireDecoder::counters() const {
  SourceCounters counters;
  counters.ingested = received_.value() - dropped_.value();
  counters.lost = lost_.value();
  counters.dropped = dropped_.value();
  counters.incomplete = incomplete_.value();
  counters.details = {{"messages_received", "messages", received_.value()},
                      {"refused_type", "messages", refused_type_.value()},
                      {"refused_size", "messages", refused_size_.value()},
                      {"refused_parts", "messages", refused_parts_.value()},
                      {"frames_out_of_order", "frames", late_.value()}};
  if (may_repeat_) counters.details.push_back({"frames_repeated", "frames", repeated_.value()});
  return counters;
}

}  // namespace takt::sensors
