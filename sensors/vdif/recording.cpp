#include "sensors/vdif/recording.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "sensors/assembler.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t frames_to_learn_from = 1024;

/// Whether both are frames of one stream: everything but thread, time and the mark for damage.
bool are_alike(VdifHeader a, const VdifHeader& b) {
  a.second = b.second;
  a.epoch = b.epoch;
  a.frame = b.frame;
  a.thread = b.thread;
  a.is_invalid = b.is_invalid;
  // These may count and change.
  a.extended_data = b.extended_data;
  a.sync_word = b.sync_word;
  return a == b;
}

/// Threads that come in so few of the frames' times that they are damaged headers.
void check_threads(const std::string& path, const std::map<std::uint16_t, std::size_t>& threads,
                   std::size_t times) {
  std::size_t frames = 0;
  for (const auto& [thread, count] : threads) frames += count;
  std::vector<std::uint16_t> names;
  for (const auto& [thread, count] : threads) names.push_back(thread);
  if (2 * frames < threads.size() * times)
    throw ConfigError(fmt::format(
        "{}: the threads {} are in fewer than half of the frames' times: their headers are damaged", path,
        fmt::join(names, ", ")));
  if (threads.size() > most_lanes)
    throw ConfigError(fmt::format("{}: {} threads, expected 1 to {}", path, threads.size(), most_lanes));
}

}  // namespace

VdifFormat read_vdif_format(const std::filesystem::path& path) {
  FramedFile file(path);
  const std::vector<std::byte> head = file.peek(vdif_header_bytes);
  if (head.size() < vdif_header_bytes)
    throw ConfigError(fmt::format("{}: too short to be a VDIF file", path.string()));
  const VdifHeader first = decode_vdif(head);
  if (first.frame_bytes <= first.header_bytes() || first.log2_channels > 16)
    throw ConfigError(fmt::format("{}: not a VDIF file: its first frame has {} bytes and 2^{} channels",
                                  path.string(), first.frame_bytes, first.log2_channels));
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (first.frame_bytes > size)
    throw ConfigError(fmt::format("{}: not a VDIF file: it has {} bytes, its first frame {}", path.string(),
                                  size, first.frame_bytes));
  file.expect(first.frame_bytes, first.header_bytes(),
              [&first](std::span<const std::byte> header) { return are_alike(decode_vdif(header), first); });
  std::map<std::uint16_t, std::size_t> threads;
  std::set<std::pair<std::uint32_t, std::uint32_t>> times;
  std::vector<std::byte> piece;
  // Pieces that are no frame of the stream, where bytes were added or lost; and what the first one says.
  std::size_t frames = 0, astray = 0, first_astray = 0;
  VdifHeader other;
  while (frames + astray < frames_to_learn_from) {
    file.read(piece);
    if (piece.size() < first.header_bytes()) {
      if (piece.empty()) break;
      ++astray;
      continue;
    }
    const VdifHeader header = decode_vdif(piece);
    if (are_alike(header, first)) {
      ++frames;
      ++threads[header.thread];
      times.emplace(header.second, header.frame);
    } else if (++astray == 1) {
      other = header;
      first_astray = frames;
    }
  }
  if (frames <= astray)
    throw ConfigError(fmt::format(
        "{}: frame {} (station {}, {} bits, {} bytes) is not of the stream of frame 0 (station {}, {} bits, "
        "{} bytes), and neither are most: the file is damaged, or holds several",
        path.string(), first_astray, other.station, other.bits, other.frame_bytes, first.station, first.bits,
        first.frame_bytes));
  check_threads(path.string(), threads, times.size());

  VdifFormat format;
  format.threads.clear();
  for (const auto& [thread, count] : threads) format.threads.push_back(thread);
  format.channels = std::size_t{1} << first.log2_channels;
  format.bits = first.bits;
  format.is_complex = first.is_complex;
  format.is_legacy = first.is_legacy;
  format.payload_bytes = first.frame_bytes - first.header_bytes();
  format.station = first.station;
  format.sample_hz = first.sample_hz().value_or(0);
  return format;
}

VdifRecording::VdifRecording(const std::filesystem::path& file, const VdifFormat& format)
    : format_(format), codec_(format), file_(file) {
  file_.expect(format.header_bytes() + format.payload_bytes, format.header_bytes(),
               [this](std::span<const std::byte> head) {
                 const VdifHeader header = decode_vdif(head);
                 return header.is_legacy == format_.is_legacy && header.bits == format_.bits &&
                        header.is_complex == format_.is_complex &&
                        header.frame_bytes == format_.header_bytes() + format_.payload_bytes &&
                        (!format_.station || header.station == *format_.station);
               });
}

std::optional<LanePacket> VdifRecording::next() {
  file_.read(piece_);
  if (piece_.empty()) return {};
  VdifHeader header;
  std::size_t lane = 0;
  (void)judge(piece_, format_, header, lane);
  packet_.resize(format_.prefix_bytes());
  if (format_.has_sequence) std::memcpy(packet_.data(), &number_, sizeof number_);
  ++number_;
  packet_.insert(packet_.end(), piece_.begin(), piece_.end());
  return LanePacket{lane, packet_};
}

}  // namespace takt::sensors
