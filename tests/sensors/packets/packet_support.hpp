#pragma once
/// Synthetic packets for tests, and helpers that drain a queue or a source.

#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

#include "sensors/frames/frame_queue.hpp"
#include "sensors/lofar/packet.hpp"
#include "sensors/source.hpp"
#include "tests/support/program.hpp"

namespace takt::test {

using Bytes = std::vector<std::byte>;

/// One beamlet of 8 bits: 64 bytes of payload.
inline sensors::LofarFormat small_format(std::size_t lanes, std::size_t packets) {
  sensors::LofarFormat format;
  format.lanes = lanes;
  format.beamlets = 1;
  format.packets = packets;
  format.station = 214;
  return format;
}

/// Returns the payload of packet `number` of a lane: bytes that depend on both and are not all zero.
inline Bytes payload_of(std::size_t size, std::size_t lane, std::uint64_t number) {
  Bytes bytes(size);
  std::uint64_t state = (number + 1) * 0x9E3779B97F4A7C15 + lane * 0xBF58476D1CE4E5B9;
  for (std::byte& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<std::byte>(state | 1);
  }
  return bytes;
}

inline Bytes make_packet(const sensors::LofarFormat& format, std::size_t lane, std::uint64_t block,
                         const Bytes& payload) {
  const sensors::BlockTime time = sensors::block_time(block, format.clock_hz);
  sensors::LofarHeader header;
  header.clock_hz = format.clock_hz;
  header.bits = format.bits;
  header.station = format.station.value_or(214);
  header.lane = static_cast<std::uint8_t>(lane);
  header.beamlets = static_cast<std::uint8_t>(format.beamlets);
  header.second = time.second;
  header.sequence = time.sequence;
  Bytes bytes(sensors::lofar_header_bytes);
  sensors::encode_header(header, std::span(bytes).first<sensors::lofar_header_bytes>());
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

/// A frame that outlives its slot.
struct KeptFrame {
  sensors::FrameHeader header;
  Bytes bytes;
};

/// Removes all waiting frames from the queue.
inline std::vector<KeptFrame> take_all(sensors::FrameQueue& queue) {
  std::vector<KeptFrame> frames;
  for (; queue.front() != nullptr; queue.pop()) {
    frames.push_back({queue.front()->header, {queue.front()->bytes.begin(), queue.front()->bytes.end()}});
    queue.take();
  }
  return frames;
}

/// Polls all frames until the stream ends.
inline std::vector<KeptFrame> take_all(sensors::Source& source) {
  std::vector<KeptFrame> frames;
  sensors::FrameView view;
  for (sensors::SourceState state{}; (state = source.poll(view)) != sensors::SourceState::ended;) {
    if (state == sensors::SourceState::waiting) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      continue;
    }
    frames.push_back({*view.header, {view.bytes.begin(), view.bytes.end()}});
    source.release();
  }
  return frames;
}

/// Returns the value of a source's or sink's counter of that name.
inline std::uint64_t value_of(const std::vector<sensors::Counter>& counters, std::string_view name) {
  for (const sensors::Counter& counter : counters)
    if (counter.name == name) return counter.value;
  throw std::logic_error("no counter " + std::string(name));
}

/// Returns the four recorded lanes; empty if the recordings are not available.
inline std::vector<std::filesystem::path> recorded_lanes() {
  std::vector<std::filesystem::path> files;
  if (test_data().empty()) return files;
  for (int lane = 0; lane < 4; ++lane)
    files.push_back(test_data() / "lofar_udp" /
                    ("udp_1613" + std::to_string(lane) + ".ucc1.2022-06-29T01_30_00.000"));
  return files;
}

}  // namespace takt::test
