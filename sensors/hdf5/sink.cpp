#include "sensors/hdf5/sink.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/saved_state.hpp"
#include "core/system/clock.hpp"
#include "sensors/files/disk_watch.hpp"
#include "sensors/files/file_pattern.hpp"
#include "sensors/files/left_over_files.hpp"
#include "sensors/files/output_file.hpp"
#include "sensors/frames/history.hpp"
#include "sensors/hdf5/file.hpp"

namespace takt::sensors {

namespace {

/// HDF5's chunks are below 4 GiB.
constexpr std::uint64_t largest_chunk = (std::uint64_t{1} << 32) - 1;

/// Splits a text into its lines, each of which ends with a line feed.
std::vector<std::string_view> hdf5_lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  return lines;
}

}  // namespace

void validate(const Hdf5Options& options) {
  validate(options.output);
  if (options.deflate < 0 || options.deflate > 9)
    throw ConfigError(fmt::format("a compression of {} is not valid: expected 0 to 9", options.deflate));
}

class Hdf5Sink::Impl {
 public:
  Impl(Hdf5Options options, const FrameType& type)
      : options_((validate(options), std::move(options))),
        layout_{.type = type,
                .deflate = options_.deflate,
                .title = options_.title,
                .has_mask = options_.missing && options_.missing->mask},
        turns_(options_.output) {
    if (type.data_size().count > largest_chunk)
      throw ConfigError(
          fmt::format("frames {} of {} are too large for an HDF5 file: expected less than 4 GiB",
                      type.to_string(), to_string(type.data_size())));
    if (!options_.missing) return;
    missing_.emplace(type, options_.missing->value);
    filled_.resize(type.data_size().count);
  }

  void use_output_book(const OutputBook& book) {
    book_ = book;
    layout_.survives = true;
  }

  [[nodiscard]] std::vector<std::byte> save() {
    if (file_) file_->flush();
    std::string own, history;
    for (const std::string& name : own_) own += name + '\n';
    for (const std::string& line : history_.lines()) history += line + '\n';
    StateWriter state;
    state.add(own).add(history);
    {
      const std::lock_guard lock(mutex_);
      state.add(first_).add(last_);
    }
    state.add(files_.value()).add(frames_.value()).add(disk_.written());
    state.add(file_ ? file_->frames() : std::uint64_t{0});
    turns_.save(state);
    if (missing_) state.add(missing_->held());
    return state.take();
  }

  void resume(std::span<const std::byte> from) {
    std::string own, history, first, last;
    std::uint64_t files = 0, frames = 0, written = 0, in_file = 0;
    StateReader state(from);
    state.get(own).get(history).get(first).get(last);
    state.get(files).get(frames).get(written).get(in_file);
    turns_.load(state);
    if (missing_) state.get(missing_->held());
    state.end();
    disk_.resume(written);
    if (files == 0) return open();
    for (const std::string_view name : hdf5_lines_of(own)) own_.insert(std::string(name));
    if (book_) remove_left_over_files(*book_, own_);
    file_.emplace(last, layout_, in_file);
    std::vector<std::string> lines;
    for (const std::string_view line : hdf5_lines_of(history)) lines.emplace_back(line);
    history_.resume(last, std::move(lines));
    files_.set(files);
    frames_.set(frames);
    const std::lock_guard lock(mutex_);
    first_ = first;
    last_ = last;
  }

  void open() {
    const std::filesystem::path& path = options_.output.path;
    if (book_) remove_left_over_files(*book_, own_);
    if (!is_pattern(path.string())) refuse_claimed(path);
  }

