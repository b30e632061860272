#include "sensors/streams/wire.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

static_assert(std::endian::native == std::endian::little, "headers are sent as they lie in memory");
static_assert(std::is_trivially_copyable_v<FrameHeader>);

constexpr std::uint32_t frame_mark = 0x31464B54, end_mark = 0x31454B54, command_mark = 0x31524B54,
                        done_mark = 0x31444B54;
/// Longer descriptions are invalid.
constexpr std::uint32_t longest_type = 4096;

struct WireHead {
  std::uint32_t mark = 0;
  std::uint32_t type_bytes = 0;
  std::uint64_t frame_bytes = 0;
};
static_assert(sizeof(WireHead) == wire_head_bytes);

struct WireWords {
  std::uint32_t mark = 0;
  std::uint16_t command = 0, epoch = 0;
  std::uint64_t sequence = 0;
};
static_assert(sizeof(WireWords) == wire_head_bytes);

/// At least one. Without a rate the duration of a frame is unknown.
std::uint64_t frames_in(Time time, double rate_hz) {
  constexpr std::uint64_t without_rate = 1 << 20;
  if (!(rate_hz > 0)) return without_rate;
  const double frames = std::chrono::duration<double>(time).count() * rate_hz;
  return static_cast<std::uint64_t>(std::clamp(frames, 1.0, 1e18));
}

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
  if (request.command)
    words = {command_mark, static_cast<std::uint16_t>(*request.command), request.epoch, request.sequence};
  return {reinterpret_cast<const char*>(&words), sizeof words};
}

std::optional<WireRequest> read_wire_request(std::span<const std::byte> bytes) {
  WireWords words;
  if (bytes.size() < sizeof words) return {};
  std::memcpy(&words, bytes.data(), sizeof words);
  if (words.mark == done_mark) return WireRequest{};
  if (words.mark != command_mark || words.command > static_cast<std::uint16_t>(WireCommand::frames_after))
    return {};
  return WireRequest{static_cast<WireCommand>(words.command), words.epoch, words.sequence};
}

