#pragma once
/// One HDF5 file that grows frame by frame.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "sensors/frames/frame.hpp"
#include "sensors/source.hpp"

namespace takt::sensors {

/// What every file of a sink has.
struct Hdf5Layout {
  FrameType type;
  /// 0: not compressed; to 9: smaller and slower.
  int deflate = 0;
  /// What was observed and how, in the user's words.
  std::string title;
  /// Whether there is a dataset that tells of each element whether it is missing.
  bool has_mask = false;
  /// Whether what was flushed outlives the process, whenever that is killed: the file is written as HDF5 does
  /// for readers beside the writer (SWMR), in an order in which it is whole at every moment. Readers need
  /// HDF5 1.10.
  bool survives = false;
};

/// `/data`, `/axes`, `/frames`, `/side`, `/flags`, `/mask`: see Hdf5Sink. HDF5 locks the file against others.
/// What fails is a WorkError with the path.
class Hdf5File {
 public:
  /// Nothing is there, or what is there is to be replaced; otherwise it throws.
  Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, bool replaces);
  /// Goes on behind the first so many frames of a file that survives its process; those behind them are taken
  /// away.
  Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, std::uint64_t frames);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// The elements and the mask are those of the frame, or what is to stand in their places. Throws before it
  /// writes where the disk has no room for what is not written yet; where the system refuses the bytes for
  /// another reason, the file is cut to what was last written out (`frames`).
  void append(const FrameView& frame, std::span<const std::byte> elements, std::span<const std::byte> mask);
  /// What was appended can be read by others.
  void flush();
  /// Throws what went wrong until then, which the destructor does not.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Frames that are in the file; once it is closed or has failed, that can be read from it.
  [[nodiscard]] std::uint64_t frames() const;
  /// How long the file will be at least, with what is not written yet.
  [[nodiscard]] std::uint64_t size() const;

 private:
  class Datasets;
  [[nodiscard]] bool has_room(std::uint64_t bytes) const;
  void fail_if(bool has_failed, const char* what);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::unique_ptr<Datasets> datasets_;
  /// Frames at the last time that all was written out.
  std::uint64_t flushed_ = 0;
};

}  // namespace takt::sensors
