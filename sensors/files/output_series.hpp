#pragma once
/// The sequence of files written by one sink.

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/saved_state.hpp"
#include "sensors/files/disk_watch.hpp"
#include "sensors/files/output_file.hpp"
#include "sensors/files/output_turns.hpp"
#include "sensors/frames/counter.hpp"
#include "sensors/frames/frame.hpp"
#include "sensors/frames/history.hpp"
#include "sensors/output_book.hpp"

namespace takt::sensors {

/// A new file begins with the first frame and by the rules of OutputTurns. The second file of a name is
/// `name-2.ext`, or the next free number: files of this run, and files that must be kept, are never
/// replaced.
class OutputSeries {
 public:
  /// Throws ConfigError.
  explicit OutputSeries(OutputOptions options);

  /// Records every file in the book before it holds data. Existing files of the book belong to this run's
  /// dead process. Called before `open` or `resume`.
  void use_output_book(OutputBook book) { book_ = std::move(book); }
  /// Saves the position for resume of another object with the same options.
  void save(StateWriter& state) const;
  /// Continues the file at the saved position; replaces `open`. Removes files of the book that were begun
  /// later. Throws the errors of OutputFile::resume.
  void resume(StateReader& state);
  /// Opens an additional file next to the present one or, with a size, continues it.
  void open_companion(OutputFile& file, const std::filesystem::path& path,
                      std::optional<std::uint64_t> size = {});

  /// Locks the first file if its name is already known; see OutputFile::open.
  void open();
  /// Called before a frame of this many bytes is appended: switches to the next file if it is due. Returns
  /// true if a new one has begun.
  [[nodiscard]] bool turn_to(const FrameHeader& frame, std::uint64_t bytes);
  /// Requests a new file at the next frame. Thread-safe.
  void begin_file() { turns_.ask(); }
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// OutputFile::append_zeros.
  void append_zeros(std::uint64_t bytes);
  /// OutputFile::rewrite of the present file.
  void rewrite(std::uint64_t offset, std::span<const std::byte> bytes) { file_.rewrite(offset, bytes); }
  /// OutputFile::keep_whole_blocks of every file.
  void keep_whole_blocks(std::uint64_t bytes) { file_.keep_whole_blocks(bytes); }
  /// Returns the bytes appended to the present file.
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  /// Reports whether the present file is a pipe.
  [[nodiscard]] bool is_stream() const { return file_.is_stream(); }
  /// Returns the present file, once one has begun.
  [[nodiscard]] const std::filesystem::path& file() const { return file_.path(); }
  [[nodiscard]] const OutputOptions& options() const { return options_; }
  void close();
  /// Sink::note: the files' history.
  void note(const std::string& line) { history_.note(line); }

  /// Returns `a.fil`, or `a.fil to a-3.fil (3 files)`. Thread-safe.
  [[nodiscard]] std::string location() const;
  /// Returns warnings about an almost full disk. Thread-safe.
  [[nodiscard]] std::vector<std::string> warnings() const { return disk_.warnings(); }
  [[nodiscard]] std::uint64_t files() const { return files_.value(); }

 private:
  void turn(const FrameHeader& frame);
  /// Reports whether the file may be replaced, by the options or because it belongs to this run.
  [[nodiscard]] OldFile old(const std::filesystem::path& path) const;
  void enter(const std::filesystem::path& path);
  /// Removes the files of a dead process, except those in `own_`.
  void remove_left_over();
  void note_written(std::uint64_t bytes);

  const OutputOptions options_;
  OutputFile file_;
  OutputTurns turns_;
  DiskWatch disk_;
  std::optional<OutputBook> book_;
  History history_;
  /// Open for a frame that has not arrived yet.
  bool is_claimed_ = false;
  Tally files_;
  /// Names of the files written so far.
  std::set<std::string> own_;

  mutable std::mutex mutex_;
  std::string first_, last_;
};

}  // namespace takt::sensors
