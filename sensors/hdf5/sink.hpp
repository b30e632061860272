#pragma once
/// HDF5 files, as h5py and others read them.

#include <memory>
#include <optional>
#include <string>

#include "sensors/files/output_turns.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct Hdf5Options {
  /// `sync`: what is written can be read by others after so long.
  OutputOptions output;
  /// 0: not compressed; to 9: smaller and slower.
  int deflate = 0;
  /// What was observed and how, in the user's words.
  std::string title;
  /// Nothing: elements as they come, and no mask.
  std::optional<MissingPolicy> missing = {};
};

/// Throws ConfigError.
void validate(const Hdf5Options& options);

/// Files begin and end as OutputTurns has it. Takes frames of any type:
///
/// * `/data` [frame][axes...], chunked by frames, complex elements as {r, i}; attributes `unit`, `axes`,
///   `rate_hz`;
/// * `/axes/NAME`, coordinates of each axis that has some;
/// * `/frames`, for each frame `utc_ns`, `sequence`, `epoch`, `first_sample`, `parts`, `missing_parts`,
/// `combined`;
/// * `/flags` [frame][parts...], 1 where a part is missing, of frames that have them; floats that are missing
///   are NaN where the options say no other;
/// * `/mask` [frame][axes...] where the options say so, 1 where an element is missing;
/// * attributes of the file: `title`, `creator`, `written` (UTC).
///
/// HDF5 locks the file against other runs. It can be read up to the last `sync`. In a run that may start
/// again, files are such that what was saved outlives the process (Hdf5Layout::survives).
class Hdf5Sink final : public Sink {
 public:
  /// Throws ConfigError.
  Hdf5Sink(Hdf5Options options, const FrameType& type);
  ~Hdf5Sink() override;

  void open() override;
  void write(const FrameView& frame) override;
  void close() override;
  void note(const std::string& line) override;
  void begin_file() override;
  [[nodiscard]] std::optional<std::vector<std::byte>> save() const override;
  void resume(std::span<const std::byte> state) override;
  void keep_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
