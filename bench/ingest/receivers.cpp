#include "bench/ingest/receivers.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bench/ingest/sender.hpp"
#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "sensors/lofar/udp_source.hpp"

namespace takt::bench {

namespace {

using boost::asio::ip::udp;

constexpr std::size_t messages_per_call = 64;
constexpr int receive_buffer = 8 << 20;
constexpr std::size_t largest_coalesced = 65'536;
/// All receivers run on this core; the sender runs on core 0.
constexpr unsigned receiving_core = 1;

/// Silence after which the stream has ended.
constexpr timeval silence{0, 100'000};

void enlarge(int socket) {
  if (::setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &receive_buffer, sizeof receive_buffer) != 0)
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
}

/// Binds a blocking socket; returns its port.
std::uint16_t bind_any(int socket) {
  sockaddr_in local{};
  local.sin_family = AF_INET;
  local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&local), sizeof local) != 0)
    throw WorkError("no port is free");
  socklen_t length = sizeof local;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&local), &length);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
  enlarge(socket);
  return ntohs(local.sin_port);
}

/// Runs `receive` on its own thread while a sender sends; it counts datagrams until the stream ends.
template <class Receive>
Outcome with_sender(const Task& task, std::uint16_t port, const Receive& receive) {
  Outcome outcome;
  std::thread receiver([&] {
    bind_to_core(receiving_core);
    const std::int64_t before = thread_cpu_ns();
    outcome.received = receive();
    outcome.cpu_ns = thread_cpu_ns() - before;
  });
  PacketSender sender(task.format, port, task.segments);
  const std::int64_t start = now_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(task.seconds));
  sender.stop();
  outcome.seconds = static_cast<double>(now_ns() - start) * 1e-9;
  outcome.sent = sender.sent();
  receiver.join();
  return outcome;
}

/// Receives into `places` buffers in cyclic order.
Outcome receive_into(const Task& task, std::size_t places) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  const std::uint16_t port = bind_any(socket);
  const std::size_t size = task.format.packet_bytes();
  std::vector<std::byte> memory(places * size);
  const Outcome outcome = with_sender(task, port, [&] {
    std::array<iovec, messages_per_call> pieces{};
    std::array<mmsghdr, messages_per_call> messages{};
    std::size_t next = 0;
    std::uint64_t received = 0;
    while (true) {
      for (std::size_t i = 0; i < messages_per_call; ++i) {
        pieces[i] = {memory.data() + (next + i) % places * size, size};
        messages[i].msg_hdr = {.msg_iov = &pieces[i], .msg_iovlen = 1};
      }
      const int count = ::recvmmsg(socket, messages.data(), messages_per_call, MSG_WAITFORONE, nullptr);
      if (count <= 0) return received;
      received += static_cast<std::uint64_t>(count);
      next = (next + static_cast<std::size_t>(count)) % places;
    }
  });
  ::close(socket);
  return outcome;
}

sensors::LofarUdpOptions source_options(const sensors::LofarFormat& format) {
  sensors::LofarUdpOptions options;
  options.ports = {0};
  options.format = format;
  options.idle_timeout = Time(100'000'000);
  options.core = receiving_core;
  return options;
}

Outcome receive_from_source(const Task& task, const sensors::LofarUdpOptions& options) {
  sensors::LofarUdpSource source(options);
  source.start();
  const std::int64_t before = process_cpu_ns();
  const std::int64_t main_before = thread_cpu_ns();
  std::thread pipeline([&] {
    bind_to_core(receiving_core);
    sensors::FrameView frame;
    for (sensors::SourceState state{}; (state = source.poll(frame)) != sensors::SourceState::ended;) {
      if (state == sensors::SourceState::frame)
        source.release();
      else
        source.wait(now_ns() + 50'000'000);
    }
  });
  PacketSender sender(task.format, source.ports().front(), task.segments);
  const std::int64_t start = now_ns();
  std::this_thread::sleep_for(std::chrono::duration<double>(task.seconds));
  sender.stop();
  Outcome outcome{.sent = sender.sent(), .seconds = static_cast<double>(now_ns() - start) * 1e-9};
  pipeline.join();
  outcome.cpu_ns = process_cpu_ns() - before - sender.cpu_ns() - (thread_cpu_ns() - main_before);
  const sensors::SourceCounters counters = source.counters();
  outcome.frames_dropped = counters.dropped;
  for (const sensors::Counter& counter : counters.details)
    if (counter.name == "packets_received") outcome.received = counter.value;
  return outcome;
}

}  // namespace

Bytes frame_memory(const sensors::LofarFormat& format) {
  const sensors::LofarUdpSource source(source_options(format));
  return Bytes{source.least_pool() * source.type().size().count};
}

Outcome receive_and_discard(const Task& task) {
  return receive_into(task, messages_per_call);
}

Outcome receive_and_keep(const Task& task) {
  return receive_into(task, task.memory.count / task.format.packet_bytes());
}

Outcome receive_coalesced(const Task& task) {
  constexpr std::size_t messages_at_once = 16;
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  const std::uint16_t port = bind_any(socket);
  const int on = 1;
  ::setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on);
  std::vector<std::byte> memory(messages_at_once * largest_coalesced);
  const Outcome outcome = with_sender(task, port, [&] {
    std::array<iovec, messages_at_once> pieces{};
    std::array<mmsghdr, messages_at_once> messages{};
    std::uint64_t received = 0;
    while (true) {
      for (std::size_t i = 0; i < messages_at_once; ++i) {
        pieces[i] = {memory.data() + i * largest_coalesced, largest_coalesced};
        messages[i].msg_hdr = {.msg_iov = &pieces[i], .msg_iovlen = 1};
      }
      const int count = ::recvmmsg(socket, messages.data(), messages_at_once, MSG_WAITFORONE, nullptr);
      if (count <= 0) return received;
      for (int i = 0; i < count; ++i)
        received += messages[static_cast<std::size_t>(i)].msg_len / task.format.packet_bytes();
    }
  });
  ::close(socket);
  return outcome;
}

Outcome receive_with_asio(const Task& task) {
  boost::asio::io_context context(1);
  udp::socket socket(context, udp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  enlarge(socket.native_handle());
  std::vector<std::byte> memory(task.format.packet_bytes());
  udp::endpoint sender;
  std::uint64_t received = 0;
  std::function<void()> receive_one = [&] {
    socket.async_receive_from(boost::asio::buffer(memory.data(), memory.size()), sender,
                              [&](boost::system::error_code error, std::size_t) {
                                if (error) return;
                                ++received;
                                receive_one();
                              });
  };
  return with_sender(task, socket.local_endpoint().port(), [&] {
    receive_one();
    // Ends after the same silence as the other receivers.
    for (std::uint64_t before = 0; received == 0 || received != before;) {
      before = received;
      context.run_for(std::chrono::microseconds(silence.tv_usec));
    }
    return received;
  });
}

Outcome receive_frames(const Task& task) {
  sensors::LofarUdpOptions options = source_options(task.format);
  options.coalesce = false;
  return receive_from_source(task, options);
}
Outcome receive_frames_coalesced(const Task& task) {
  return receive_from_source(task, source_options(task.format));
}
Outcome receive_frames_apart(const Task& task) {
  sensors::LofarUdpOptions options = source_options(task.format);
  const unsigned others = std::max(std::thread::hardware_concurrency(), 2U) - 1;
  options.receivers = 2;
  for (unsigned i = 0; i < options.receivers; ++i)
    options.receiver_cores.push_back(receiving_core + (i + 1) % others);
  return receive_from_source(task, options);
}

}  // namespace takt::bench