  void write(const FrameView& frame) {
    const std::uint64_t bytes = layout_.type.size().count;
    const bool is_asked = turns_.take_request();
    if (!file_ || is_asked || turns_.is_time(*frame.header, file_->size(), bytes)) begin(*frame.header);
    std::span<const std::byte> elements = frame.bytes.first(layout_.type.data_size().count);
    std::span<const std::byte> mask;
    if (missing_) {
      missing_->find(frame);
      std::ranges::copy(elements, filled_.begin());
      missing_->fill(filled_);
      elements = filled_;
      mask = missing_->mask();
    }
    counted([&] { file_->append(frame, elements, mask); });
    frames_.add();
    disk_.note(file_->path(), bytes);
    // HDF5's cached data are lost if the disk fails.
    constexpr Time usual_sync{1'000'000'000};
    const Time sync = options_.output.sync > Time(0) ? options_.output.sync : usual_sync;
    if (now_ns() - synchronised_ns_ < sync.count()) return;
    counted([&] { file_->flush(); });
    synchronised_ns_ = now_ns();
  }

  void close() {
    if (file_) counted([&] { file_->close(); });
    file_.reset();
  }

  /// On failure, frames that are not in the file do not count as written.
  template <class Action>
  void counted(Action&& act) {
    const std::uint64_t frames = file_->frames();
    try {
      act();
    } catch (...) {
      frames_.subtract(frames - std::min(frames, file_->frames()));
      throw;
    }
  }

  [[nodiscard]] std::string location() const {
    const std::lock_guard lock(mutex_);
    if (files_.value() == 0) return options_.output.path.string();
    return files_.value() == 1 ? first_ : fmt::format("{} to {} ({} files)", first_, last_, files_.value());
  }

  const Hdf5Options options_;
  Hdf5Layout layout_;
  OutputTurns turns_;
  DiskWatch disk_;
  History history_;
  Tally frames_, files_;

 private:
  [[nodiscard]] std::string claim(const std::filesystem::path& path) const {
    const bool is_replaced = options_.output.overwrite || (book_ && book_->has(path));
    return claim_on(path, is_replaced ? OldFile::replace : OldFile::keep);
  }

  void refuse_claimed(const std::filesystem::path& path) const {
    if (const std::string why = claim(path); !why.empty())
      throw ConfigError(fmt::format("cannot write the file '{}': {}", path.string(), why));
  }

  void begin(const FrameHeader& header) {
    close();
    turns_.begin(header);
    const std::filesystem::path& path = options_.output.path;
    const bool is_first = files_.value() == 0 && !is_pattern(path.string());
    if (is_first) refuse_claimed(path);
    begin_numbered(options_.output, header.utc_ns, files_.value(), [&](const std::filesystem::path& name) {
      // The run's own files are never replaced.
      if (!is_first && (own_.contains(name.string()) || !claim(name).empty())) return false;
      std::error_code ignored;
      if (book_) book_->add(name);
      file_.emplace(name, layout_, std::filesystem::exists(name, ignored));
      return true;
    });
    own_.insert(file_->path().string());
    history_.begin(file_->path());
    synchronised_ns_ = 0;
    const std::lock_guard lock(mutex_);
    last_ = file_->path().string();
    if (files_.value() == 0) first_ = last_;
    files_.add();
  }

  std::optional<Hdf5File> file_;
  /// Names of the files written so far.
  std::set<std::string> own_;
  std::optional<OutputBook> book_;
  /// Set if elements are not written unchanged.
  std::optional<MissingValues> missing_;
  std::vector<std::byte> filled_;
  std::int64_t synchronised_ns_ = 0;
  mutable std::mutex mutex_;
  std::string first_, last_;
};

Hdf5Sink::Hdf5Sink(Hdf5Options options, const FrameType& type)
    : impl_(std::make_unique<Impl>(std::move(options), type)) {}
Hdf5Sink::~Hdf5Sink() = default;

void Hdf5Sink::open() {
  impl_->open();
}
void Hdf5Sink::write(const FrameView& frame) {
  impl_->write(frame);
}
void Hdf5Sink::close() {
  impl_->close();
}
void Hdf5Sink::note(const std::string& line) {
  impl_->history_.note(line);
}
std::optional<std::vector<std::byte>> Hdf5Sink::save() const {
  return impl_->save();
}
void Hdf5Sink::resume(std::span<const std::byte> state) {
  impl_->resume(state);
}
void Hdf5Sink::use_output_book(const OutputBook& book) {
  impl_->use_output_book(book);
}
void Hdf5Sink::begin_file() {
  impl_->turns_.ask();
}
std::string Hdf5Sink::location() const {
  return impl_->location();
}
std::vector<Counter> Hdf5Sink::counters() const {
  return {{"frames_written", "frames", impl_->frames_.value()}, {"files", "files", impl_->files_.value()}};
}
std::vector<std::string> Hdf5Sink::warnings() const {
  return impl_->disk_.warnings();
}

}  // namespace takt::sensors
