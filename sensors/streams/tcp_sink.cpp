#include "sensors/streams/tcp_sink.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/outside_wait.hpp"
#include "sensors/option_error.hpp"
#include "sensors/streams/wire.hpp"
#include "sensors/transport/tcp_listener.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t last_wait_ns = 5'000'000'000, last_return_ns = 60'000'000'000;
/// How long it waits for space before it checks all receivers again.
constexpr int nap_ms = 20;

}  // namespace

void validate(const TcpSinkOptions& options) {
  try {
    (void)parse_listen_address(options.address);
  } catch (const ConfigError& error) {
    throw OptionError("address", error.what());
  }
  if (options.depth < 1) throw OptionError("depth", "a depth of 0 frames is not valid: expected 1 or more");
}

class TcpSink::Impl {
 public:
  Impl(const TcpSinkOptions& options, const FrameType& type)
      : options_((validate(options), options)), encoder_(type) {}

  ~Impl() {
    for (const Receiver& receiver : receivers_) ::close(receiver.socket);
  }

  void open() {
    listener_.emplace(options_.address, options_.port);
    port_ = listener_->port();
  }

  void write(const FrameView& frame) {
    look_around();
    std::optional<OutsideWait> waits;
    while (came_.value() < options_.receivers || has_to_wait()) {
      if (!waits) waits.emplace(fmt::format("receivers at port {}", port_.load()));
      pollfd wanted{listener_->socket(), POLLIN, 0};
      (void)::poll(&wanted, 1, nap_ms);
      look_around();
    }
    auto message = std::make_shared<std::vector<std::byte>>();  // shared by all receivers
    encoder_.encode(frame, *message);
    keep(*frame.header, message);
    for (Receiver& receiver : receivers_) {
      send(receiver);
      while (receiver.waiting.size() >= options_.depth && options_.when_full == WhenFull::block &&
             receiver.is_there && !receiver.is_asking) {
        if (!waits) waits.emplace(fmt::format("a receiver at port {}", port_.load()));
        pollfd wanted{receiver.socket, POLLOUT, 0};
        (void)::poll(&wanted, 1, nap_ms);
        hear(receiver);
        send(receiver);
      }
      if (receiver.waiting.size() >= options_.depth && !receiver.is_asking) {
        dropped_.add();
        continue;
      }
      receiver.waiting.push_back(message);
      send(receiver);
    }
    forget_gone();
  }

  void close() {
    if (!listener_) return;
    end_ = std::make_shared<std::vector<std::byte>>(WireEncoder::end());
    for (Receiver& receiver : receivers_)
      if (!receiver.is_asking) receiver.waiting.push_back(end_);
    const auto is_owed = [](const Receiver& receiver) {
      return receiver.is_there && (receiver.is_asking || !receiver.waiting.empty());
    };
    std::optional<OutsideWait> waits;
    const std::int64_t latest = now_ns() + (waits_for_all() ? last_return_ns : last_wait_ns);
    for (;;) {
      for (Receiver& receiver : receivers_) send(receiver);
      const auto owed = std::ranges::find_if(receivers_, is_owed);
      if ((owed == receivers_.end() && !is_receiver_missing()) || now_ns() > latest) break;
      if (!waits) waits.emplace(fmt::format("receivers at port {}", port_.load()));
      // The last frames may be in the buffers of a dying receiver: it confirms when it has them.
      pollfd wanted{owed == receivers_.end() ? listener_->socket() : owed->socket,
                    static_cast<short>(owed == receivers_.end() ? POLLIN : POLLOUT), 0};
      (void)::poll(&wanted, 1, nap_ms);
      if (options_.keep.count > 0) look_around();
    }
    for (const Receiver& receiver : receivers_) {
      dropped_.add(receiver.waiting.size() - (receiver.waiting.empty() ? 0 : 1));
      // The receiver reads to the end before the socket is closed.
      ::shutdown(receiver.socket, SHUT_WR);
    }
  }

  const TcpSinkOptions options_;
  std::atomic<std::uint16_t> port_{0};
  Tally sent_, dropped_, came_, replayed_;

 private:
  using WireMessage = std::shared_ptr<const std::vector<std::byte>>;  // shared by several receivers, and kept

