#include "bench/ingest/sender.hpp"

#include <array>
#include <cstring>
#include <ctime>
#include <vector>

#include <arpa/inet.h>
#include <netinet/udp.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/lofar/packet.hpp"

namespace takt::bench {

namespace {

constexpr std::size_t packets_per_call = 64;

std::int64_t cpu_ns_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t thread_cpu_ns() {
  return cpu_ns_of(CLOCK_THREAD_CPUTIME_ID);
}
std::int64_t process_cpu_ns() {
  return cpu_ns_of(CLOCK_PROCESS_CPUTIME_ID);
}

void bind_to_core(unsigned core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  ::pthread_setaffinity_np(::pthread_self(), sizeof cores, &cores);
}

PacketSender::PacketSender(const sensors::LofarFormat& format, std::uint16_t port, std::size_t segments)
    : thread_([this, format, port, segments] { send(format, port, segments); }) {}

void PacketSender::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void PacketSender::send(sensors::LofarFormat format, std::uint16_t port, std::size_t segments) {
  bind_to_core(0);
  const int socket = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  const std::size_t size = format.packet_bytes(), messages = packets_per_call / segments;
  if (segments > 1) {
    const int bytes = static_cast<int>(size);
    if (::setsockopt(socket, SOL_UDP, UDP_SEGMENT, &bytes, sizeof bytes) != 0)
      throw WorkError("this kernel cannot send several datagrams as one");
  }
  std::vector<std::byte> memory(packets_per_call * size, std::byte{7});
  std::array<iovec, packets_per_call> pieces{};
  std::array<mmsghdr, packets_per_call> calls{};
  for (std::size_t i = 0; i < messages; ++i) {
    pieces[i] = {memory.data() + i * segments * size, segments * size};
    calls[i].msg_hdr = {.msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &pieces[i], .msg_iovlen = 1};
  }
  std::uint64_t block = sensors::absolute_block(1'656'466'200, 0, format.clock_hz);
  sensors::LofarHeader header{.clock_hz = format.clock_hz,
                              .bits = format.bits,
                              .station = 1,
                              .beamlets = static_cast<std::uint8_t>(format.beamlets)};
  while (!stopping_) {
    for (std::size_t i = 0; i < messages * segments; ++i, block += sensors::lofar_blocks_per_packet) {
      const sensors::BlockTime time = sensors::block_time(block, format.clock_hz);
      header.second = time.second;
      header.sequence = time.sequence;
      sensors::encode_header(header,
                             std::span(memory).subspan(i * size).first<sensors::lofar_header_bytes>());
    }
    for (std::size_t done = 0; done < messages;) {
      const int count = ::sendmmsg(socket, calls.data() + done, static_cast<unsigned>(messages - done), 0);
      if (count > 0) done += static_cast<std::size_t>(count);
    }
    sent_ += messages * segments;
  }
  cpu_ns_ = thread_cpu_ns();
  ::close(socket);
}

}  // namespace takt::bench
