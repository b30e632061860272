#include "sensors/streams/message_outlets.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sensors/streams/zmq_socket.hpp"

namespace takt::sensors {

namespace {

/// Interval at which `stop` is checked.
constexpr int outlet_nap_ms = 20;
constexpr std::chrono::seconds outlet_patience{60};

}  // namespace

TcpOutlet::~TcpOutlet() {
  for (const int socket : receivers_) ::close(socket);
}

/// Accepts receivers and reads their requests, which are ignored here: unread data would reset the connection
/// when it is closed.
void TcpOutlet::look_around() {
  for (int socket; (socket = listener_.accept()) >= 0;) receivers_.push_back(socket);
  std::array<char, 256> words{};
  for (const int socket : receivers_)
    while (::recv(socket, words.data(), words.size(), MSG_DONTWAIT) > 0) continue;
}

void TcpOutlet::wait_for_receivers(std::size_t receivers) {
  for (look_around(); receivers_.size() < receivers && !stop_; look_around()) {
    pollfd wanted{listener_.socket(), POLLIN, 0};
    (void)::poll(&wanted, 1, outlet_nap_ms);
  }
}

bool TcpOutlet::send(int socket, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
      continue;
    }
    if ((errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) || stop_) return false;
    pollfd wanted{socket, POLLOUT, 0};
    (void)::poll(&wanted, 1, outlet_nap_ms);
  }
  return true;
}

void TcpOutlet::put(const LanePacket& packet) {
  look_around();
  // A receiver with a partial message would interpret the next one as its rest.
  std::erase_if(receivers_, [&](int socket) {
    const bool is_lost = !send(socket, packet.bytes);
    if (is_lost) ::close(socket);
    return is_lost;
  });
  ++put_;
  bytes_ += packet.bytes.size();
}

void TcpOutlet::finish() {
  for (const int socket : receivers_) ::shutdown(socket, SHUT_WR);
  const auto latest = std::chrono::steady_clock::now() + outlet_patience;
  while (!stop_ && !std::ranges::all_of(receivers_, has_acknowledged) &&
         std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(outlet_nap_ms));
    look_around();
  }
}

ZmqOutlet::ZmqOutlet(const std::string& endpoint, bool is_to_all, const std::atomic<bool>& stop)
    : stop_(stop),
      is_to_all_(is_to_all),
      socket_(open_zmq(context_, {.endpoint = endpoint, .binds = true, .is_pipeline = !is_to_all},
                       is_to_all ? ZmqEnd::sends_to_all : ZmqEnd::sends)) {
  socket_.set(zmq::sockopt::sndtimeo, outlet_nap_ms);
  if (is_to_all) socket_.set(zmq::sockopt::rcvtimeo, outlet_nap_ms);
}

/// A subscription begins with 1, its end with 0.
void ZmqOutlet::receive_subscriptions(zmq::recv_flags flags) {
  zmq::message_t said;
  while (socket_.recv(said, flags)) {
    const bool is_new = said.size() > 0 && *said.data<std::uint8_t>() == 1;
    if (is_new)
      ++subscribers_;
    else if (subscribers_ > 0)
      --subscribers_;
  }
}

void ZmqOutlet::wait_for_receivers(std::size_t receivers) {
  while (is_to_all_ && subscribers_ < receivers && !stop_) receive_subscriptions(zmq::recv_flags::none);
}

void ZmqOutlet::put(const LanePacket& packet) {
  if (is_to_all_) receive_subscriptions(zmq::recv_flags::dontwait);
  while (!socket_.send(zmq::buffer(packet.bytes.data(), packet.bytes.size()), zmq::send_flags::none))
    if (stop_) return;
  ++put_;
  bytes_ += packet.bytes.size();
}

}  // namespace takt::sensors
