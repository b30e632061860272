#include "sensors/udp_source.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <limits>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using ErrorCode = boost::system::error_code;

/// Datagrams taken with one call: enough to spread its cost, few enough that the lanes stay side by side.
constexpr std::size_t batch = 32;
/// Rounds over all lanes before timers and `stop` are looked at again.
constexpr int rounds_a_wake_up = 64;
constexpr std::chrono::milliseconds tick(50);
/// How long receiving rests when the pipeline does not keep up and frames must not be dropped.
constexpr std::chrono::microseconds rest(100);

/// Linux's names for SO_MEMINFO's fields are in a header that does not agree with the C library's.
constexpr int so_meminfo = 55;
constexpr std::size_t meminfo_drops = 8;
constexpr std::size_t meminfo_fields = 9;

/// The memory of one recvmmsg call.
class Batch {
 public:
  explicit Batch(std::size_t datagram_bytes) : bytes_(datagram_bytes), memory_(batch * bytes_) {
    for (std::size_t i = 0; i < batch; ++i) {
      pieces_[i] = {memory_.data() + i * bytes_, bytes_};
      messages_[i].msg_hdr.msg_iov = &pieces_[i];
      messages_[i].msg_hdr.msg_iovlen = 1;
    }
  }

  /// From now on who sent a datagram is known.
  void ask_for_senders() {
    for (std::size_t i = 0; i < batch; ++i) messages_[i].msg_hdr.msg_name = &senders_[i];
    has_senders_ = true;
  }

  /// Takes what is there without waiting; the number of datagrams, or -1 with errno.
  int receive(int socket, std::size_t most) {
    for (std::size_t i = 0; has_senders_ && i < most; ++i)
      messages_[i].msg_hdr.msg_namelen = sizeof senders_[i];
    return ::recvmmsg(socket, messages_.data(), static_cast<unsigned>(most), MSG_DONTWAIT, nullptr);
  }

  /// Who sent it.
  [[nodiscard]] asio::ip::address sender(std::size_t index) const {
    const sockaddr_storage& from = senders_[index];
    if (from.ss_family == AF_INET6) {
      asio::ip::address_v6::bytes_type bytes;
      std::memcpy(bytes.data(), &reinterpret_cast<const sockaddr_in6&>(from).sin6_addr, bytes.size());
      return asio::ip::address_v6(bytes);
    }
    return asio::ip::address_v4(ntohl(reinterpret_cast<const sockaddr_in&>(from).sin_addr.s_addr));
  }

  [[nodiscard]] std::span<const std::byte> datagram(std::size_t index) const {
    return {memory_.data() + index * bytes_, messages_[index].msg_len};
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> memory_;
  std::array<iovec, batch> pieces_{};
  std::array<mmsghdr, batch> messages_{};
  std::array<sockaddr_storage, batch> senders_{};
  bool has_senders_ = false;
};

}  // namespace

