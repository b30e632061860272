#pragma once
/// A sink for HDF5 files, which h5py and other programs read.

#include <memory>
#include <optional>
#include <string>

#include "sensors/files/output_turns.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/sink.hpp"

namespace takt::sensors {

struct Hdf5Options {
  /// `sync`: largest delay after which other readers see written data.
  OutputOptions output;
  /// 0: not compressed; up to 9: smaller and slower.
  int deflate = 0;
  /// The user's description of the observation.
  std::string title;
  /// Empty: unmodified elements, and no mask.
  std::optional<MissingPolicy> missing = {};
};

/// Throws ConfigError.
void validate(const Hdf5Options& options);

/// Files begin and end by the rules of OutputTurns. Accepts frames of any type:
///
/// * `/data` [frame][axes...], chunked by frames, complex elements as {r, i}; attributes `unit`, `axes`,
///   `rate_hz`;
/// * `/axes/NAME`, coordinates of each axis that has some;
/// * `/frames`, for each frame `utc_ns`, `sequence`, `epoch`, `first_sample`, `parts`, `missing_parts`,
///   `combined`;
/// * `/flags` [frame][parts...], 1 if a part is missing, for frames that have flags; missing floats are NaN
///   unless the options differ;
/// * `/mask` [frame][axes...] if the options request it, 1 if an element is missing;
/// * attributes of the file: `title`, `creator`, `written` (UTC).
///
/// HDF5 locks the file against other runs. It is readable up to the last `sync`. In a restartable run, saved
/// data survive the process (Hdf5Layout::survives).
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
  void use_output_book(const OutputBook& book) override;
  [[nodiscard]] std::string location() const override;
  [[nodiscard]] std::vector<Counter> counters() const override;
  [[nodiscard]] std::vector<std::string> warnings() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace takt::sensors
