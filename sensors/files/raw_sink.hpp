#pragma once
/// A sink that writes the frames' elements as they lie in memory, one frame after the other.

#include <optional>
#include <vector>

#include "sensors/files/output_series.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct RawOptions {
  OutputOptions output;
  /// Whether each frame is preceded by its FrameHeader (its first written_header_bytes as they lie in memory,
  /// little-endian).
  bool headers = false;
  /// Whether each frame is followed by its flags, one byte for each part that may be missing
  /// (FrameType::parts).
  bool part_flags = false;
  /// The mask is an additional file with the suffix `.mask`: one byte per element, in the same order. Neither
  /// file contains lost frames. Empty: elements are written unchanged.
  std::optional<MissingPolicy> missing = {};
};

class RawSink final : public Sink {
 public:
  RawSink(RawOptions options, const FrameType& type);

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override { series_.note(line); }
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void use_output_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  void begin();
  [[nodiscard]] std::filesystem::path mask_name() const;

  bool has_headers_;
  bool has_mask_ = false;
  /// Bytes written per frame, and those of its elements.
  std::size_t frame_bytes_, data_bytes_;
  OutputSeries series_;
  OutputFile mask_file_;
  /// Set if elements are not written unchanged.
  std::optional<MissingValues> missing_;
  std::vector<std::byte> filled_;
};

}  // namespace takt::sensors