void validate(const UdpOptions& options, std::size_t largest_packet) {
  if (options.ports.empty()) throw OptionError("ports", "no port is given, expected one a lane");
  for (std::size_t i = 0; i < options.ports.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (options.ports[i] != 0 && options.ports[i] == options.ports[j])
        throw OptionError("ports",
                          fmt::format("port {} is given twice, expected one a lane", options.ports[i]));
  ErrorCode error;
  asio::ip::make_address(options.address, error);
  if (error)
    throw OptionError("address", fmt::format("'{}' is not an address to receive on, expected for example "
                                             "127.0.0.1 (from this computer) or 0.0.0.0 (from all)",
                                             options.address));
  for (const std::string& sender : options.senders) {
    asio::ip::make_address(sender, error);
    if (error)
      throw OptionError(
          "from", fmt::format("'{}' is not the address of a sender, expected for example 10.0.0.7", sender));
  }
  if (options.depth < 1)
    throw OptionError("depth", "a depth of 0 frames cannot hold a frame, expected 1 or more");
  if (options.socket_buffer.count < largest_packet || options.socket_buffer.count > (1u << 30))
    throw OptionError("socket_buffer",
                      fmt::format("a socket buffer of {} is out of range, expected {} to 1 GiB",
                                  to_string(options.socket_buffer), to_string(Bytes{largest_packet})));
}

namespace {

/// A socket that receives on a port. Throws WorkError.
udp::socket bound_socket(asio::io_context& context, const std::string& address, std::uint16_t port) {
  const udp::endpoint endpoint(asio::ip::make_address(address), port);
  udp::socket socket(context);
  ErrorCode error;
  socket.open(endpoint.protocol(), error);
  if (!error) socket.bind(endpoint, error);
  if (error) throw WorkError(fmt::format("cannot receive on {} port {}: {}", address, port, error.message()));
  return socket;
}

}  // namespace

class UdpSource::Impl {
 public:
  Impl(UdpOptions options, PacketFormat format)
      : options_((validate(options, format.largest_packet), std::move(options))),
        format_(std::move(format)),
        // One byte more than a packet has tells a longer datagram.
        batch_(format_.largest_packet + 1),
        timer_(context_) {
    for (const std::string& sender : options_.senders) senders_.push_back(asio::ip::make_address(sender));
    if (!senders_.empty()) batch_.ask_for_senders();
  }

  ~Impl() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  /// Those that wait, those that are being filled, and what may come while receiving is being stopped.
  [[nodiscard]] std::size_t least_pool() const {
    return options_.depth + format_.open_frames * (options_.when_full == WhenFull::block ? 2 : 1);
  }
  void use_pool(const FramePool& pool) { pool_ = pool; }

  void check() const {
    asio::io_context context;
    for (const std::uint16_t port : options_.ports) (void)bound_socket(context, options_.address, port);
  }

  void start() {
    room_ = options_.when_full == WhenFull::block ? format_.open_frames : 0;
    if (pool_.size() > 0)
      queue_.emplace(pool_.size(), FrameMemory(pool_, format_.type.size()));
    else
      queue_.emplace(least_pool(), format_.type.size());
    builder_ = format_.make_builder(*queue_);
    for (const std::uint16_t port : options_.ports) open_port(port);
    for (const std::uint16_t port : ports()) lane_names_.push_back(fmt::format("port {}", port));
    started_ns_ = now_ns();
    for (std::size_t lane = 0; lane < sockets_.size(); ++lane) wait_for_packets(lane);
    wait_for_tick();
    start_thread();
    started_.store(true, std::memory_order_release);
  }

  SourceState poll(FrameView& frame) {
    // The flag first: what was handed over before it was set is then seen below.
    const bool finished = finished_.load(std::memory_order_acquire);
    if (FrameSlot* slot = queue_->front()) {
      frame = {&slot->header, slot->bytes};
      last_ingested_ns_ = slot->header.ingested_ns;
      queue_->take();
      return SourceState::frame;
    }
    if (!finished) return SourceState::waiting;
    if (failure_) std::rethrow_exception(failure_);
    return SourceState::ended;
  }

  [[nodiscard]] bool is_cut_off() const {
    return last_ingested_ns_ >= end_ns_.load(std::memory_order_acquire);
  }

  void stop() {
    stopping_.store(true, std::memory_order_relaxed);
    context_.stop();
  }

  SourceCounters counters() const {
    if (!started()) return {};
    SourceCounters counters = builder_->counters();
    counters.details.push_back({"refused_sender", "packets", refused_senders_.value()});
    counters.details.push_back({"kernel_drops", "packets", kernel_drops_.value()});
    counters.details.push_back({"queue_high_water", "frames", queue_->high_water()});
    counters.details.push_back({"socket_buffer", "bytes", least_buffer_.count});
    return counters;
  }

  std::vector<std::string> warnings() const {
    if (!started()) return {};
    std::vector<std::string> all = warnings_;
    for (std::string& warning : builder_->warnings(lane_names_)) all.push_back(std::move(warning));
    return all;
  }

  std::vector<std::uint16_t> ports() const {
    std::vector<std::uint16_t> ports;
    for (const udp::socket& socket : sockets_) ports.push_back(socket.local_endpoint().port());
    return ports;
  }

  const UdpOptions options_;
  const PacketFormat format_;
  /// From `start` on.
  std::optional<FrameQueue> queue_;

 private:
  void open_port(std::uint16_t port) {
    udp::socket socket = bound_socket(context_, options_.address, port);
    enlarge_buffer(socket);
    sockets_.push_back(std::move(socket));
  }

  /// The forced call goes beyond net.core.rmem_max where we may; the kernel doubles the value for its own
  /// needs and gives the doubled one back.
  void enlarge_buffer(udp::socket& socket) {
    const int wanted = static_cast<int>(options_.socket_buffer.count);
    const int descriptor = socket.native_handle();
    if (::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted) != 0)
      ::setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);
    int doubled = 0;
    socklen_t length = sizeof doubled;
    ::getsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &doubled, &length);
    const Bytes got{static_cast<std::uint64_t>(doubled / 2)};
    if (sockets_.empty() || got < least_buffer_) least_buffer_ = got;
    if (got < options_.socket_buffer)
      warnings_.push_back(
          fmt::format("the receive buffer of port {} is {} instead of {}, packets may be lost: raise it with "
                      "'sysctl -w net.core.rmem_max={}'",
                      socket.local_endpoint().port(), to_string(got), to_string(options_.socket_buffer),
                      options_.socket_buffer.count));
  }

  /// Signals are for the program's own threads: the new one takes none.
  void start_thread() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { receive(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  /// The receiving thread. Nothing may follow `finished_`.
  void receive() {
    try {
      context_.run();
      const std::int64_t end = now_ns();
      end_ns_.store(end, std::memory_order_release);
      builder_->finish(end);
      count_kernel_drops();
    } catch (...) {
      failure_ = std::current_exception();
    }
    finished_.store(true, std::memory_order_release);
    queue_->wake();
  }

  void wait_for_packets(std::size_t lane) {
    sockets_[lane].async_wait(udp::socket::wait_read, [this, lane](ErrorCode error) {
      if (error) return;
      drain();
      wait_for_packets(lane);
    });
  }

  void wait_for_tick() {
    timer_.expires_after(tick);
    timer_.async_wait([this](ErrorCode error) {
      if (error) return;
      count_kernel_drops();
      if (!over()) wait_for_tick();
    });
  }

  /// Lane after lane, so that none runs ahead of the others by more than a batch, or half the window.
  void drain() {
    for (int round = 0; round < rounds_a_wake_up; ++round) {
      bool idle = true;
      for (std::size_t lane = 0; lane < sockets_.size(); ++lane)
        if (drain_batch(lane)) idle = false;
      if (idle || stopping()) return;
    }
  }

  /// Whether anything came.
  bool drain_batch(std::size_t lane) {
    const int count = batch_.receive(sockets_[lane].native_handle(), most_at_once_);
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      throw WorkError(fmt::format("receiving on port {} failed: {}", sockets_[lane].local_endpoint().port(),
                                  std::strerror(errno)));
    if (count <= 0) return false;
    const std::int64_t now = now_ns();
    bool any_good = false;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      wait_for_room();
      if (!senders_.empty() && std::ranges::find(senders_, batch_.sender(i)) == senders_.end()) {
        refused_senders_.add();
        continue;
      }
      any_good |= builder_->take(lane, batch_.datagram(i), now);
    }
    if (any_good) last_good_ns_ = now_ns();
    return true;
  }

  /// After `stop` nobody may take frames any more: it is not
  /// waited for, and what finds no room is counted as dropped.
  void wait_for_room() {
    while (queue_->free_slots() < room_ && !stopping()) std::this_thread::sleep_for(rest);
  }

  /// Ends the stream when it is time; throws when it never began.
  bool over() {
    const std::int64_t now = now_ns();
    if (last_good_ns_ == 0) {
      if (options_.start_timeout > Time(0) && now - started_ns_ > options_.start_timeout.count())
        throw WorkError(no_packets_message());
      return false;
    }
    if (options_.idle_timeout == Time(0) || now - last_good_ns_ <= options_.idle_timeout.count())
      return false;
    context_.stop();
    return true;
  }

  std::string no_packets_message() const {
    std::string refused;
    constexpr std::string_view prefix = "refused_";
    for (const Counter& counter : builder_->counters().details)
      if (counter.value > 0 && counter.name.starts_with(prefix))
        refused += fmt::format("{}{} by {}", refused.empty() ? "" : ", ", counter.value,
                               counter.name.substr(prefix.size()));
    if (const std::uint64_t count = refused_senders_.value())
      refused += fmt::format("{}{} by sender", refused.empty() ? "" : ", ", count);
    const bool is_own = asio::ip::make_address(options_.address).is_loopback();
    return fmt::format(
        "no good {} packet on {} ports {} within {} ({}){}", format_.name, options_.address,
        fmt::join(ports(), ", "), to_string(options_.start_timeout),
        refused.empty() ? "nothing came at all" : "refused: " + refused,
        is_own ? "; this address receives from this computer only, 'address: 0.0.0.0' from all" : "");
  }

  /// Asked for instead of taken from SO_RXQ_OVFL's messages, which come with the next packet only.
  void count_kernel_drops() {
    std::uint64_t drops = 0;
    for (udp::socket& socket : sockets_) {
      std::array<std::uint32_t, meminfo_fields> info{};
      socklen_t length = sizeof info;
      if (::getsockopt(socket.native_handle(), SOL_SOCKET, so_meminfo, info.data(), &length) == 0)
        drops += info[meminfo_drops];
    }
    kernel_drops_.raise_to(drops);
  }

  [[nodiscard]] bool started() const { return started_.load(std::memory_order_acquire); }
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  FramePool pool_;
  std::unique_ptr<FrameBuilder> builder_;
  /// Of the frame that was taken last.
  std::int64_t last_ingested_ns_ = 0;
  /// Slots that must be free before a packet is taken, so that it is sure to find one; 0 when frames may be
  /// dropped.
  std::size_t room_ = 0;
  Batch batch_;
  /// Datagrams of a lane taken with one call.
  const std::size_t most_at_once_ = std::clamp<std::size_t>(format_.window / 2, 1, batch);
  asio::io_context context_{1};
  asio::steady_timer timer_;
  std::vector<udp::socket> sockets_;
  Bytes least_buffer_;
  Tally kernel_drops_, refused_senders_;
  /// Those that are listened to; all where there is none.
  std::vector<asio::ip::address> senders_;
  std::int64_t started_ns_ = 0;
  /// 0 until a good packet came.
  std::int64_t last_good_ns_ = 0;
  std::vector<std::string> warnings_, lane_names_;
  /// What other threads may ask about is there.
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};
  /// When receiving ended; what is handed over from then on was cut off.
  std::atomic<std::int64_t> end_ns_{std::numeric_limits<std::int64_t>::max()};
  std::exception_ptr failure_;
  std::thread thread_;
};

UdpSource::UdpSource(UdpOptions options, PacketFormat format)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(format))) {}
UdpSource::~UdpSource() = default;

const FrameType& UdpSource::type() const {
  return impl_->format_.type;
}
void UdpSource::check() const {
  impl_->check();
}

void UdpSource::start() {
  impl_->start();
}
SourceState UdpSource::poll(FrameView& frame) {
  return impl_->poll(frame);
}
std::size_t UdpSource::least_pool() const {
  return impl_->least_pool();
}
void UdpSource::use_pool(const FramePool& pool) {
  impl_->use_pool(pool);
}
void UdpSource::wait(std::int64_t latest_ns) {
  impl_->queue_->wait(latest_ns);
}
void UdpSource::release() {
  impl_->queue_->pop();
}
bool UdpSource::is_cut_off() const {
  return impl_->is_cut_off();
}
void UdpSource::stop() {
  impl_->stop();
}
SourceCounters UdpSource::counters() const {
  return impl_->counters();
}
std::vector<std::string> UdpSource::warnings() const {
  return impl_->warnings();
}
std::vector<std::uint16_t> UdpSource::ports() const {
  return impl_->ports();
}

}  // namespace takt::sensors
