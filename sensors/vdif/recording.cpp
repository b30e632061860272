#include "sensors/vdif/recording.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "sensors/packets/assembler.hpp"
#include "sensors/vdif/keywords.hpp"

namespace takt::sensors {

namespace {

constexpr std::size_t frames_to_learn_from = 1024;
/// Bytes in which the first valid frame is searched if the header at the file's beginning is marked invalid.
constexpr std::size_t bytes_to_search = 4 << 20;

/// Reports whether both are frames of one stream: equal in everything but thread, time and validity.
bool are_alike(VdifHeader a, const VdifHeader& b) {
  a.second = b.second;
  a.epoch = b.epoch;
  a.frame = b.frame;
  a.thread = b.thread;
  a.is_invalid = b.is_invalid;
  // These may contain counters.
  a.extended_data = b.extended_data;
  a.sync_word = b.sync_word;
  a.extended_words = b.extended_words;
  return a == b;
}

/// Returns the first header that is valid and followed by one of its stream, or by the end of the file: an
/// invalid frame's header may contain anything, also a wrong length.
std::optional<VdifHeader> first_confirmed_header(const std::filesystem::path& path) {
  InputStream file(path);
  std::string text;
  file.append_to(text, bytes_to_search);
  const std::span<const std::byte> bytes = std::as_bytes(std::span(text));
  const auto header_at = [&](std::size_t at) -> std::optional<VdifHeader> {
    if (at + vdif_header_bytes > bytes.size()) return {};
    return decode_vdif(bytes.subspan(at, vdif_header_bytes));
  };
  // Frames are multiples of 8 bytes.
  for (std::size_t at = 0; const std::optional<VdifHeader> header = header_at(at); at += 8) {
    if (header->is_invalid || header->frame_bytes <= header->header_bytes()) continue;
    const std::size_t end = at + header->frame_bytes;
    const std::optional<VdifHeader> next = header_at(end);
    if (next ? are_alike(*next, *header) : end == bytes.size() && end < bytes_to_search) return header;
  }
  return {};
}

/// Returns the header that determines the format: that of the first valid frame; or the file's first one if
/// all are invalid.
VdifHeader first_header(const std::filesystem::path& path) {
  InputStream file(path);
  std::array<std::byte, vdif_header_bytes> head{};
  std::optional<VdifHeader> first;
  std::uint64_t at = 0;
  for (std::size_t frame = 0; frame < frames_to_learn_from; ++frame) {
    file.seekg(static_cast<std::streamoff>(at));
    if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) break;
    const VdifHeader header = decode_vdif(head);
    if (!first) {
      first = header;
      if (header.is_invalid)
        if (const std::optional<VdifHeader> confirmed = first_confirmed_header(path)) return *confirmed;
    }
    if (!header.is_invalid) return header;
    if (header.frame_bytes <= header.header_bytes()) break;
    at += header.frame_bytes;
  }
  if (!first) throw ConfigError(fmt::format("{}: too short to be a VDIF file", path.string()));
  return *first;
}

/// Statistics of the frames at a file's beginning.
struct Survey {
  /// Frames of each thread, and all their times.
  std::map<std::uint16_t, std::size_t> threads;
  std::set<std::pair<std::uint32_t, std::uint32_t>> times;
  std::size_t frames = 0;
  /// Pieces that are no frame of the stream, because bytes were added or lost; the number of frames before
  /// the first of them, and its header.
  std::size_t astray = 0, first_astray = 0;
  VdifHeader other;

