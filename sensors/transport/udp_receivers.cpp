#include "sensors/transport/udp_receivers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "core/system/futex.hpp"
#include "core/system/quiet_thread.hpp"

namespace takt::sensors {

namespace {

/// Batches between a receiver and the consuming thread: few, so that they stay in the cache.
constexpr std::size_t batches_a_receiver = 8;
/// How often a receiver without data checks again and publishes that.
constexpr int look_again_ms = 1;
/// How long a receiver without a free batch waits.
constexpr std::chrono::microseconds pause_when_full(50);
/// Longer than the scheduler delays a runnable thread, even on an oversubscribed processor.
constexpr std::int64_t patience_ns = 1'000'000'000;

}  // namespace

void bind_to_processor(unsigned processor) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(processor, &cores);
  if (const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof cores, &cores); error != 0)
    throw WorkError(fmt::format("cannot receive on processor {}: {}", processor, std::strerror(error)));
}

class UdpReceivers::Receiver {
 public:
  Receiver(UdpReceivers& all, const Options& options, const std::vector<Socket>& sockets,
           std::optional<unsigned> core)
      : all_(all), sockets_(sockets), core_(core), most_at_once_(options.most_at_once), nap_(options.nap) {
    ring_.reserve(batches_a_receiver);
    for (std::size_t i = 0; i < batches_a_receiver; ++i)
      ring_.push_back({.batch = DatagramBatch(options.shape)});
    for (const Socket& socket : sockets)
      polled_.push_back({.fd = socket.descriptor, .events = POLLIN, .revents = 0});
  }

  void start() {
    thread_ = quiet_thread([this] { run(); });
  }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  /// For the consuming thread: all data in the sockets at this time has been put into the ring.
  [[nodiscard]] std::int64_t looked_ns() const { return looked_ns_.load(std::memory_order_acquire); }
  [[nodiscard]] Received* front() {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    return head_.load(std::memory_order_acquire) == tail ? nullptr : &ring_[tail % ring_.size()];
  }
  void drop_front() { tail_.store(tail_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  void throw_failure() const {
    if (has_failed_.load(std::memory_order_acquire)) std::rethrow_exception(failure_);
  }

 private:
  void run() {
    try {
      if (core_) bind_to_processor(*core_);
      while (!all_.stopping_.load(std::memory_order_relaxed)) {
        const std::int64_t now = now_ns();
        if (!drain()) continue;
        looked_ns_.store(now, std::memory_order_release);
        all_.wake();
        if (!nap_.rest()) ::poll(polled_.data(), polled_.size(), look_again_ms);
      }
    } catch (...) {
      failure_ = std::current_exception();
      has_failed_.store(true, std::memory_order_release);
      all_.wake();
    }
  }

  /// Makes one call for each socket; returns whether all of them are empty.
  bool drain() {
    bool is_drained = true;
    for (std::size_t i = 0; i < sockets_.size(); ++i) {
      const std::uint64_t head = head_.load(std::memory_order_relaxed);
      if (head - tail_.load(std::memory_order_acquire) == ring_.size()) {
        std::this_thread::sleep_for(pause_when_full);
        return false;
      }
      Received& received = ring_[head % ring_.size()];
      const std::size_t socket = next_socket_;
      next_socket_ = (next_socket_ + 1) % sockets_.size();
      (void)received.batch.places(most_at_once_);
      const int count = received.batch.receive(sockets_[socket].descriptor);
      if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        throw WorkError(
            fmt::format("receiving on port {} failed: {}", sockets_[socket].port, std::strerror(errno)));
      if (count <= 0) continue;
      received.lane = sockets_[socket].lane;
      // Taken after the call: data may arrive until then, here and at other receivers.
      received.at_ns = now_ns();
      received.arrival_ns = received.batch.first_utc_ns().value_or(received.at_ns);
      head_.store(head + 1, std::memory_order_release);
      nap_.came(static_cast<std::size_t>(count));
      is_drained = is_drained && !received.batch.was_full();
      all_.wake();
    }
    return is_drained;
  }

  UdpReceivers& all_;
  const std::vector<Socket> sockets_;
  const std::optional<unsigned> core_;
  const std::size_t most_at_once_;
  PacketNap nap_;
  std::vector<Received> ring_;
  std::vector<pollfd> polled_;
  std::size_t next_socket_ = 0;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::atomic<std::int64_t> looked_ns_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
  std::exception_ptr failure_;
  std::atomic<bool> has_failed_{false};
  std::thread thread_;
};

UdpReceivers::UdpReceivers(const Options& options, const std::vector<std::vector<Socket>>& sockets) {
  for (std::size_t i = 0; i < sockets.size(); ++i)
    receivers_.push_back(std::make_unique<Receiver>(
        *this, options, sockets[i],
        options.cores.empty() ? std::nullopt : std::optional<unsigned>(options.cores[i])));
}

UdpReceivers::~UdpReceivers() {
  stop();
}

void UdpReceivers::start() {
  for (const auto& receiver : receivers_) receiver->start();
}

void UdpReceivers::stop() {
  stopping_.store(true, std::memory_order_relaxed);
  for (const auto& receiver : receivers_) receiver->join();
}

/// Wakes the consuming thread. Either it sees the new data before it sleeps, or this thread sees it asleep.
void UdpReceivers::wake() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (sleeping_.load(std::memory_order_relaxed) == 0) return;
  sleeping_.store(0, std::memory_order_relaxed);
  futex_wake(sleeping_);
}

UdpReceivers::Received* UdpReceivers::next(std::int64_t latest_ns) {
  for (;;) {
    std::int64_t wake_ns = latest_ns;
    if (Received* const received = choose(wake_ns)) return received;
    for (const auto& receiver : receivers_) receiver->throw_failure();
    if (now_ns() >= latest_ns) return nullptr;
    sleeping_.store(1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    Received* const received = choose(wake_ns);
    if (!received) futex_wait(sleeping_, 1, wake_ns);
    sleeping_.store(0, std::memory_order_relaxed);
    if (received) return received;
  }
}

/// Lowers `wake_ns` to the time at which the result may change without new data.
UdpReceivers::Received* UdpReceivers::choose(std::int64_t& wake_ns) {
  Received* first = nullptr;
  std::int64_t looked_ns = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < receivers_.size(); ++i) {
    // The order matters: data put there before `looked` is visible below.
    const std::int64_t looked = receivers_[i]->looked_ns();
    Received* const front = receivers_[i]->front();
    if (!front) looked_ns = std::min(looked_ns, looked);
    if (!front || (first && front->arrival_ns >= first->arrival_ns)) continue;
    first = front;
    taken_ = i;
  }
  if (!first || looked_ns >= first->at_ns || stopping_.load(std::memory_order_relaxed)) return first;
  const std::int64_t latest_ns = first->at_ns + patience_ns;
  if (now_ns() >= latest_ns) return first;
  wake_ns = std::min(wake_ns, latest_ns);
  return nullptr;
}

void UdpReceivers::give_back() {
  receivers_[taken_]->drop_front();
}

}  // namespace takt::sensors
