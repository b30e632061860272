#pragma once
/// The base of sinks whose files have a record for each frame, including lost ones.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/saved_state.hpp"
#include "sensors/files/output_series.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

/// Fills and counts frames missing in the sequence, so that sample n of a file lies n sampling intervals
/// after its first one; and values missing in a frame. A new epoch, and a gap that is too long for a file
/// (OutputTurns::is_gap), begin a new file. The mask is an additional file with the suffix `.mask`: one byte
/// per value, without a header.
class GapFillingSink : public Sink {
 public:
  void open() override;
  void write(const FrameView& frame) final;
  void close() final;
  void note(const std::string& line) final;
  void begin_file() final;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const final;
  void resume(std::span<const std::byte> state) final;
  void use_output_book(const OutputBook& book) final;
  [[nodiscard]] std::string location() const final;
  /// Counts frames written and filled in, values missing, files.
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const final;

 protected:
  /// A frame as it is written to the file.
  struct Record {
    /// Frames of the file before this one.
    std::uint64_t number = 0;
    std::span<const std::byte> elements;
    /// For each element 1 if it is missing.
    std::span<const std::byte> mask;
    /// Number of missing elements; all for a lost frame.
    std::size_t missing = 0;
    bool is_lost = false;
  };

  /// `record_bytes`: size of a frame in the file. Throws ConfigError.
  GapFillingSink(OutputOptions output, MissingPolicy missing, const FrameType& type,
                 std::uint64_t record_bytes);

  /// Appends the file's contents before its first record; `first_utc_ns` is its time.
  virtual void begin() = 0;
  virtual void append(const Record& record) = 0;
  /// Reports whether records contain nothing but frame values: a zero in a frame is then a zero in the file.
  [[nodiscard]] virtual bool holds_values_alone() const { return false; }
  /// Returns the mask of a record in the order of the file's values.
  virtual std::span<const std::byte> in_file_order(std::span<const std::byte> mask) { return mask; }
  /// Updates the header to cover all records so far: after each write, and before a resumed sink continues.
  virtual void settle() {}
  /// Saves and loads the further state of a sink that continues.
  virtual void save_more(StateWriter& state) const { (void)state; }
  virtual void load_more(StateReader& state) { (void)state; }

  [[nodiscard]] OutputSeries& series() { return series_; }
  [[nodiscard]] const OutputSeries& series() const { return series_; }
  [[nodiscard]] const MissingPolicy& missing() const { return policy_; }
  /// Returns the UTC of the present file's first sample.
  [[nodiscard]] std::int64_t first_utc_ns() const { return first_utc_ns_; }
  /// Returns the records of the present file.
  [[nodiscard]] std::uint64_t records() const { return next_sequence_ - first_sequence_; }

 private:
  void begin_with(const FrameHeader& first);
  void fill_up_to(const FrameHeader& header);
  /// Appends this many lost frames, which differ in their numbers only.
  void append_lost(Record record, std::uint64_t count);
  [[nodiscard]] std::filesystem::path mask_name() const;

  const MissingPolicy policy_;
  OutputSeries series_;
  MissingValues values_;
  const std::uint64_t record_bytes_;
  const std::size_t frame_bytes_, parts_;
  /// The frame with its missing values replaced.
  std::vector<std::byte> filled_values_;
  OutputFile mask_file_;
  /// Numbers of the present file's first frame, and of the next one.
  std::uint64_t first_sequence_ = 0, next_sequence_ = 0;
  std::int64_t first_utc_ns_ = 0;
  Tally frames_, filled_, missing_;
};

}  // namespace takt::sensors
