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

/// The common properties of all files of a sink.
struct Hdf5Layout {
  FrameType type;
  /// 0: not compressed; up to 9: smaller and slower.
  int deflate = 0;
  /// The user's description of the observation.
  std::string title;
  /// Whether there is a dataset with a mask of missing elements.
  bool has_mask = false;
  /// Whether flushed data survive a kill of the process at any time: the file is written in HDF5's
  /// SWMR mode (single writer, multiple readers), in which it is always consistent. Readers need HDF5
  /// 1.10.
  bool survives = false;
};

/// `/data`, `/axes`, `/frames`, `/side`, `/flags`, `/mask`: see Hdf5Sink. HDF5 locks the file against other
/// processes. Failures are WorkErrors with the path.
class Hdf5File {
 public:
  /// Throws if the file exists and `replaces` is unset.
  Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, bool replaces);
  /// Continues after the first `frames` frames of a file that survived its process, and removes the later
  /// ones.
  Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, std::uint64_t frames);
  ~Hdf5File();
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;

  /// Appends a frame; the elements and the mask are its own, or replacements. Throws before it writes if the
  /// disk has no space for the unwritten data. If the system rejects the bytes for another reason, the file
  /// is truncated to the last flush (`frames`).
  void append(const FrameView& frame, std::span<const std::byte> elements, std::span<const std::byte> mask);
  /// Makes appended data visible to other readers.
  void flush();
  /// Throws pending errors, which the destructor does not.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// Returns the frames in the file; once it is closed or has failed, the readable ones.
  [[nodiscard]] std::uint64_t frames() const;
  /// Returns a lower bound of the file's length, including unwritten data.
  [[nodiscard]] std::uint64_t size() const;

 private:
  class Datasets;
  [[nodiscard]] bool has_room(std::uint64_t bytes) const;
  void fail_if(bool has_failed, const char* what);
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  std::unique_ptr<Datasets> datasets_;
  /// Frames at the last complete flush.
  std::uint64_t flushed_ = 0;
};

}  // namespace takt::sensors
