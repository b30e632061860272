#pragma once
/// The files into which one sink writes, one after the other.

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

/// A new file begins with the first frame and as OutputTurns has it. The second file of a name is
/// `name-2.ext`, or the next number that is not taken: no file that this run has written, and none that is to
/// be kept, is ever replaced.
class OutputSeries {
 public:
  /// Throws ConfigError.
  explicit OutputSeries(OutputOptions options);

  /// Before `open` or `go_on`: enters every file in the book before anything is in it. What is there already
  /// is this run's own, of a process that died.
  void keep_book(OutputBook book) { book_ = std::move(book); }
  /// Where it stands, for go_on of another object with the same options.
  void save(StateWriter& state) const;
  /// Instead of `open`: goes on with the file where the other one stood. Files of the book that it had not
  /// begun by then go. Throws what OutputFile::go_on throws.
  void go_on(StateReader& state);
  /// A file beside the present one, which is opened or, with a size, gone on with.
  void open_companion(OutputFile& file, const std::filesystem::path& path,
                      std::optional<std::uint64_t> size = {});

  /// Claims the first file, where its name is known already; see OutputFile::open.
  void open();
  /// Before a frame of so many bytes is appended: goes on to the next file where it is time to. True when a
  /// new one has begun.
  [[nodiscard]] bool turn_to(const FrameHeader& frame, std::uint64_t bytes);
  /// The next frame begins a new file. Any thread.
  void begin_file() { turns_.ask(); }
  void append(std::initializer_list<std::span<const std::byte>> record);
  /// OutputFile::append_zeros.
  void append_zeros(std::uint64_t bytes);
  /// OutputFile::rewrite, of the present file.
  void rewrite(std::uint64_t offset, std::span<const std::byte> bytes) { file_.rewrite(offset, bytes); }
  /// OutputFile::keep_whole_blocks, of every file.
  void keep_whole_blocks(std::uint64_t bytes) { file_.keep_whole_blocks(bytes); }
  /// Bytes appended to the present file.
  [[nodiscard]] std::uint64_t size() const { return file_.size(); }
  /// Whether the present file is a pipe.
  [[nodiscard]] bool is_stream() const { return file_.is_stream(); }
  /// The present file, once one has begun.
  [[nodiscard]] const std::filesystem::path& file() const { return file_.path(); }
  [[nodiscard]] const OutputOptions& options() const { return options_; }
  void close();
  /// Sink::note: the files' history.
  void note(const std::string& line) { history_.note(line); }

  /// `a.fil`, or `a.fil to a-3.fil (3 files)`. Any thread.
  [[nodiscard]] std::string location() const;
  /// What the user should know: the disk will be full soon. Any thread.
  [[nodiscard]] std::vector<std::string> warnings() const { return disk_.warnings(); }
  [[nodiscard]] std::uint64_t files() const { return files_.value(); }

 private:
  void turn(const FrameHeader& frame);
  /// Whether the file may be replaced, as the options have it, or since it is this run's.
  [[nodiscard]] OldFile old(const std::filesystem::path& path) const;
  void enter(const std::filesystem::path& path);
  /// Files of a process that died go, but those in `own_`.
  void remove_left_over();
  void note_written(std::uint64_t bytes);

  const OutputOptions options_;
  OutputFile file_;
  OutputTurns turns_;
  DiskWatch disk_;
  std::optional<OutputBook> book_;
  History history_;
  /// Open for a frame that has not come yet.
  bool is_claimed_ = false;
  Tally files_;
  /// Names of the files written so far.
  std::set<std::string> own_;

  mutable std::mutex mutex_;
  std::string first_, last_;
};

}  // namespace takt::sensors
