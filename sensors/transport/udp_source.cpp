#include "sensors/transport/udp_source.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/socket.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/quiet_thread.hpp"
#include "sensors/packets/packet_nap.hpp"
#include "sensors/transport/datagram_batch.hpp"
#include "sensors/transport/udp_ports.hpp"
#include "sensors/transport/udp_receivers.hpp"
#include "sensors/transport/unread_ports.hpp"

namespace takt::sensors {

namespace {

namespace asio = boost::asio;
using asio::ip::udp;
using ErrorCode = boost::system::error_code;

/// Iterations over all lanes before timers and `stop` are checked again.
constexpr int rounds_a_wake_up = 64;
constexpr std::chrono::milliseconds tick(50);
/// Pause of receiving when the pipeline does not keep up and frames must not be dropped.
constexpr std::chrono::microseconds rest(100);

/// Largest coalesced message of the kernel, and the number of calls that justifies coalescing.
constexpr std::size_t largest_coalesced = 65'535;
constexpr std::size_t least_coalesced_calls = 8;

}  // namespace

class UdpSource::Impl {
 public:
  Impl(UdpOptions options, PacketFormat format)
      : options_((validate(options, format.largest_packet), std::move(options))),
        format_(std::move(format)),
        timer_(context_),
        ports_(context_, options_) {}

  ~Impl() {
    stop();
    if (thread_.joinable()) thread_.join();
  }

  /// The waiting frames, those under assembly, and those that may arrive while receiving stops.
  [[nodiscard]] std::size_t least_pool() const {
    return options_.depth + format_.open_frames * (options_.when_full == WhenFull::block ? 2 : 1);
  }
  void use_pool(const FramePool& pool) { pool_ = pool; }

  void check() const { ports_.check(); }
  [[nodiscard]] std::unique_ptr<PacketCount> count_packets() const {
    return std::make_unique<UnreadPorts>(options_);
  }

  void start() {
    room_ = options_.when_full == WhenFull::block ? format_.open_frames : 0;
    if (pool_.size() > 0)
      queue_.emplace(pool_.size(), FrameMemory(pool_, format_.type.size()));
    else
      queue_.emplace(least_pool(), format_.type.size());
    builder_ = format_.make_builder(*queue_);
    ports_.open();
    start_batches();
    for (const std::uint16_t port : ports()) lane_names_.push_back(fmt::format("port {}", port));
    started_ns_ = now_ns();
    if (!receivers_) {
      for (std::size_t lane = 0; lane < ports_.size(); ++lane) wait_for_packets(lane);
      wait_for_tick();
    }
    thread_ = quiet_thread([this] { receive(); });
    started_.store(true, std::memory_order_release);
  }

