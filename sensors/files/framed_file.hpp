#pragma once
/// Files of packets of one length, with resynchronisation after added or lost bytes.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sensors/files/input_stream.hpp"

namespace takt::sensors {

class FramedFile {
 public:
  /// Reports whether these bytes look like the header of one of the file's packets.
  using IsHeader = std::function<bool(std::span<const std::byte>)>;

  /// Throws ConfigError if the file is not readable, or a compressed stream without data.
  explicit FramedFile(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  /// Returns why a compressed file ended prematurely; otherwise empty.
  [[nodiscard]] std::string fault() const { return file_.fault(); }
  /// Returns this many bytes from the start of the file, or fewer if it is shorter. Called before `expect`.
  [[nodiscard]] std::vector<std::byte> peek(std::size_t bytes);

  /// Sets the properties of the packets. `is_header` receives `header_bytes` bytes.
  void expect(std::size_t packet_bytes, std::size_t header_bytes, IsHeader is_header);

  /// Reads the next packet; empty at the end. If the file has lost its framing, returns the bytes outside
  /// packets, up to the next packet with a valid successor. The last piece may be shorter than a packet.
  /// Throws WorkError if reading fails.
  void read(std::vector<std::byte>& packet);
  /// Reports whether everything was read.
  [[nodiscard]] bool is_at_end() {
    fill(1);
    return available() == 0;
  }

 private:
  [[nodiscard]] std::size_t available() const { return buffer_.size() - begin_; }
  [[nodiscard]] bool is_header(std::size_t ahead);
  void fill(std::size_t bytes);

  InputStream file_;
  std::size_t packet_bytes_ = 0, header_bytes_ = 0;
  IsHeader is_header_;
  /// The read-ahead bytes, from `begin_` on.
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
};

}  // namespace takt::sensors
