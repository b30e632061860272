#pragma once
/// Messages that do not fit a datagram, cut into pieces and put together again.
///
/// A datagram, little-endian: u32 0x31554B54 (`TKU1`), u32 the stream, a number that its sender has chosen,
/// u64 the message's number, u32 bytes of the message, u32 bytes of each piece but the last one, u32 the
/// piece's number from 0, u32 0; then the piece.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sensors/frames/counter.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

inline constexpr std::size_t fragment_head_bytes = 32;
/// What fits a datagram of Ethernet's 1500 bytes with IPv6 and a tag or two.
inline constexpr std::size_t usual_fragment_bytes = 1400;
inline constexpr std::size_t most_fragment_bytes = 65'000;

struct FragmentHead {
  std::uint32_t stream = 0;
  std::uint64_t message = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t piece_bytes = 0;
  std::uint32_t piece = 0;
};

/// Nothing where the datagram begins with no such head, or does not hold just the piece that its head tells.
[[nodiscard]] std::optional<FragmentHead> read_fragment(std::span<const std::byte> datagram);
/// How long the datagram is that begins here, by its head; 0 where none begins.
[[nodiscard]] std::size_t fragment_bytes(std::span<const std::byte> begin);
/// The head and the piece. The message has 4 GiB at most.
void make_fragment(const FragmentHead& head, std::span<const std::byte> message,
                   std::vector<std::byte>& datagram);

/// Hands messages over in the order of their numbers, each whole or not at all. One is given up when a piece
/// of one so many later comes. Memory for that many messages is taken once, however long datagrams say that
/// messages are.
class FragmentJoiner {
 public:
  using Deliver = std::function<void(std::span<const std::byte> message)>;
  /// So many messages are given up.
  using Lose = std::function<void(std::uint64_t messages)>;

  /// Messages of this size, and shorter ones, are taken; `window` of them are put together at a time.
  FragmentJoiner(std::size_t largest_message, std::size_t window, Deliver deliver, Lose lose = {});

  /// A datagram of any bytes. Whether it was a piece that was missing.
  bool take(std::span<const std::byte> datagram, std::int64_t now_ns);
  /// Whether it is the stream that is put together.
  [[nodiscard]] bool is_of(std::uint32_t stream) const { return has_stream_ && stream == stream_; }
  /// At the end of the stream: what is whole is handed over, though messages before it are not.
  void finish();

  /// Each datagram is in exactly one of these but for the last two.
  [[nodiscard]] std::vector<Counter> counters() const;

 private:
  struct Message {
    std::vector<std::byte> bytes;
    std::vector<bool> has_piece;
    std::size_t size = 0, piece_bytes = 0, missing = 0;
    bool is_begun = false;
  };

  [[nodiscard]] Message& at(std::uint64_t number) { return messages_[number % messages_.size()]; }
  [[nodiscard]] bool is_of_stream(const FragmentHead& head, std::int64_t now_ns);
  [[nodiscard]] bool is_far(std::uint64_t message) const;
  /// Whether enough pieces in a row were of such a number.
  [[nodiscard]] bool has_moved_to(std::uint64_t message);
  void begin_stream(const FragmentHead& head, std::int64_t now_ns);
  [[nodiscard]] bool put(Message& message, const FragmentHead& head, std::span<const std::byte> piece);
  void deliver_whole();
  void give_up_before(std::uint64_t number);

  std::size_t largest_message_;
  Deliver deliver_;
  Lose lose_;
  std::vector<Message> messages_;
  bool has_stream_ = false;
  std::uint32_t stream_ = 0;
  /// When a message of the stream was last whole.
  std::int64_t last_whole_ns_ = 0;
  /// The message that is handed over next, and the one after the newest one that was begun.
  std::uint64_t next_ = 0, end_ = 0;
  /// Of the last piece that was far away, how many in a row agreed, and the first of them.
  std::uint64_t far_ = 0, first_far_ = 0;
  std::size_t agreeing_ = 0;
  Tally taken_, refused_head_, refused_size_, refused_stream_, implausible_, early_, late_, duplicate_,
      incomplete_, missing_;
};

}  // namespace takt::sensors
