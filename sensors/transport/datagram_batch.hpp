#pragma once
/// The datagrams received by one system call, and the memory for their bytes.

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
  /// Bytes; a longer datagram is truncated one byte later, so that it is detected.
  std::size_t largest_packet = 0;
  /// Sizes of the two parts of scattered packets; 0 and 0: packets are received whole.
  std::size_t header_bytes = 0, payload_bytes = 0;
  /// The kernel may merge several datagrams of a sender into one (UDP_GRO), up to 64 KiB.
  bool is_coalesced = false;
  /// Largest number of messages per call, each of several datagrams if coalesced; 0: no further
  /// limit.
  std::size_t most_messages = 0;
  /// Whether to request the senders' addresses and the first arrival time.
  bool has_senders = false, has_timestamps = false;
};

/// Memory for recvmmsg without allocation per datagram. With a header and a payload each
/// datagram is scattered: its header into the batch's own memory, its payload to its entry
/// in `places`, also for coalesced datagrams. Datagrams of an unexpected length are
/// reassembled.
class DatagramBatch {
 public:
  static constexpr std::size_t most = ScatterBuilder::most_datagrams;

  explicit DatagramBatch(const BatchShape& shape);

  /// Returns the payload places for the next call, in arrival order, to be filled in by the caller; null
  /// selects the batch's own memory. The call receives at most `datagrams` (more if they are coalesced unlike
  /// the last ones).
  [[nodiscard]] std::span<std::byte*> places(std::size_t datagrams);

  /// Receives the available datagrams without waiting, after `places`. Returns their number, or -1 (errno).
  int receive(int socket);

  /// Reports whether more datagrams may be available than the last call received.
  [[nodiscard]] bool was_full() const { return was_full_; }

  /// Returns the datagrams in order. `header` is the whole datagram if the shape has no header.
  [[nodiscard]] std::span<ScatteredDatagram> datagrams() { return datagrams_; }
  /// Returns the sender of a datagram.
  [[nodiscard]] const sockaddr_storage& sender(std::size_t datagram) const {
    return senders_[message_of_[datagram]];
  }
  /// Returns the arrival time of the first one in nanoseconds since 1970 by the kernel's clock.
  [[nodiscard]] std::optional<std::int64_t> first_utc_ns() const { return first_utc_ns_; }

 private:
  /// Ancillary data of a message: the length of coalesced datagrams, the time.
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
  /// For the next call.
  std::size_t wanted_ = 1;
  bool was_full_ = false;
  /// Number of scattered datagrams per message, as in the last call.
  std::size_t segments_ = 1;
  /// Places of the call; headers, and payloads without a place, by the same index.
  std::vector<std::byte*> places_;
  std::vector<std::byte> headers_, payloads_;
  /// Memory after the scattered parts: all of it if nothing is scattered.
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
