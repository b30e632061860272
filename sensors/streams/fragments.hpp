#pragma once
/// Fragmentation and reassembly of messages that exceed a datagram.
///
/// A datagram, little-endian: u32 0x31554B54 (`TKU1`), u32 the stream, a number chosen by its sender, u64 the
/// message's number, u32 bytes of the message, u32 bytes of each piece but the last one, u32 the piece's
/// number from 0, u32 0; then the piece.

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
/// Fits a datagram in Ethernet's 1500 bytes with IPv6 and a tag or two.
inline constexpr std::size_t usual_fragment_bytes = 1400;
inline constexpr std::size_t most_fragment_bytes = 65'000;

struct FragmentHead {
  std::uint32_t stream = 0;
  std::uint64_t message = 0;
  std::uint32_t message_bytes = 0;
  std::uint32_t piece_bytes = 0;
  std::uint32_t piece = 0;
};

/// Returns nothing if the datagram has no such head, or not exactly the piece described by its head.
[[nodiscard]] std::optional<FragmentHead> read_fragment(std::span<const std::byte> datagram);
/// Returns the length of the datagram that begins here, by its head; 0 if none begins.
[[nodiscard]] std::size_t fragment_bytes(std::span<const std::byte> begin);
/// Writes the head and the piece. The message has at most 4 GiB.
void make_fragment(const FragmentHead& head, std::span<const std::byte> message,
                   std::vector<std::byte>& datagram);

/// Hands messages over in the order of their numbers, each whole or not at all. A message is abandoned when a
/// piece arrives whose message is `window` later. Memory for that many messages is allocated once, whatever
/// lengths datagrams claim.
class FragmentJoiner {
 public:
  using Deliver = std::function<void(std::span<const std::byte> message)>;
  /// Receives the number of abandoned messages.
  using Lose = std::function<void(std::uint64_t messages)>;

  /// Accepts messages up to this size; reassembles `window` of them at a time.
  FragmentJoiner(std::size_t largest_message, std::size_t window, Deliver deliver, Lose lose = {});

  /// Processes a datagram of arbitrary bytes. Returns whether it was a missing piece.
  bool take(std::span<const std::byte> datagram, std::int64_t now_ns);
  /// Reports whether this stream is being reassembled.
  [[nodiscard]] bool is_of(std::uint32_t stream) const { return has_stream_ && stream == stream_; }
  /// Ends the stream: hands over complete messages even if earlier ones are missing.
  void finish();

  /// Returns counts: each datagram is in exactly one of these, except the last two.
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
  /// Reports whether enough successive pieces had such a number.
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
  /// When a message of the stream was last completed.
  std::int64_t last_whole_ns_ = 0;
  /// The message that is handed over next, and the one after the newest one begun.
  std::uint64_t next_ = 0, end_ = 0;
  /// The last distant piece's message, how many successive pieces agree with it, and the first of them.
  std::uint64_t far_ = 0, first_far_ = 0;
  std::size_t agreeing_ = 0;
  Tally taken_, refused_head_, refused_size_, refused_stream_, implausible_, early_, late_, duplicate_,
      incomplete_, missing_;
};

}  // namespace takt::sensors
