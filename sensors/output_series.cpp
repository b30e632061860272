#include "sensors/output_series.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/statvfs.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/file_pattern.hpp"

namespace takt::sensors {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
/// How often the disk is looked at.
constexpr std::int64_t watch_every_ns = 5 * second_ns;
/// Left for so long at the rate so far, a disk is as good as full.
constexpr double soon_s = 600;
/// Numbers behind a name that are tried: whoever has so many files of one name wants something else.
constexpr std::uint64_t most_files = 1'000'000;

/// Of a text in which each ends with a line feed.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  return lines;
}

}  // namespace

void validate(const OutputOptions& options) {
  if (options.path.empty()) throw ConfigError("the output has no name, expected that of a file");
  (void)name_at(options.path.string(), 0);
}

OutputSeries::OutputSeries(OutputOptions options) : options_(std::move(options)) {
  validate(options_);
}

void OutputSeries::open() {
  file_.synchronise_every(options_.sync);
  const std::string path = options_.path.string();
  const bool is_known = !is_pattern(path);
  remove_left_over();
  if (is_known) file_.open(path, old(path));
  is_claimed_ = is_known;
  const std::lock_guard lock(mutex_);
  first_ = last_ = path;
}

OldFile OutputSeries::old(const std::filesystem::path& path) const {
  return options_.overwrite || (book_ && book_->has(path)) ? OldFile::replace : OldFile::keep;
}

void OutputSeries::enter(const std::filesystem::path& path) {
  if (book_) book_->add(path);
}

void OutputSeries::remove_left_over() {
  if (!book_) return;
  std::error_code ignored;
  for (const std::string& name : book_->files()) {
    if (own_.contains(name) || !std::filesystem::is_regular_file(name, ignored)) continue;
    std::filesystem::remove(name, ignored);
    std::filesystem::remove(name + ".history", ignored);
  }
}

void OutputSeries::save(StateWriter& state) const {
  std::string own;
  for (const std::string& name : own_) own += name + '\n';
  std::string history;
  for (const std::string& line : history_.lines()) history += line + '\n';
  const std::lock_guard lock(mutex_);
  state.add(own).add(history).add(first_).add(last_);
  state.add(files_.value()).add(file_.size()).add(epoch_).add(interval_).add(written_);
}

void OutputSeries::go_on(StateReader& state) {
  std::string own, history, first, last;
  std::uint64_t files = 0, size = 0;
  state.get(own).get(history).get(first).get(last);
  state.get(files).get(size).get(epoch_).get(interval_).get(written_);
  if (files == 0) return open();
  file_.synchronise_every(options_.sync);
  for (const std::string_view name : lines_of(own)) own_.insert(std::string(name));
  remove_left_over();
  file_.go_on(last, size);
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(history)) lines.emplace_back(line);
  history_.go_on(last, std::move(lines));
  files_.set(files);
  const std::lock_guard lock(mutex_);
  first_ = first;
  last_ = last;
}

void OutputSeries::open_companion(OutputFile& file, const std::filesystem::path& path,
                                  std::optional<std::uint64_t> size) {
  own_.insert(path.string());
  if (size) return file.go_on(path, *size);
  const OldFile replaceable = old(path);
  file.open(path, replaceable);
  enter(path);
}

bool OutputSeries::turn_to(const FrameHeader& frame, std::uint64_t bytes) {
  const bool is_asked = is_asked_.load(std::memory_order_relaxed) && is_asked_.exchange(false);
  if (files_.value() > 0 && !(is_asked && !file_.is_stream()) && !is_time_to_turn(frame, bytes)) return false;
  turn(frame);
  return true;
}

bool OutputSeries::is_time_to_turn(const FrameHeader& frame, std::uint64_t bytes) const {
  // Of a pipe there is one only; its reader has the frames' headers or needs none.
  if (file_.is_stream()) return false;
  if (frame.epoch != epoch_) return true;
  if (options_.rotate_size.count > 0 && file_.size() + bytes > options_.rotate_size.count) return true;
  return interval_of(frame) != interval_;
}

std::int64_t OutputSeries::interval_of(const FrameHeader& frame) const {
  const std::int64_t length = options_.rotate_every.count();
  if (length == 0) return 0;
  return frame.utc_ns / length - (frame.utc_ns % length < 0 ? 1 : 0);
}

void OutputSeries::turn(const FrameHeader& frame) {
  epoch_ = frame.epoch;
  interval_ = interval_of(frame);
  if (!std::exchange(is_claimed_, false)) {
    file_.close();
    const std::string path = options_.path.string();
    const std::filesystem::path name = name_at(path, frame.utc_ns);
    std::uint64_t number = is_pattern(path) ? 1 : files_.value() + 1;
    while (!begin_named(numbered(name, number)))
      if (++number > most_files)
        throw WorkError(
            fmt::format("{}: there are {} files of this name already", name.string(), most_files));
  }
  own_.insert(file_.path().string());
  enter(file_.path());
  history_.begin(file_.path());
  const std::lock_guard lock(mutex_);
  last_ = file_.path().string();
  if (files_.value() == 0) first_ = last_;
  files_.add();
}

/// Whether the name was free, as OutputOptions::overwrite has it.
bool OutputSeries::begin_named(const std::filesystem::path& name) {
  return file_.try_open(name, own_.contains(name.string()) ? OldFile::keep : old(name));
}

void OutputSeries::append(std::initializer_list<std::span<const std::byte>> record) {
  file_.append(record);
  for (const auto& piece : record) written_ += piece.size();
  watch_disk();
}

void OutputSeries::append_zeros(std::uint64_t bytes) {
  file_.append_zeros(bytes);
  watch_disk();
}

void OutputSeries::watch_disk() {
  const std::int64_t now = now_ns();
  if (begun_ns_ == 0) begun_ns_ = watched_ns_ = now;
  if (now - watched_ns_ < watch_every_ns || file_.is_stream()) return;
  watched_ns_ = now;
  struct statvfs disk {};
  if (::statvfs(file_.path().c_str(), &disk) != 0) return;
  const auto free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  const double rate = static_cast<double>(written_) / (static_cast<double>(now - begun_ns_) / 1e9);
  const double left_s = static_cast<double>(free) / std::max(rate, 1.0);
  if (left_s > soon_s) return;
  const std::lock_guard lock(mutex_);
  if (disk_warning_.empty())
    disk_warning_ =
        fmt::format("the disk of {} has {} left, enough for {:.0f} s at {}/s", last_, to_string(Bytes{free}),
                    left_s, to_string(Bytes{static_cast<std::uint64_t>(rate)}));
}

void OutputSeries::close() {
  file_.close();
}

std::string OutputSeries::location() const {
  const std::lock_guard lock(mutex_);
  if (first_.empty()) return options_.path.string();
  if (files_.value() <= 1) return first_;
  return fmt::format("{} to {} ({} files)", first_, last_, files_.value());
}

std::vector<std::string> OutputSeries::warnings() const {
  const std::lock_guard lock(mutex_);
  if (disk_warning_.empty()) return {};
  return {disk_warning_};
}

}  // namespace takt::sensors