  SourceState poll(FrameView& frame) {
    // Reads the flag first: frames handed over before it was set are then visible below.
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

  [[nodiscard]] Reception reception() const {
    const std::size_t packet = format_.largest_packet, frame = format_.type.size().count;
    return {.messages = (frame + packet - 1) / packet, .bytes = Bytes{packet}};
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
    if (options_.timestamps)
      counters.details.push_back({"receive_delay_high_water", "ns", receive_delay_.value()});
    counters.details.push_back({"queue_high_water", "frames", queue_->high_water()});
    counters.details.push_back({"socket_buffer", "bytes", ports_.least_buffer().count});
    return counters;
  }

  std::vector<std::string> warnings() const {
    if (!started()) return {};
    std::vector<std::string> all = ports_.warnings();
    for (std::string& warning : builder_->warnings(lane_names_)) all.push_back(std::move(warning));
    return all;
  }

  std::vector<std::uint16_t> ports() const { return ports_.ports(); }

  const UdpOptions options_;
  const PacketFormat format_;
  /// Set by `start`.
  std::optional<FrameQueue> queue_;

 private:
  /// Receives payloads directly at their places in frames if the format permits it. Exceptions: receiving may
  /// have to stop for lack of space, so that each packet must wait by itself; or separate threads receive.
  void start_batches() {
    BatchShape shape{.largest_packet = format_.largest_packet, .has_senders = !ports_.senders().empty()};
    const bool is_alone = options_.receivers == 1;
    scatter_ = room_ > 0 || !is_alone ? nullptr : dynamic_cast<ScatterBuilder*>(builder_.get());
    if (scatter_) {
      shape.header_bytes = scatter_->header_bytes();
      shape.payload_bytes = scatter_->payload_bytes();
    }
    // Coalesced datagrams of one lane must not run further ahead of the others than those of one call.
    const std::size_t coalesced = std::max<std::size_t>(largest_coalesced / format_.largest_packet, 1);
    // Each separate receiver may have one more batch.
    const std::size_t window = std::max<std::size_t>(format_.window / (is_alone ? 2 : 4), 1);
    most_at_once_ = ports_.size() == 1 ? DatagramBatch::most : std::min(window, DatagramBatch::most);
    if (options_.coalesce && (ports_.size() == 1 || window / coalesced >= least_coalesced_calls)) {
      shape.is_coalesced = ports_.coalesce();
      if (ports_.size() > 1 && shape.is_coalesced) shape.most_messages = window / coalesced;
    }
    shape.has_timestamps = (options_.timestamps || !is_alone) && ports_.stamp();
    const PacketNap::Limits nap{.buffer_bytes = ports_.least_buffer().count,
                                .packet_bytes = format_.largest_packet,
                                .frame_ns = format_.type.rate_hz > 0 ? 1e9 / format_.type.rate_hz : 0};
    if (is_alone) {
      nap_.emplace(nap);
      batch_.emplace(shape);
    } else {
      make_receivers(shape, nap);
    }
  }

  void make_receivers(const BatchShape& shape, const PacketNap::Limits& nap) {
    std::vector<std::vector<UdpReceivers::Socket>> sockets(options_.receivers);
    for (std::size_t i = 0; i < ports_.size(); ++i)
      sockets[i % sockets.size()].push_back(
          {.descriptor = ports_.socket(i).native_handle(), .lane = ports_.lane(i), .port = ports_.port(i)});
    // With more threads than ports each thread has one socket, otherwise several ports.
    receivers_ = std::make_unique<UdpReceivers>(
        UdpReceivers::Options{
            .shape = shape, .most_at_once = most_at_once_, .nap = nap, .cores = options_.receiver_cores},
        sockets);
  }

  /// The receiving thread. Setting `finished_` must be the last action.
  void receive() {
    try {
      if (options_.core) bind_to_processor(*options_.core);
      if (receivers_)
        take_from_receivers();
      else
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

  /// The equivalent of `context_.run` if separate threads receive.
  void take_from_receivers() {
    receivers_->start();
    for (std::int64_t next_tick = now_ns(); !stopping();) {
      (void)take_batch(next_tick);
      if (now_ns() < next_tick) continue;
      next_tick = now_ns() + std::chrono::nanoseconds(tick).count();
      count_kernel_drops();
      if (over()) break;
    }
    receivers_->stop();
    while (take_batch(0)) continue;
  }

  /// Returns whether a batch arrived by this time.
  bool take_batch(std::int64_t latest_ns) {
    UdpReceivers::Received* const received = receivers_->next(latest_ns);
    if (!received) return false;
    const std::int64_t now = now_ns();
    if (const auto came = received->batch.first_utc_ns(); came && options_.timestamps) note_delay(*came);
    if (deliver(received->batch, received->lane, now)) last_good_ns_ = now_ns();
    receivers_->give_back();
    return true;
  }

  void wait_for_packets(std::size_t lane) {
    ports_.socket(lane).async_wait(udp::socket::wait_read, [this, lane](ErrorCode error) {
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

  /// Drains the lanes in turn: none runs ahead of the others by more than a batch, or half the window.
  void drain() {
    for (int round = 0; round < rounds_a_wake_up && !stopping(); ++round) {
      bool is_drained = true;
      for (std::size_t lane = 0; lane < ports_.size(); ++lane) {
        nap_->came(drain_batch(lane));
        is_drained = is_drained && !batch_->was_full();
      }
      if (is_drained && !nap_->rest()) return;
    }
  }

  /// Returns the number of received datagrams.
  std::size_t drain_batch(std::size_t lane) {
    const std::span<std::byte*> places = batch_->places(most_at_once_);
    if (!places.empty()) scatter_->expect(lane, places);
    const int count = batch_->receive(ports_.socket(lane).native_handle());
    if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
      throw WorkError(
          fmt::format("receiving on port {} failed: {}", ports_.port(lane), std::strerror(errno)));
    if (count <= 0) return 0;
    const std::int64_t now = now_ns();
    if (const auto came = batch_->first_utc_ns()) note_delay(*came);
    if (deliver(*batch_, lane, now)) last_good_ns_ = now_ns();
    return static_cast<std::size_t>(count);
  }

  /// Returns whether any datagram of the batch is a valid packet.
  bool deliver(DatagramBatch& batch, std::size_t lane, std::int64_t now) {
    std::span<ScatteredDatagram> datagrams = batch.datagrams();
    if (!ports_.senders().empty()) datagrams = datagrams.first(keep_known_senders(batch));
    bool any_good = false;
    if (!scatter_) {
      for (const ScatteredDatagram& datagram : datagrams) {
        wait_for_room();
        any_good |= builder_->take(lane, datagram.header, now);
      }
      return any_good;
    }
    while (!datagrams.empty()) {
      const std::span<ScatteredDatagram> some =
          datagrams.first(std::min(datagrams.size(), DatagramBatch::most));
      any_good |= scatter_->take(lane, some, now) > 0;
      datagrams = datagrams.subspan(some.size());
    }
    return any_good;
  }

  /// Moves datagrams of accepted senders to the front; returns their number.
  std::size_t keep_known_senders(DatagramBatch& batch) {
    const std::span<ScatteredDatagram> datagrams = batch.datagrams();
    std::size_t known = 0;
    for (std::size_t i = 0; i < datagrams.size(); ++i)
      if (std::ranges::find(ports_.senders(), address_of(batch.sender(i))) != ports_.senders().end())
        datagrams[known++] = datagrams[i];
    refused_senders_.add(datagrams.size() - known);
    return known;
  }

  void note_delay(std::int64_t came_utc_ns) {
    const std::int64_t delay = utc_now_ns() - came_utc_ns;
    if (delay > 0) receive_delay_.raise_to(static_cast<std::uint64_t>(delay));
  }

  /// Does not wait after `stop`, when the pipeline may never release frames: frames without space count as
  /// dropped.
  void wait_for_room() {
    while (queue_->free_slots() < room_ && !stopping()) std::this_thread::sleep_for(rest);
  }

  /// Reports whether the stream has ended; throws if no valid packet arrived in time.
  bool over() {
    const std::int64_t now = now_ns();
    if (last_good_ns_ == 0) {
      if (options_.start_timeout > Time(0) && now - started_ns_ > options_.start_timeout.count())
        throw WorkError(no_packets_message());
      return false;
    }
    const bool is_idle =
        options_.idle_timeout > Time(0) && now - last_good_ns_ > options_.idle_timeout.count();
    if (!is_idle && !builder_->is_over()) return false;
    context_.stop();
    return true;
  }

  std::string no_packets_message() const {
    std::string refused = refusals(builder_->counters().details);
    if (const std::uint64_t count = refused_senders_.value())
      refused += fmt::format("{}{} by sender", refused.empty() ? "" : ", ", count);
    const bool is_own = asio::ip::make_address(options_.address).is_loopback();
    return fmt::format(
        "no valid {} packet on {} ports {} within {} ({}){}", format_.name, options_.address,
        fmt::join(ports(), ", "), to_string(options_.start_timeout),
        refused.empty() ? "nothing received" : "refused: " + refused,
        is_own ? "; this address receives from this computer only: 'address: 0.0.0.0' receives from all"
               : "");
  }

  void count_kernel_drops() { kernel_drops_.raise_to(ports_.count_drops()); }

  [[nodiscard]] bool started() const { return started_.load(std::memory_order_acquire); }
  [[nodiscard]] bool stopping() const { return stopping_.load(std::memory_order_relaxed); }

  FramePool pool_;
  std::unique_ptr<FrameBuilder> builder_;
  /// Time of the last polled frame.
  std::int64_t last_ingested_ns_ = 0;
  /// Slots that must be free before a packet is received, so that it is certain to find one; 0 if frames may
  /// be dropped.
  std::size_t room_ = 0;
  /// The builder, if payloads are received directly at their places.
  ScatterBuilder* scatter_ = nullptr;
  std::optional<DatagramBatch> batch_;
  std::optional<PacketNap> nap_;
  /// Datagrams of a lane received per call.
  std::size_t most_at_once_ = 1;
  asio::io_context context_{1};
  asio::steady_timer timer_;
  UdpPorts ports_;
  /// Set if there are several receiving threads.
  std::unique_ptr<UdpReceivers> receivers_;
  Tally kernel_drops_, refused_senders_, receive_delay_;
  std::int64_t started_ns_ = 0;
  /// 0 until the first valid packet.
  std::int64_t last_good_ns_ = 0;
  std::vector<std::string> lane_names_;
  /// Whether other threads may query the counts.
  std::atomic<bool> started_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> finished_{false};
  /// When receiving ended; frames handed over later were cut off.
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
std::unique_ptr<PacketCount> UdpSource::count_packets() const {
  return impl_->count_packets();
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
std::optional<Reception> UdpSource::reception() const {
  return impl_->reception();
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
