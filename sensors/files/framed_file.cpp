#include "sensors/files/framed_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

FramedFile::FramedFile(const std::filesystem::path& path) : file_(path) {
  file_.require_data();
}

std::vector<std::byte> FramedFile::peek(std::size_t bytes) {
  fill(bytes);
  return {buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(std::min(bytes, buffer_.size()))};
}

void FramedFile::expect(std::size_t packet_bytes, std::size_t header_bytes, IsHeader is_header) {
  packet_bytes_ = packet_bytes;
  header_bytes_ = header_bytes;
  is_header_ = std::move(is_header);
}

void FramedFile::read(std::vector<std::byte>& packet) {
  fill(packet_bytes_);
  std::size_t size = std::min(packet_bytes_, available());
  if (!is_header(packet_bytes_)) {
    // Unless it is the last packet, bytes were added or lost here: the next packet with a valid successor may
    // begin earlier. A packet with bytes added inside keeps its length: this is not detectable.
    fill(3 * packet_bytes_);
    size = std::min(packet_bytes_, available());
    for (std::size_t at = 1; at < size; ++at)
      if (is_header(at) && (is_header(at + packet_bytes_) || available() <= at + packet_bytes_)) size = at;
  }
  packet.assign(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(begin_ + size));
  begin_ += size;
}

bool FramedFile::is_header(std::size_t ahead) {
  fill(ahead + header_bytes_);
  return available() >= ahead + header_bytes_ &&
         is_header_(std::span(buffer_).subspan(begin_ + ahead, header_bytes_));
}

/// Reads on until this many bytes are available, or the file ends.
void FramedFile::fill(std::size_t bytes) {
  if (available() >= bytes) return;
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin_));
  begin_ = 0;
  const std::size_t had = buffer_.size();
  buffer_.resize(std::max(bytes, 4 * packet_bytes_));
  file_.read(reinterpret_cast<char*>(buffer_.data() + had),
             static_cast<std::streamsize>(buffer_.size() - had));
  if (file_.bad())
    throw WorkError(
        fmt::format("{}: reading the recording failed: {}", path().string(), std::strerror(errno)));
  buffer_.resize(had + static_cast<std::size_t>(file_.gcount()));
}

}  // namespace takt::sensors
