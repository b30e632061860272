#include "sensors/streams/fragments.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace takt::sensors {

namespace {

constexpr std::uint32_t fragment_mark = 0x31554B54;
/// A stream without a complete message for this time is replaced by another one.
constexpr std::int64_t stream_silence_ns = 1'000'000'000;

/// A piece of a message this many windows away is accepted when enough successive ones agree: one damaged
/// number must not move the stream.
constexpr std::uint64_t far_windows = 16;
constexpr std::size_t agreeing_pieces = 8;

struct FragmentBytes {
  std::uint32_t mark = fragment_mark;
  std::uint32_t stream = 0;
  std::uint64_t message = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t piece_bytes = 0;
  std::uint32_t piece = 0;
  std::uint32_t reserved = 0;
};
static_assert(sizeof(FragmentBytes) == fragment_head_bytes);

std::size_t pieces_of(std::size_t message_bytes, std::size_t piece_bytes) {
  return (message_bytes + piece_bytes - 1) / piece_bytes;
}

}  // namespace

std::size_t fragment_bytes(std::span<const std::byte> begin) {
  FragmentBytes bytes;
  if (begin.size() < sizeof bytes) return 0;
  std::memcpy(&bytes, begin.data(), sizeof bytes);
  if (bytes.mark != fragment_mark || bytes.reserved != 0 || bytes.message_bytes == 0 ||
      bytes.piece_bytes == 0)
    return 0;
  const std::uint64_t first = std::uint64_t{bytes.piece} * bytes.piece_bytes;
  if (first >= bytes.message_bytes) return 0;
  return sizeof bytes + std::min<std::uint64_t>(bytes.piece_bytes, bytes.message_bytes - first);
}

std::optional<FragmentHead> read_fragment(std::span<const std::byte> datagram) {
  FragmentBytes bytes;
  if (const std::size_t length = fragment_bytes(datagram); length == 0 || length != datagram.size())
    return {};
  std::memcpy(&bytes, datagram.data(), sizeof bytes);
  return FragmentHead{bytes.stream, bytes.message, bytes.message_bytes, bytes.piece_bytes, bytes.piece};
}

void make_fragment(const FragmentHead& head, std::span<const std::byte> message,
                   std::vector<std::byte>& datagram) {
  const FragmentBytes bytes{.stream = head.stream,
                            .message = head.message,
                            .message_bytes = head.message_bytes,
                            .piece_bytes = head.piece_bytes,
                            .piece = head.piece};
  const std::size_t begin = std::size_t{head.piece} * head.piece_bytes;
  const std::span<const std::byte> piece =
      message.subspan(begin, std::min<std::size_t>(head.piece_bytes, message.size() - begin));
  datagram.resize(sizeof bytes + piece.size());
  std::memcpy(datagram.data(), &bytes, sizeof bytes);
  std::memcpy(datagram.data() + sizeof bytes, piece.data(), piece.size());
}

FragmentJoiner::FragmentJoiner(std::size_t largest_message, std::size_t window, Deliver deliver, Lose lose)
    : largest_message_(largest_message),
      deliver_(std::move(deliver)),
      lose_(std::move(lose)),
      messages_(window) {
  for (Message& message : messages_) message.bytes.resize(largest_message);
}

bool FragmentJoiner::take(std::span<const std::byte> datagram, std::int64_t now_ns) {
  const std::optional<FragmentHead> head = read_fragment(datagram);
  if (!head) return refused_head_.add(), false;
  if (head->message_bytes > largest_message_) return refused_size_.add(), false;
  if (!is_of_stream(*head, now_ns)) return false;
  if (is_far(head->message) && !has_moved_to(head->message)) return implausible_.add(), false;
  agreeing_ = 0;
  if (head->message < next_) return late_.add(), false;
  if (head->message - next_ >= messages_.size()) give_up_before(head->message - messages_.size() + 1);
  Message& message = at(head->message);
  if (!put(message, *head, datagram.subspan(fragment_head_bytes))) return false;
  if (message.missing == 0) last_whole_ns_ = now_ns;
  deliver_whole();
  return true;
}

bool FragmentJoiner::is_far(std::uint64_t message) const {
  const std::uint64_t far = far_windows * messages_.size();
  return message < next_ ? next_ - message > far : message - next_ > far;
}

