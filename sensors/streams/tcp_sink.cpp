#include "sensors/streams/tcp_sink.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <utility>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/wire.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t last_words_ns = 5'000'000'000;
/// How long it waits for room before it looks at all receivers again.
constexpr int nap_ms = 20;

in_addr address_of(const std::string& text) {
  in_addr address{};
  if (::inet_pton(AF_INET, text.c_str(), &address) != 1)
    throw OptionError("address",
                      fmt::format("'{}' is not an address to listen on, expected for example 127.0.0.1 "
                                  "(this computer) or 0.0.0.0 (all)",
                                  text));
  return address;
}

}  // namespace

void validate(const TcpSinkOptions& options) {
  (void)address_of(options.address);
  if (options.depth < 1)
    throw OptionError("depth", "a depth of 0 frames cannot hold a frame, expected 1 or more");
}

class TcpSink::Impl {
 public:
  Impl(const TcpSinkOptions& options, const FrameType& type)
      : options_((validate(options), options)), encoder_(type) {}

  ~Impl() {
    for (const Receiver& receiver : receivers_) ::close(receiver.socket);
    if (listener_ >= 0) ::close(listener_);
  }

  void open() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr = address_of(options_.address);
    address.sin_port = htons(options_.port);
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (listener_ < 0 ||
        ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 16) != 0)
      throw WorkError(fmt::format("cannot listen on {} port {}: {}", options_.address, options_.port,
                                  std::strerror(errno)));
    socklen_t length = sizeof address;
    ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
  }

  void write(const FrameView& frame) {
    accept();
    while (came_.value() < options_.receivers) {
      pollfd wanted{listener_, POLLIN, 0};
      (void)::poll(&wanted, 1, nap_ms);
      accept();
    }
    auto message = std::make_shared<std::vector<std::byte>>();  // shared by all receivers
    encoder_.encode(frame, *message);
    for (Receiver& receiver : receivers_) {
      send(receiver);
      while (receiver.waiting.size() >= options_.depth && options_.when_full == WhenFull::block &&
             receiver.is_there) {
        pollfd wanted{receiver.socket, POLLOUT, 0};
        (void)::poll(&wanted, 1, nap_ms);
        send(receiver);
      }
      if (receiver.waiting.size() >= options_.depth) {
        dropped_.add();
        continue;
      }
      receiver.waiting.push_back(message);
      send(receiver);
    }
    forget_gone();
  }

  void close() {
    const auto end = std::make_shared<std::vector<std::byte>>(WireEncoder::end());
    for (Receiver& receiver : receivers_) receiver.waiting.push_back(end);
    const std::int64_t latest = now_ns() + last_words_ns;
    for (Receiver& receiver : receivers_) {
      send(receiver);
      while (receiver.is_there && !receiver.waiting.empty() && now_ns() < latest) {
        pollfd wanted{receiver.socket, POLLOUT, 0};
        (void)::poll(&wanted, 1, nap_ms);
        send(receiver);
      }
      dropped_.add(receiver.waiting.size() - (receiver.waiting.empty() ? 0 : 1));
      // Before the socket is closed, the other side reads to the end.
      ::shutdown(receiver.socket, SHUT_WR);
    }
  }

  const TcpSinkOptions options_;
  std::atomic<std::uint16_t> port_{0};
  Tally sent_, dropped_, came_;

 private:
  struct Receiver {
    int socket = -1;
    bool is_there = true;
    std::deque<std::shared_ptr<const std::vector<std::byte>>> waiting;
    /// Bytes of the first one that are sent.
    std::size_t sent = 0;
  };

  void accept() {
    for (int socket; (socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0;) {
      receivers_.push_back({.socket = socket});
      came_.add();
    }
  }

  void send(Receiver& receiver) {
    while (receiver.is_there && !receiver.waiting.empty()) {
      const std::vector<std::byte>& message = *receiver.waiting.front();
      const ssize_t count = ::send(receiver.socket, message.data() + receiver.sent,
                                   message.size() - receiver.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0) {
        receiver.is_there = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        return;
      }
      receiver.sent += static_cast<std::size_t>(count);
      if (receiver.sent < message.size()) return;
      if (message.size() > wire_head_bytes) sent_.add();
      receiver.sent = 0;
      receiver.waiting.pop_front();
    }
  }

  void forget_gone() {
    for (const Receiver& receiver : receivers_)
      if (!receiver.is_there) {
        dropped_.add(receiver.waiting.size());
        ::close(receiver.socket);
      }
    std::erase_if(receivers_, [](const Receiver& receiver) { return !receiver.is_there; });
  }

  const WireEncoder encoder_;
  int listener_ = -1;
  std::vector<Receiver> receivers_;
};

TcpSink::TcpSink(const TcpSinkOptions& options, const FrameType& type)
    : impl_(std::make_unique<Impl>(options, type)) {}
TcpSink::~TcpSink() = default;

void TcpSink::open() {
  impl_->open();
}
void TcpSink::write(const FrameView& frame) {
  impl_->write(frame);
}
void TcpSink::close() {
  impl_->close();
}
std::string TcpSink::location() const {
  const std::uint16_t port = impl_->port_;
  return fmt::format("tcp://{}:{}", impl_->options_.address, port != 0 ? port : impl_->options_.port);
}
std::vector<Counter> TcpSink::counters() const {
  return {{"frames_sent", "frames", impl_->sent_.value()},
          {"frames_dropped", "frames", impl_->dropped_.value()},
          {"receivers", "receivers", impl_->came_.value()}};
}
std::uint16_t TcpSink::port() const {
  return impl_->port_;
}

}  // namespace takt::sensors
