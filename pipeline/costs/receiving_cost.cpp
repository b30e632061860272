#include "pipeline/costs/receiving_cost.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/transport/datagram_batch.hpp"

namespace takt::pipeline {

namespace {

/// Largest number of messages in a socket: the datagrams of a full station need 8 MiB, a default socket has
/// less.
constexpr std::size_t longest_burst = 16;
constexpr std::size_t bursts = 64;
/// Memory of the frames, larger than the processor's nearest caches.
constexpr std::size_t memory = 4 << 20;

/// Both ends of a connection within this process.
class Loopback {
 public:
  explicit Loopback(bool is_datagrams) {
    if (!is_datagrams) {
      if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()) != 0) fail();
      return;
    }
    for (int& end : ends_)
      if (end = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0); end < 0) fail();
    sockaddr_in address{
        .sin_family = AF_INET, .sin_port = 0, .sin_addr = {htonl(INADDR_LOOPBACK)}, .sin_zero = {}};
    socklen_t length = sizeof(address);
    auto* const place = reinterpret_cast<sockaddr*>(&address);
    if (::bind(ends_[1], place, length) != 0 || ::getsockname(ends_[1], place, &length) != 0 ||
        ::connect(ends_[0], place, length) != 0)
      fail();
  }
  Loopback(const Loopback&) = delete;
  Loopback& operator=(const Loopback&) = delete;
  ~Loopback() {
    for (const int end : ends_)
      if (end >= 0) ::close(end);
  }

  /// Returns true if the socket had room.
  [[nodiscard]] bool send(const std::vector<char>& message) const {
    return ::send(ends_[0], message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) ==
           static_cast<ssize_t>(message.size());
  }
  [[nodiscard]] int receiver() const { return ends_[1]; }

 private:
  [[noreturn]] static void fail() {
    throw WorkError(std::string("cannot measure the cost of receiving over loopback: ") +
                    std::strerror(errno));
  }

  std::array<int, 2> ends_{-1, -1};
};

/// Receives waiting messages into consecutive places of memory.
class Receiver {
 public:
  explicit Receiver(const sensors::Reception& reception)
      : bytes_(reception.bytes.count), memory_(std::max(memory, 2 * bytes_)) {
    constexpr std::size_t header = 16;
    if (reception.is_datagrams && bytes_ > header)
      batch_.emplace(sensors::BatchShape{
          .largest_packet = bytes_, .header_bytes = header, .payload_bytes = bytes_ - header});
    else if (reception.is_datagrams)
      batch_.emplace(sensors::BatchShape{.largest_packet = bytes_});
  }

  /// Returns the number of received messages.
  std::size_t take(int socket, std::size_t messages) {
    if (!batch_) {
      const ssize_t taken = ::recv(socket, next(), bytes_, MSG_DONTWAIT);
      return taken > 0 ? 1 : 0;
    }
    for (std::byte*& place : batch_->places(messages)) place = next();
    return static_cast<std::size_t>(std::max(0, batch_->receive(socket)));
  }

 private:
  std::byte* next() {
    if (at_ + bytes_ > memory_.size()) at_ = 0;
    at_ += bytes_;
    return memory_.data() + at_ - bytes_;
  }

  std::size_t bytes_, at_ = 0;
  std::vector<std::byte> memory_;
  std::optional<sensors::DatagramBatch> batch_;
};

}  // namespace

Time receiving_cost(const sensors::Reception& reception) {
  if (reception.messages == 0 || reception.bytes.count == 0) return Time{0};
  const Loopback loopback(reception.is_datagrams);
  const std::vector<char> message(reception.bytes.count, 1);
  Receiver receiver(reception);
  const std::size_t most = reception.is_datagrams ? longest_burst : 1;
  std::vector<double> each;
  for (std::size_t burst = 0; burst < bursts; ++burst) {
    std::size_t sent = 0;
    while (sent < most && loopback.send(message)) ++sent;
    const std::int64_t start = thread_processor_ns();
    std::size_t taken = 0;
    for (std::size_t calls = 0; taken < sent && calls < 2 * sent; ++calls)
      taken += receiver.take(loopback.receiver(), sent - taken);
    const Time time(thread_processor_ns() - start);
    if (taken > 0) each.push_back(static_cast<double>(time.count()) / static_cast<double>(taken));
  }
  if (each.empty()) return Time{0};
  std::ranges::nth_element(each, each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2));
  return Time(static_cast<Time::rep>(each[each.size() / 2] * static_cast<double>(reception.messages)));
}

}  // namespace takt::pipeline
