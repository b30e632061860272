#include "sensors/lofar/recording.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/files/framed_file.hpp"
#include "sensors/lofar/packet.hpp"

namespace takt::sensors {

namespace {

/// A larger distance of successive packets of a lane (0.1 s) requires confirmation.
constexpr std::uint64_t far_apart_blocks = 20'000;

bool near(std::uint64_t a, std::uint64_t b) {
  return std::max(a, b) - std::min(a, b) <= far_apart_blocks;
}

}  // namespace

/// One file: the current packet and its successor, which may have to confirm its time.
class LofarRecording::Lane {
 public:
  explicit Lane(const std::filesystem::path& path) : file_(path) {
    std::vector<std::byte> bytes = file_.peek(lofar_header_bytes);
    if (bytes.size() < lofar_header_bytes)
      throw ConfigError(fmt::format(
          "{}: the recording is too short to hold a packet: expected raw LOFAR packets", path.string()));
    first_ = decode_header(std::span(bytes).first<lofar_header_bytes>());
    LofarHeader header;
    LofarFormat format = format_of_first();
    format.station = {};
    // Checks the packet as one of 16 bytes; the size follows from it.
    bytes.resize(first_.bits == 0 ? lofar_header_bytes : format.packet_bytes());
    const LofarVerdict verdict = judge(bytes, format, header);
    if (verdict != LofarVerdict::good || first_.beamlets == 0)
      throw ConfigError(fmt::format(
          "{}: the recording does not begin with a good LOFAR packet (cause: {}): expected raw packets of "
          "16 bytes of header and the beamlets",
          path.string(), name_of(first_.beamlets == 0 ? LofarVerdict::size : verdict)));
    file_.expect(format.packet_bytes(), lofar_header_bytes, [this](std::span<const std::byte> head) {
      const LofarHeader other = decode_header(head.first<lofar_header_bytes>());
      return other.version == first_.version && other.clock_hz == first_.clock_hz &&
             other.bits == first_.bits && other.reserved == 0 && other.station == first_.station &&
             other.beamlets == first_.beamlets && other.samples == first_.samples;
    });
  }

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  [[nodiscard]] std::string fault() const { return file_.fault(); }
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
    file_.read(next_);
    step();
  }

  void step() {
    const std::uint64_t before = time_;
    std::swap(current_, next_);
    file_.read(next_);
    const std::optional<std::uint64_t> block = block_of(current_);
    const std::optional<std::uint64_t> after = block_of(next_);
    // A time that neither the previous nor the next packet confirms belongs to a damaged header: the packet
    // keeps its place in the file, and the lane its place among the lanes.
    const bool borne_out = block && (!begun_ || near(*block, before) || !after || near(*block, *after));
    time_ = borne_out ? *block : before + lofar_blocks_per_packet;
    begun_ = true;
  }

  [[nodiscard]] bool ended() const { return current_.empty(); }
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] std::span<const std::byte> packet() const { return current_; }

 private:
  [[nodiscard]] std::optional<std::uint64_t> block_of(const std::vector<std::byte>& packet) const {
    if (packet.size() < lofar_header_bytes) return {};
    const LofarHeader header = decode_header(std::span(packet).first<lofar_header_bytes>());
    return absolute_block(header.second, header.sequence, first_.clock_hz);
  }

  FramedFile file_;
  LofarHeader first_;
  std::vector<std::byte> current_;
  std::vector<std::byte> next_;
  bool begun_ = false;
  std::uint64_t time_ = 0;
};

LofarRecording::LofarRecording(const std::vector<std::filesystem::path>& files) {
  if (files.empty() || files.size() > 4)
    throw ConfigError(
        fmt::format("{} recorded files are given: expected 1 to 4, one per lane", files.size()));
  for (const std::filesystem::path& file : files) lanes_.push_back(std::make_unique<Lane>(file));
  format_ = lanes_.front()->format_of_first();
  format_.lanes = lanes_.size();
  codec_.emplace(format_.clock_hz);
  for (const auto& lane : lanes_) {
    const LofarFormat other = lane->format_of_first();
    if (other.clock_hz != format_.clock_hz || other.bits != format_.bits ||
        other.beamlets != format_.beamlets)
      throw ConfigError(fmt::format(
          "{}: packets of {} beamlets of {} bits with a clock of {} MHz, but {} has {} beamlets of {} bits "
          "with {} MHz; expected equal lanes of one station",
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

const std::filesystem::path& LofarRecording::file() const {
  return (shown_ ? *shown_ : *lanes_.front()).path();
}

std::vector<std::string> LofarRecording::warnings() const {
  std::vector<std::string> faults;
  for (const auto& lane : lanes_)
    if (std::string fault = lane->fault(); !fault.empty()) faults.push_back(std::move(fault));
  return faults;
}

}  // namespace takt::sensors
