#pragma once
/// Packets of one length that lie in a file one after the other, also where bytes were added or lost.

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
  /// Whether these bytes look like the header of one of the file's packets.
  using IsHeader = std::function<bool(std::span<const std::byte>)>;

  /// Throws ConfigError when the file cannot be read.
  explicit FramedFile(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }
  /// Why a compressed file ended too early; empty where it did not.
  [[nodiscard]] std::string fault() const { return file_.fault(); }
  /// So many bytes from the beginning on, or fewer where the file is shorter. Before `expect`.
  [[nodiscard]] std::vector<std::byte> peek(std::size_t bytes);

  /// What the packets are like. `header_bytes` is what `is_header` is given.
  void expect(std::size_t packet_bytes, std::size_t header_bytes, IsHeader is_header);

  /// The next packet; empty at the end. Where the file has lost its framing, the piece that belongs to none:
  /// the next packet with another one behind it is looked for. The last piece may be shorter than a packet.
  /// Throws WorkError when reading fails.
  void read(std::vector<std::byte>& packet);
  /// Whether everything was read.
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
  /// What was read ahead, from `begin_` on.
  std::vector<std::byte> buffer_;
  std::size_t begin_ = 0;
};

}  // namespace takt::sensors
