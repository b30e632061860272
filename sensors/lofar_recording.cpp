#include "sensors/lofar_recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/lofar_packet.hpp"

namespace takt::sensors {

namespace {

/// Successive packets of a lane further apart than this (0.1 s) want a witness.
constexpr std::uint64_t far_apart_blocks = 20'000;

bool near(std::uint64_t a, std::uint64_t b) {
  return std::max(a, b) - std::min(a, b) <= far_apart_blocks;
}

}  // namespace

/// One file: the packet shown and its successor, which may have to bear out the time of the one shown.
class LofarRecording::Lane {
 public:
  explicit Lane(std::filesystem::path path) : path_(std::move(path)), file_(path_, std::ios::binary) {
    if (!file_ || std::filesystem::is_directory(path_))
      throw ConfigError(
          fmt::format("{}: cannot read the recording: {}", path_.string(), std::strerror(errno)));
    std::array<std::byte, lofar_header_bytes> bytes{};
    if (!file_.read(reinterpret_cast<char*>(bytes.data()), bytes.size()))
      throw ConfigError(fmt::format(
          "{}: the recording is too short to hold a packet, expected raw LOFAR packets", path_.string()));
    file_.seekg(0);
    first_ = decode_header(bytes);
    LofarHeader header;
    LofarFormat format = format_of_first();
    format.station = {};
    // Judges what a packet of 16 bytes can be judged by; the size follows from it.
    std::vector<std::byte> packet(bytes.begin(), bytes.end());
    packet.resize(first_.bits == 0 ? lofar_header_bytes : format.packet_bytes());
    const LofarVerdict verdict = judge(packet, format, header);
    if (verdict != LofarVerdict::good || first_.beamlets == 0)
      throw ConfigError(fmt::format(
          "{}: the recording does not begin with a good LOFAR packet (cause: {}), expected raw packets of "
          "16 bytes of header and the beamlets",
          path_.string(), name_of(first_.beamlets == 0 ? LofarVerdict::size : verdict)));
    packet_bytes_ = format.packet_bytes();
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] LofarFormat format_of_first() const {
    LofarFormat format;
    format.beamlets = first_.beamlets;
    format.bits = first_.bits;
    format.clock_hz = first_.clock_hz;
    format.packets = 1;
    format.station = first_.station;
    return format;
  }

  void begin() {
    read(next_);
    step();
  }

  void step() {
    const std::uint64_t before = time_;
    std::swap(current_, next_);
    read(next_);
    const std::optional<std::uint64_t> block = block_of(current_);
    const std::optional<std::uint64_t> after = block_of(next_);
    // A time that neither the packet before nor the one after bears out is a damaged header's: the packet
    // keeps its place in the file, and the lane its place among the lanes.
    const bool borne_out = block && (!begun_ || near(*block, before) || !after || near(*block, *after));
    time_ = borne_out ? *block : before + lofar_blocks_a_packet;
    begun_ = true;
  }

  [[nodiscard]] bool ended() const { return current_.empty(); }
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] std::span<const std::byte> packet() const { return current_; }

 private:
  /// The next packet; where the file has lost its framing, the piece that belongs to none.
  void read(std::vector<std::byte>& packet) {
    fill(packet_bytes_);
    std::size_t size = std::min(packet_bytes_, available());
    if (!is_header(packet_bytes_)) {
      // Unless it is the last one, bytes were added here or lost: the next packet that has another one behind
      // it may begin sooner. Where bytes were added within a packet it keeps its length: nothing tells.
      fill(3 * packet_bytes_);
      size = std::min(packet_bytes_, available());
      for (std::size_t at = 1; at < size; ++at)
        if (is_header(at) && (is_header(at + packet_bytes_) || available() <= at + packet_bytes_)) size = at;
    }
    packet.assign(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + size));
    begin_ += size;
  }

  [[nodiscard]] std::size_t available() const { return buffer_.size() - begin_; }

  /// Whether the bytes this far ahead look like the header of a packet of this file.
  [[nodiscard]] bool is_header(std::size_t ahead) {
    fill(ahead + lofar_header_bytes);
    if (available() < ahead + lofar_header_bytes) return false;
    const LofarHeader header =
        decode_header(std::span(buffer_).subspan(begin_ + ahead).first<lofar_header_bytes>());
    return header.version == first_.version && header.clock_hz == first_.clock_hz &&
           header.bits == first_.bits && header.reserved == 0 && header.station == first_.station &&
           header.beamlets == first_.beamlets && header.samples == first_.samples;
  }

  /// Reads on until so many bytes are there, or the file ends.
  void fill(std::size_t bytes) {
    if (available() >= bytes) return;
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
    const std::size_t had = buffer_.size();
    buffer_.resize(std::max(bytes, 4 * packet_bytes_));
    file_.read(reinterpret_cast<char*>(buffer_.data() + had),
               static_cast<std::streamsize>(buffer_.size() - had));
    if (file_.bad())
      throw WorkError(
          fmt::format("{}: reading the recording failed: {}", path_.string(), std::strerror(errno)));
    buffer_.resize(had + static_cast<std::size_t>(file_.gcount()));
  }

  [[nodiscard]] std::optional<std::uint64_t> block_of(const std::vector<std::byte>& packet) const {
    if (packet.size() < lofar_header_bytes) return {};
    const LofarHeader header = decode_header(std::span(packet).first<lofar_header_bytes>());
    return absolute_block(header.second, header.sequence, first_.clock_hz);
  }

  std::filesystem::path path_;
  std::ifstream file_;
  LofarHeader first_;
  std::size_t packet_bytes_ = 0;
  /// What was read ahead, from `begin_` on.
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
  std::vector<std::byte> current_;
  std::vector<std::byte> next_;
  bool begun_ = false;
  std::uint64_t time_ = 0;
};

LofarRecording::LofarRecording(const std::vector<std::filesystem::path>& files) {
  if (files.empty() || files.size() > 4)
    throw ConfigError(fmt::format("{} recorded files are given, expected 1 to 4, one a lane", files.size()));
  for (const std::filesystem::path& file : files) lanes_.push_back(std::make_unique<Lane>(file));
  format_ = lanes_.front()->format_of_first();
  format_.lanes = lanes_.size();
  for (const auto& lane : lanes_) {
    const LofarFormat other = lane->format_of_first();
    if (other.clock_hz != format_.clock_hz || other.bits != format_.bits ||
        other.beamlets != format_.beamlets)
      throw ConfigError(fmt::format(
          "{}: packets of {} beamlets of {} bits with a clock of {} MHz, but {} has {} beamlets of {} bits "
          "with {} MHz; the lanes of one station are alike",
          lane->path().string(), other.beamlets, other.bits, other.clock_hz / 1'000'000,
          lanes_.front()->path().string(), format_.beamlets, format_.bits, format_.clock_hz / 1'000'000));
    lane->begin();
  }
}

LofarRecording::~LofarRecording() = default;

std::optional<LanePacket> LofarRecording::next() {
  if (shown_) shown_->step();
  shown_ = nullptr;
  std::size_t number = 0;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    if (lanes_[i]->ended() || (shown_ && shown_->time() <= lanes_[i]->time())) continue;
    shown_ = lanes_[i].get();
    number = i;
  }
  if (!shown_) return {};
  return LanePacket{number, shown_->packet()};
}

}  // namespace takt::sensors
