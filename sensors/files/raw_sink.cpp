#include "sensors/files/raw_sink.hpp"

#include <algorithm>
#include <utility>

namespace takt::sensors {

RawSink::RawSink(RawOptions options, const FrameType& type)
    : has_headers_(options.headers),
      frame_bytes_((options.part_flags ? type.size() : type.data_size()).count),
      data_bytes_(type.data_size().count),
      series_(std::move(options.output)) {
  if (!options.missing) return;
  has_mask_ = options.missing->mask;
  missing_.emplace(type, options.missing->value);
}

void RawSink::open() {
  if (missing_) filled_.resize(frame_bytes_);
  series_.open();
}

void RawSink::write(const FrameView& frame) {
  const std::span<const std::byte> header =
      has_headers_ ? std::as_bytes(std::span(frame.header, 1)).first(written_header_bytes)
                   : std::span<const std::byte>();
  std::span<const std::byte> bytes = frame.bytes.first(frame_bytes_);
  if (series_.turn_to(*frame.header, header.size() + bytes.size())) begin();
  if (missing_) {
    missing_->find(frame);
    std::ranges::copy(bytes, filled_.begin());
    missing_->fill(std::span(filled_).first(data_bytes_));
    bytes = filled_;
  }
  series_.append({header, bytes});
  if (has_mask_) mask_file_.append({missing_->mask()});
}

void RawSink::begin() {
  if (missing_) missing_->forget();
  if (!has_mask_) return;
  mask_file_.close();
  series_.open_companion(mask_file_, mask_name());
}

std::filesystem::path RawSink::mask_name() const {
  std::filesystem::path name = series_.file();
  return name += ".mask";
}

std::optional<std::vector<std::byte>> RawSink::save() const {
  StateWriter state;
  series_.save(state);
  state.add(series_.files() > 0).add(mask_file_.size());
  if (missing_) state.add(missing_->held());
  return state.take();
}

void RawSink::resume(std::span<const std::byte> state) {
  if (missing_) filled_.resize(frame_bytes_);
  StateReader reader(state);
  series_.resume(reader);
  bool has_begun = false;
  std::uint64_t mask_size = 0;
  reader.get(has_begun).get(mask_size);
  if (missing_) reader.get(missing_->held());
  reader.end();
  if (has_begun && has_mask_) series_.open_companion(mask_file_, mask_name(), mask_size);
}

void RawSink::use_output_book(const OutputBook& book) {
  series_.use_output_book(book);
}

void RawSink::close() {
  series_.close();
  mask_file_.close();
}

void RawSink::begin_file() {
  series_.begin_file();
}

std::string RawSink::location() const {
  return series_.location();
}

std::vector<Counter> RawSink::counters() const {
  return {{"files", "files", series_.files()}};
}

std::vector<std::string> RawSink::warnings() const {
  return series_.warnings();
}

}  // namespace takt::sensors