bool FragmentJoiner::has_moved_to(std::uint64_t message) {
  const std::uint64_t apart = message < far_ ? far_ - message : message - far_;
  if (agreeing_ == 0 || apart > messages_.size()) {
    agreeing_ = 0;
    first_far_ = message;
  }
  ++agreeing_;
  far_ = message;
  if (agreeing_ < agreeing_pieces) return false;
  give_up_before(next_ + messages_.size());
  if (lose_ && message > first_far_) lose_(message - first_far_);
  // Some pieces of the message that it belongs to were rejected.
  next_ = end_ = message;
  return true;
}

bool FragmentJoiner::is_of_stream(const FragmentHead& head, std::int64_t now_ns) {
  if (has_stream_ && head.stream == stream_) return true;
  if (has_stream_ && now_ns - last_whole_ns_ < stream_silence_ns) return refused_stream_.add(), false;
  // The rest of a message that began before reception is useless; before message 0 nothing was
  // sent.
  if (head.piece != 0 && head.message != 0) return early_.add(), false;
  begin_stream(head, now_ns);
  return true;
}

void FragmentJoiner::begin_stream(const FragmentHead& head, std::int64_t now_ns) {
  if (has_stream_) give_up_before(next_ + messages_.size());
  has_stream_ = true;
  stream_ = head.stream;
  last_whole_ns_ = now_ns;
  next_ = end_ = head.message;
}

bool FragmentJoiner::put(Message& message, const FragmentHead& head, std::span<const std::byte> piece) {
  if (!message.is_begun) {
    message.is_begun = true;
    end_ = std::max(end_, head.message + 1);
    message.size = head.message_bytes;
    message.piece_bytes = head.piece_bytes;
    message.missing = pieces_of(message.size, message.piece_bytes);
    message.has_piece.assign(message.missing, false);
  }
  if (message.size != head.message_bytes || message.piece_bytes != head.piece_bytes)
    return refused_size_.add(), false;
  if (message.has_piece[head.piece]) return duplicate_.add(), false;
  message.has_piece[head.piece] = true;
  --message.missing;
  taken_.add();
  std::ranges::copy(
      piece, message.bytes.begin() + static_cast<std::ptrdiff_t>(std::size_t{head.piece} * head.piece_bytes));
  return true;
}

void FragmentJoiner::deliver_whole() {
  for (; at(next_).is_begun && at(next_).missing == 0; ++next_) {
    Message& message = at(next_);
    deliver_(std::span<const std::byte>(message.bytes).first(message.size));
    message.is_begun = false;
  }
}

void FragmentJoiner::give_up_before(std::uint64_t number) {
  const std::uint64_t end = std::min<std::uint64_t>(number, next_ + messages_.size());
  for (; next_ < end; ++next_) {
    Message& message = at(next_);
    const bool is_begun = std::exchange(message.is_begun, false);
    if (is_begun && message.missing == 0) {
      deliver_(std::span<const std::byte>(message.bytes).first(message.size));
      continue;
    }
    if (is_begun) {
      incomplete_.add();
      missing_.add(message.missing);
    }
    // Beyond the newest message it is unknown what was sent.
    if (lose_ && next_ < end_) lose_(1);
  }
  if (lose_ && number > next_ && end_ > next_) lose_(std::min(number, end_) - next_);
  next_ = std::max(next_, number);
}

void FragmentJoiner::finish() {
  if (has_stream_) give_up_before(next_ + messages_.size());
}

std::vector<Counter> FragmentJoiner::counters() const {
  return {{"pieces_received", "packets", taken_.value()},
          {"refused_header", "packets", refused_head_.value()},
          {"refused_size", "packets", refused_size_.value()},
          {"refused_stream", "packets", refused_stream_.value()},
          {"pieces_implausible", "packets", implausible_.value()},
          {"pieces_early", "packets", early_.value()},
          {"pieces_late", "packets", late_.value()},
          {"pieces_duplicate", "packets", duplicate_.value()},
          {"messages_incomplete", "messages", incomplete_.value()},
          {"pieces_missing", "packets", missing_.value()}};
}

}  // namespace takt::sensors
