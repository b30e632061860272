#include "sensors/files/output_series.hpp"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "sensors/files/file_pattern.hpp"
#include "sensors/files/left_over_files.hpp"

namespace takt::sensors {

namespace {

/// Splits a text into its lines, each of which ends with a line feed.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1))
    lines.push_back(text.substr(0, end));
  return lines;
}

}  // namespace

OutputSeries::OutputSeries(OutputOptions options) : options_(std::move(options)), turns_(options_) {
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
  if (book_) remove_left_over_files(*book_, own_);
}

void OutputSeries::save(StateWriter& state) const {
  std::string own;
  for (const std::string& name : own_) own += name + '\n';
  std::string history;
  for (const std::string& line : history_.lines()) history += line + '\n';
  const std::lock_guard lock(mutex_);
  state.add(own).add(history).add(first_).add(last_);
  state.add(files_.value()).add(file_.size()).add(disk_.written());
  turns_.save(state);
}

void OutputSeries::resume(StateReader& state) {
  std::string own, history, first, last;
  std::uint64_t files = 0, size = 0, written = 0;
  state.get(own).get(history).get(first).get(last);
  state.get(files).get(size).get(written);
  turns_.load(state);
  disk_.resume(written);
  if (files == 0) return open();
  file_.synchronise_every(options_.sync);
  for (const std::string_view name : lines_of(own)) own_.insert(std::string(name));
  remove_left_over();
  file_.resume(last, size);
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(history)) lines.emplace_back(line);
  history_.resume(last, std::move(lines));
  files_.set(files);
  const std::lock_guard lock(mutex_);
  first_ = first;
  last_ = last;
}

void OutputSeries::open_companion(OutputFile& file, const std::filesystem::path& path,
                                  std::optional<std::uint64_t> size) {
  own_.insert(path.string());
  if (size) return file.resume(path, *size);
  const OldFile replaceable = old(path);
  file.open(path, replaceable);
  enter(path);
}

bool OutputSeries::turn_to(const FrameHeader& frame, std::uint64_t bytes) {
  // A pipe has one file only; its reader has the frames' headers or needs none.
  const bool is_asked = turns_.take_request();
  if (files_.value() > 0 &&
      (file_.is_stream() || (!is_asked && !turns_.is_time(frame, file_.size(), bytes)))) {
    turns_.note(frame);
    return false;
  }
  turn(frame);
  return true;
}

void OutputSeries::turn(const FrameHeader& frame) {
  turns_.begin(frame);
  if (!std::exchange(is_claimed_, false)) {
    file_.close();
    // Checks whether the name is free by OutputOptions::overwrite.
    begin_numbered(options_, frame.utc_ns, files_.value(), [this](const std::filesystem::path& name) {
      return file_.try_open(name, own_.contains(name.string()) ? OldFile::keep : old(name));
    });
  }
  own_.insert(file_.path().string());
  enter(file_.path());
  history_.begin(file_.path());
  const std::lock_guard lock(mutex_);
  last_ = file_.path().string();
  if (files_.value() == 0) first_ = last_;
  files_.add();
}

void OutputSeries::append(std::initializer_list<std::span<const std::byte>> record) {
  file_.append(record);
  std::uint64_t bytes = 0;
  for (const auto& piece : record) bytes += piece.size();
  note_written(bytes);
}

void OutputSeries::append_zeros(std::uint64_t bytes) {
  file_.append_zeros(bytes);
  note_written(0);
}

void OutputSeries::note_written(std::uint64_t bytes) {
  if (!file_.is_stream()) disk_.note(file_.path(), bytes);
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

}  // namespace takt::sensors