  struct Receiver {
    int socket = -1;
    bool is_there = true;
    /// The receiver may still request missed frames; since when.
    bool is_asking = false;
    std::int64_t arrival_ns = 0;
    std::vector<std::byte> said = {};
    std::deque<WireMessage> waiting = {};
    /// Bytes of the first message that are sent.
    std::size_t sent = 0;
  };

  void accept() {
    for (int socket; (socket = listener_->accept()) >= 0;) {
      receivers_.push_back({.socket = socket, .is_asking = options_.keep.count > 0, .arrival_ns = now_ns()});
      came_.add();
    }
  }

  /// Accepts, removes and reads receivers.
  void look_around() {
    accept();
    for (Receiver& receiver : receivers_) hear(receiver);
    forget_gone();
  }

  [[nodiscard]] bool waits_for_all() const {
    return options_.keep.count > 0 && options_.when_full == WhenFull::block && options_.receivers > 0;
  }
  /// Reports whether a receiver that did not have everything has gone.
  [[nodiscard]] bool has_to_wait() const {
    return waits_for_all() && receivers_.size() + done_ < options_.receivers;
  }
  /// Reports whether a receiver has not confirmed that it has everything.
  [[nodiscard]] bool is_receiver_missing() const { return waits_for_all() && done_ < options_.receivers; }

  void keep(const FrameHeader& header, const WireMessage& message) {
    if (options_.keep.count == 0) return;
    kept_.push_back({header.epoch, header.sequence, message});
    kept_bytes_ += message->size();
    while (kept_bytes_ > options_.keep.count && kept_.size() > 1) {
      kept_bytes_ -= kept_.front().message->size();
      kept_.pop_front();
    }
  }

  /// Reads the requests of a receiver if frames are kept for it.
  void hear(Receiver& receiver) {
    constexpr std::int64_t patience_ns = 1'000'000'000;
    if (options_.keep.count == 0 || !receiver.is_there) return;
    std::array<std::byte, wire_head_bytes> bytes{};
    const ssize_t count =
        ::recv(receiver.socket, bytes.data(), bytes.size() - receiver.said.size(), MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
      receiver.is_there = false;
    if (count > 0) receiver.said.insert(receiver.said.end(), bytes.begin(), bytes.begin() + count);
    if (receiver.said.size() == wire_head_bytes) {
      const std::optional<WireRequest> request = read_wire_request(receiver.said);
      receiver.said.clear();
      if (!request) {
        receiver.is_there = false;
      } else if (!request->command) {
        ++done_;
        receiver.is_there = false;
      } else if (receiver.is_asking) {
        answer(receiver, *request);
      }
    }
    if (receiver.is_asking && now_ns() - receiver.arrival_ns > patience_ns)
      answer(receiver, {WireCommand::coming_frames, 0, 0});
  }

  void answer(Receiver& receiver, const WireRequest& request) {
    receiver.is_asking = false;
    if (request.command != WireCommand::coming_frames) {
      const auto is_had = [&](const Kept& frame) {
        return request.command == WireCommand::frames_after &&
               std::pair(frame.epoch, frame.sequence) <= std::pair(request.epoch, request.sequence);
      };
      receiver.waiting.clear();
      for (const Kept& frame : kept_)
        if (!is_had(frame)) receiver.waiting.push_back(frame.message);
      replayed_.add(receiver.waiting.size());
    }
    if (end_) receiver.waiting.push_back(end_);
  }

  void send(Receiver& receiver) {
    while (receiver.is_there && !receiver.is_asking && !receiver.waiting.empty()) {
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

  struct Kept {
    std::uint16_t epoch;
    std::uint64_t sequence;
    WireMessage message;
  };

  const WireEncoder encoder_;
  std::optional<TcpListener> listener_;
  std::vector<Receiver> receivers_;
  /// Receivers that disconnected after their confirmation.
  std::size_t done_ = 0;
  std::deque<Kept> kept_;
  std::uint64_t kept_bytes_ = 0;
  /// The end of the stream, once it is known.
  WireMessage end_;
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
          {"frames_replayed", "frames", impl_->replayed_.value()},
          {"receivers", "receivers", impl_->came_.value()}};
}
std::uint16_t TcpSink::port() const {
  return impl_->port_;
}

}  // namespace takt::sensors
