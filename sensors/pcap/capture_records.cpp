#include "sensors/pcap/capture_records.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

/// The first word of a pcapng file, a palindrome in both byte orders.
constexpr std::uint32_t section_header_block = 0x0A0D0D0A;

}  // namespace

CaptureInput::CaptureInput(std::filesystem::path path)
    : path_(std::move(path)), file_(std::make_unique<InputStream>(path_)) {
  // The size of a pipe or a compressed stream is unknown.
  size_ = file_->size().value_or(~std::uint64_t{0});
}

std::size_t CaptureInput::read(std::span<std::byte> to) {
  file_->read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
  if (file_->bad())
    throw WorkError(fmt::format("{}: reading the capture failed at byte {}: {}", path_.string(), at_,
                                std::strerror(errno)));
  const auto count = static_cast<std::size_t>(file_->gcount());
  at_ += count;
  return count;
}

std::uint64_t CaptureInput::skip(std::uint64_t bytes) {
  const std::uint64_t there = size_ > at_ ? size_ - at_ : 0, count = std::min(bytes, there);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::streamsize>::max());
  file_->ignore(static_cast<std::streamsize>(std::min(count, most - 1)));
  const auto skipped = static_cast<std::uint64_t>(file_->gcount());
  at_ += skipped;
  return skipped;
}

void CaptureInput::damaged(std::uint64_t at, const std::string& what) const {
  throw CaptureDamage(fmt::format("{}: damaged at byte {}: {}", path_.string(), at, what));
}

std::unique_ptr<CaptureRecords> open_capture(std::filesystem::path path, CaptureRecordCounts& counts) {
  CaptureInput input(std::move(path));
  std::array<std::byte, 4> first{};
  if (input.read(first) == first.size()) {
    const auto magic = static_cast<std::uint32_t>(capture_number(first, false));
    if (magic == section_header_block) return read_pcapng(std::move(input), counts);
    return read_pcap(std::move(input), magic, counts);
  }
  throw ConfigError(fmt::format("{}: not a capture: {} bytes: expected a pcap or pcapng file",
                                input.path().string(), input.at()));
}

}  // namespace takt::sensors