  void add(const VdifHeader& header) {
    ++threads[header.thread];
    times.emplace(header.second, header.frame);
  }
};

/// Returns the properties that are equal in all frames of a stream.
std::string properties_of(const VdifHeader& header) {
  return fmt::format(
      "station {}, {} channels of {} {} bits, {} bytes, {}", header.station, 1ULL << header.log2_channels,
      header.is_complex ? "complex" : "real", header.bits, header.frame_bytes,
      header.is_legacy ? "legacy" : fmt::format("extended version {}", header.extended_version));
}

Survey survey(FramedFile& file, const VdifHeader& first) {
  Survey found, invalid;
  std::vector<std::byte> piece;
  while (found.frames + invalid.frames + found.astray < frames_to_learn_from) {
    file.read(piece);
    if (piece.size() < first.header_bytes()) {
      if (piece.empty()) break;
      ++found.astray;
      continue;
    }
    const VdifHeader header = decode_vdif(piece);
    if (header.is_invalid && piece.size() == first.frame_bytes) {
      ++invalid.frames;
      if (are_alike(header, first)) invalid.add(header);
    } else if (are_alike(header, first)) {
      ++found.frames;
      found.add(header);
    } else if (++found.astray == 1) {
      found.other = header;
      found.first_astray = found.frames;
    }
  }
  // In a file of invalid frames only, the threads are as credible as the validity marks.
  return found.frames == 0 && found.astray == 0 ? invalid : found;
}

/// Removes threads that appear so rarely that their headers are damaged.
void check_threads(const std::string& path, Survey& found, std::vector<std::string>& notes) {
  std::size_t most = 0, frames = 0;
  std::vector<std::uint16_t> names;
  for (const auto& [thread, count] : found.threads) {
    most = std::max(most, count);
    frames += count;
    names.push_back(thread);
  }
  if (2 * frames < found.threads.size() * found.times.size())
    throw ConfigError(
        fmt::format("{}: the threads {} are in fewer than half of the frame times: their headers are damaged",
                    path, fmt::join(names, ", ")));
  for (const std::uint16_t thread : names)
    if (const std::size_t count = found.threads[thread]; 2 * count < most) {
      notes.push_back(
          fmt::format("{}: thread {} has {} of the first frames, others have {}: its headers are damaged, "
                      "and it is skipped unless 'threads' contains it",
                      path, thread, count, most));
      found.threads.erase(thread);
    }
  if (found.threads.size() > most_lanes)
    throw ConfigError(
        fmt::format("{}: {} threads: expected 1 to {}", path, found.threads.size(), most_lanes));
}

}  // namespace

VdifFormat read_vdif_format(const std::filesystem::path& path) {
  FramedFile file(path);
  const VdifHeader first = first_header(path);
  if (first.frame_bytes <= first.header_bytes() || first.log2_channels > 16)
    throw ConfigError(fmt::format("{}: not a VDIF file: its first frame has {} bytes and 2^{} channels",
                                  path.string(), first.frame_bytes, first.log2_channels));
  const std::uintmax_t size = std::filesystem::file_size(path);
  if (!is_compressed(path) && first.frame_bytes > size)
    throw ConfigError(fmt::format("{}: not a VDIF file: it has {} bytes, its first frame {}", path.string(),
                                  size, first.frame_bytes));
  if (!first.is_legacy && first.extended_version == vdif_edv_mark5b)
    throw ConfigError(
        fmt::format("{}: extended data version 171 (Mark 5B frames within VDIF) is not read: "
                    "expected VDIF samples, or a Mark 5B file",
                    path.string()));
  file.expect(first.frame_bytes, first.header_bytes(),
              [&first](std::span<const std::byte> header) { return are_alike(decode_vdif(header), first); });
  Survey found = survey(file, first);
  if (found.frames <= found.astray)
    throw ConfigError(fmt::format(
        "{}: frame {} ({}) is not of the stream of frame 0 ({}), like most of the file: it is damaged, or "
        "holds several streams",
        path.string(), found.first_astray, properties_of(found.other), properties_of(first)));

  VdifFormat format;
  check_threads(path.string(), found, format.notes);
  format.threads.clear();
  for (const auto& [thread, count] : found.threads) format.threads.push_back(thread);
  format.channels = std::size_t{1} << first.log2_channels;
  format.bits = first.bits;
  format.is_complex = first.is_complex;
  format.is_legacy = first.is_legacy;
  format.payload_bytes = first.frame_bytes - first.header_bytes();
  format.station = first.station;
  format.sample_hz = first.sample_hz().value_or(0);
  format.description = description_of(first);
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
  if (piece_.size() < format_.header_bytes() + format_.payload_bytes && file_.is_at_end())
    left_over_.set(piece_.size());
  VdifHeader header;
  std::size_t lane = 0;
  (void)judge(piece_, format_, header, lane);
  packet_.resize(format_.prefix_bytes());
  if (format_.has_sequence) std::memcpy(packet_.data(), &number_, sizeof number_);
  ++number_;
  packet_.insert(packet_.end(), piece_.begin(), piece_.end());
  return LanePacket{lane, packet_};
}

std::vector<Counter> VdifRecording::counters() const {
  return {{"bytes_left_over", "bytes", left_over_.value()}};
}

std::vector<std::string> VdifRecording::warnings() const {
  std::vector<std::string> all;
  if (left_over_.value() > 0)
    all.push_back(fmt::format("{}: the file ends within a frame: it has {} of {} bytes and was skipped",
                              file_.path().string(), left_over_.value(),
                              format_.header_bytes() + format_.payload_bytes));
  if (std::string fault = file_.fault(); !fault.empty()) all.push_back(std::move(fault));
  return all;
}

}  // namespace takt::sensors
