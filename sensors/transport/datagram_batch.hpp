#pragma once
/// The datagrams that one call of the kernel receives, and where it puts their bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <sys/socket.h>

#include "sensors/packets/frame_builder.hpp"

namespace takt::sensors {

/// How the datagrams of a stream are received.
struct BatchShape {
  /// Bytes; a longer datagram is cut off one byte later, so that it can be told.
  std::size_t largest_packet = 0;
  /// Of packets that are received in two pieces; 0 and 0: as a whole.
  std::size_t header_bytes = 0, payload_bytes = 0;
  /// The kernel may hand over several datagrams of a sender as one (UDP_GRO), up to 64 KiB.
  bool is_coalesced = false;
  /// Of the messages that a call takes, each of several datagrams where they come coalesced; 0: no other
  /// limit.
  std::size_t most_messages = 0;
  /// Who sent them, and when the first one came, is asked for.
  bool has_senders = false, has_timestamps = false;
};

/// Memory for recvmmsg, of which nothing is allocated for each datagram. With a header and a payload each
/// datagram is scattered: its header into the batch's own memory, its payload to the place that `places`
/// says, also where several datagrams come coalesced. Where that does not come true (datagrams of another
/// length) they are put together again.
class DatagramBatch {
 public:
  static constexpr std::size_t most = ScatterBuilder::most_datagrams;

  explicit DatagramBatch(const BatchShape& shape);

  /// Of the next call, which receives `datagrams` at most (more where they come coalesced as the last ones
  /// did not): where payloads are to be put, in the order in which they come; null is the batch's own memory.
  /// Filled in by the caller.
  [[nodiscard]] std::span<std::byte*> places(std::size_t datagrams);

  /// Takes what is there without waiting. The number of datagrams, or -1 with errno. After `places`.
  int receive(int socket);

  /// Whether more may be there than the last call took.
  [[nodiscard]] bool was_full() const { return was_full_; }

  /// What came, in order. `header` is the whole datagram where the shape has no header.
  [[nodiscard]] std::span<ScatteredDatagram> datagrams() { return datagrams_; }
  /// Who sent it.
  [[nodiscard]] const sockaddr_storage& sender(std::size_t datagram) const {
    return senders_[message_of_[datagram]];
  }
  /// When the first of them came, nanoseconds since 1970 by the kernel's clock.
  [[nodiscard]] std::optional<std::int64_t> first_utc_ns() const { return first_utc_ns_; }

 private:
  /// What the kernel tells beside a message: the length of coalesced datagrams, the time.
  struct alignas(8) Control {
    std::array<std::byte, 64> bytes;
  };

  [[nodiscard]] bool is_scattered() const { return shape_.payload_bytes > 0; }
  [[nodiscard]] std::size_t packet_bytes() const { return shape_.header_bytes + shape_.payload_bytes; }
  [[nodiscard]] std::size_t messages_for(std::size_t datagrams) const;
  [[nodiscard]] std::byte* header(std::size_t index) { return headers_.data() + index * shape_.header_bytes; }
  [[nodiscard]] std::byte* rest(std::size_t message) { return rests_.data() + message * rest_bytes_; }
  void prepare(std::size_t message);
  [[nodiscard]] std::size_t coalesced_bytes(std::size_t message);
  void split(std::size_t message, std::size_t bytes, std::size_t each);
  void put_together(std::size_t message, std::size_t bytes);
  void add(std::size_t message, std::span<std::byte> whole, std::size_t bytes);

  BatchShape shape_;
  std::size_t most_messages_, rest_bytes_;
  /// Of the next call.
  std::size_t wanted_ = 1;
  bool was_full_ = false;
  /// Datagrams of a message that are scattered; as many as the last call's had.
  std::size_t segments_ = 1;
  /// Places of the call; headers, and payloads without a place, by the same index.
  std::vector<std::byte*> places_;
  std::vector<std::byte> headers_, payloads_;
  /// What lies behind the scattered ones: all of it where nothing is scattered.
  std::vector<std::byte> rests_, together_;
  std::vector<iovec> pieces_;
  std::vector<mmsghdr> messages_;
  std::vector<sockaddr_storage> senders_;
  std::vector<Control> controls_;
  std::vector<ScatteredDatagram> datagrams_;
  std::vector<std::uint16_t> message_of_;
  std::optional<std::int64_t> first_utc_ns_;
};

}  // namespace takt::sensors
