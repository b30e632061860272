#include "sensors/hdf5/sink.hpp"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/disk_watch.hpp"
#include "sensors/file_pattern.hpp"
#include "sensors/hdf5/file.hpp"
#include "sensors/history.hpp"
#include "sensors/output_file.hpp"

namespace takt::sensors {

namespace {

/// HDF5's chunks are below 4 GiB.
constexpr std::uint64_t largest_chunk = (std::uint64_t{1} << 32) - 1;

}  // namespace

void validate(const Hdf5Options& options) {
  validate(options.output);
  if (options.deflate < 0 || options.deflate > 9)
    throw ConfigError(fmt::format("a compression of {} cannot be, expected 0 to 9", options.deflate));
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
      throw ConfigError(fmt::format("frames {} of {} cannot be in an HDF5 file: expected less than 4 GiB",
                                    type.to_string(), to_string(type.data_size())));
    if (!options_.missing) return;
    missing_.emplace(type, options_.missing->value);
    filled_.resize(type.data_size().count);
  }

  void open() {
    const std::filesystem::path& path = options_.output.path;
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
    file_->append(frame, elements, mask);
    frames_.add();
    disk_.note(file_->path(), bytes);
    const Time sync = options_.output.sync;
    if (sync == Time(0) || now_ns() - synchronised_ns_ < sync.count()) return;
    file_->flush();
    synchronised_ns_ = now_ns();
  }

  void close() {
    if (file_) file_->close();
    file_.reset();
  }

  [[nodiscard]] std::string location() const {
    const std::lock_guard lock(mutex_);
    if (files_.value() == 0) return options_.output.path.string();
    return files_.value() == 1 ? first_ : fmt::format("{} to {} ({} files)", first_, last_, files_.value());
  }

  const Hdf5Options options_;
  const Hdf5Layout layout_;
  OutputTurns turns_;
  DiskWatch disk_;
  History history_;
  Tally frames_, files_;

 private:
  [[nodiscard]] std::string claim(const std::filesystem::path& path) const {
    return claim_on(path, options_.output.overwrite ? OldFile::replace : OldFile::keep);
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
      // This run's own are never replaced.
      if (!is_first && (std::ranges::count(own_, name) > 0 || !claim(name).empty())) return false;
      std::error_code ignored;
      file_.emplace(name, layout_, std::filesystem::exists(name, ignored));
      return true;
    });
    own_.push_back(file_->path());
    history_.begin(file_->path());
    synchronised_ns_ = 0;
    const std::lock_guard lock(mutex_);
    last_ = file_->path().string();
    if (files_.value() == 0) first_ = last_;
    files_.add();
  }

  std::optional<Hdf5File> file_;
  /// Names of the files written so far.
  std::vector<std::filesystem::path> own_;
  /// Where elements are not written as they come.
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