std::optional<std::size_t> wire_message_bytes(std::span<const std::byte> bytes, const FrameType& type) {
  if (bytes.size() < wire_head_bytes) return {};
  const WireHead head = head_of(bytes);
  if (head.mark == end_mark) return wire_head_bytes;
  // Twice as large: a frame of another type, which its text must show.
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

void validate(const WireReception& reception) {
  if (reception.longest_gap <= Time(0))
    throw OptionError("longest_gap", "the longest gap is 0: expected for example 10 s");
}

WireDecoder::WireDecoder(const FrameType& type, std::uint32_t source, FrameQueue& frames,
                         const WireReception& reception)
    : type_(type),
      type_text_(type.to_string()),
      frame_bytes_(type.size().count),
      source_(static_cast<std::uint16_t>(source)),
      frames_(frames),
      reception_((validate(reception), reception)),
      longest_gap_(frames_in(reception.longest_gap, type.rate_hz)) {}

bool WireDecoder::take(std::span<const std::byte> message, std::int64_t now_ns) {
  if (message.size() < wire_head_bytes) return refused_size_.add(), true;
  const WireHead head = head_of(message);
  if (head.mark == end_mark) return finish(), false;
  if (head.mark != frame_mark || head.type_bytes > longest_type ||
      message.size() - wire_head_bytes < written_header_bytes + head.type_bytes)
    return refused_size_.add(), true;
  const char* const text = reinterpret_cast<const char*>(message.data()) + sizeof head + written_header_bytes;
  const std::string_view type(text, head.type_bytes);
  if (type != type_text_) {
    if (received_.value() == 0 && reception_.has_one_sender)
      throw WorkError(fmt::format("the sender's frames are {}: expected {}", excerpt(type), type_text_));
    return refused_type_.add(), true;
  }
  const std::span<const std::byte> data =
      message.subspan(sizeof head + written_header_bytes + head.type_bytes);
  if (data.size() != frame_bytes_ || head.frame_bytes != frame_bytes_) return refused_size_.add(), true;
  FrameHeader header;
  std::memcpy(static_cast<void*>(&header), message.data() + sizeof head, written_header_bytes);
  // The count of existing parts would be negative.
  if (header.missing_parts > header.parts) return refused_parts_.add(), true;
  if (reception_.may_repeat && is_repeated(header)) return repeated_.add(), true;
  const bool is_step = has_last_ && header.epoch == epoch_ && this->is_step(header);
  const bool is_believed = is_step && (is_new_connection_ || (stepped_ && agree(stepped_->header, header)));
  is_new_connection_ = false;
  if (is_believed) {
    const FrameHeader first = stepped_ && agree(stepped_->header, header) ? stepped_->header : header;
    begin_epoch(first);
    if (first.sequence != header.sequence) resume_with(first, stepped_->data, now_ns);
  } else if (stepped_) {
    refused_number_.add();
  }
  stepped_.reset();
  if (is_step && !is_believed)
    stepped_ = Stepped{header, {data.begin(), data.end()}};
  else
    resume_with(header, data, now_ns);
  return true;
}

/// Processes a frame of the current epoch whose number continues, or is slightly earlier.
void WireDecoder::resume_with(const FrameHeader& sent, std::span<const std::byte> data, std::int64_t now_ns) {
  const bool is_cut = std::exchange(is_cut_in_frame_, false);
  if (!has_last_ || sent.epoch != epoch_) {
    base_ = 0;
    if (is_cut) lost_.add();
  } else if (sent.sequence < base_) {
    return refused_number_.add();
  } else if (sent.sequence < next_) {
    late_.add();
  } else {
    lost_.add(sent.sequence - next_);
  }
  FrameHeader header = sent;
  header.epoch = static_cast<std::uint16_t>(sent.epoch + own_epochs_);
  header.sequence = sent.sequence - base_;
  if (!has_last_ || sent.epoch != epoch_ || sent.sequence >= next_) {
    has_last_ = true;
    epoch_ = sent.epoch;
    next_ = sent.sequence + 1;
    last_utc_ns_ = sent.utc_ns;
  }
  deliver(header, data, now_ns);
}

void WireDecoder::deliver(const FrameHeader& header, std::span<const std::byte> data, std::int64_t now_ns) {
  received_.add();
  FrameSlot* const slot = frames_.acquire();
  if (slot == nullptr) return dropped_.add();
  slot->header = header;
  slot->header.source = source_;
  slot->header.ingested_ns = now_ns;
  std::ranges::copy(data, slot->bytes.begin());
  // Senders other than takt may not report missing values.
  if (header.missing_parts > 0 || mark_nan(type_, slot->bytes, slot->header)) incomplete_.add();
  frames_.push(slot);
}

bool WireDecoder::is_repeated(const FrameHeader& header) const {
  return has_last_ && header.epoch == epoch_ && header.sequence < next_ && header.utc_ns <= last_utc_ns_;
}

std::optional<std::pair<std::uint16_t, std::uint64_t>> WireDecoder::last() const {
  if (!has_last_) return std::nullopt;
  return std::pair(epoch_, next_ - 1);
}

bool WireDecoder::is_step(const FrameHeader& header) const {
  if (header.sequence >= next_) return header.sequence - next_ > longest_gap_;
  return is_new_connection_ || next_ - header.sequence > longest_gap_;
}

bool WireDecoder::agree(const FrameHeader& first, const FrameHeader& next) const {
  return next.epoch == first.epoch && next.sequence > first.sequence &&
         next.sequence - first.sequence <= longest_gap_;
}

void WireDecoder::begin_epoch(const FrameHeader& first) {
  if (std::exchange(is_cut_in_frame_, false)) lost_.add();
  jumps_.add();
  ++own_epochs_;
  base_ = next_ = first.sequence;
}

void WireDecoder::finish() {
  if (stepped_) refused_number_.add();
  stepped_.reset();
  if (std::exchange(is_cut_in_frame_, false)) lost_.add();
}

void WireDecoder::count_cut(bool is_in_frame) {
  finish();
  cut_.add();
  is_cut_in_frame_ = is_in_frame;
}

std::vector<std::string> WireDecoder::warnings(const std::string& from) const {
  std::vector<std::string> all;
  if (refused_type_.value() > 0)
    all.push_back(
        fmt::format("frames from {} had another type than {} and were discarded (counter refused_type)", from,
                    type_text_));
  if (jumps_.value() > 0)
    all.push_back(
        fmt::format("the numbers of frames from {} stepped by more than the longest gap, or restarted "
                    "(counter clock_jumps): each time, a new epoch and new files of the sinks begin",
                    from));
  if (refused_number_.value() > 0)
    all.push_back(fmt::format(
        "frames from {} had numbers far from the others and were discarded: expected one sender", from));
  if (cut_.value() > 0)
    all.push_back(fmt::format(
        "the stream from {} broke off without an end mark (counter streams_cut): later frames are missing",
        from));
  return all;
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
  counters.details.push_back({"refused_number", "messages", refused_number_.value()});
  counters.details.push_back({"clock_jumps", "jumps", jumps_.value()});
  counters.details.push_back({"streams_cut", "times", cut_.value()});
  if (reception_.may_repeat) counters.details.push_back({"frames_repeated", "frames", repeated_.value()});
  return counters;
}

}  // namespace takt::sensors
