#include "sensors/files/gap_filling_sink.hpp"

#include <algorithm>
#include <utility>

namespace takt::sensors {

GapFillingSink::GapFillingSink(OutputOptions output, MissingPolicy missing, const FrameType& type,
                               std::uint64_t record_bytes)
    : policy_(missing),
      series_(std::move(output)),
      values_(type, missing.value),
      record_bytes_(record_bytes),
      frame_bytes_(type.data_size().count),
      parts_(is_complex(type.element) ? 2 : 1) {}

void GapFillingSink::open() {
  filled_values_.resize(frame_bytes_);
  series_.open();
}

void GapFillingSink::write(const FrameView& frame) {
  if (series_.turn_to(*frame.header, record_bytes_)) begin_with(*frame.header);
  fill_up_to(*frame.header);
  values_.find(frame);
  missing_.add(values_.count() * parts_);
  std::span<const std::byte> elements = frame.bytes.first(frame_bytes_);
  if (values_.count() > 0 || policy_.value == Missing::hold) {
    std::ranges::copy(elements, filled_values_.begin());
    values_.fill(filled_values_);
    elements = filled_values_;
  }
  const Record record{records(), elements, values_.mask(), values_.count(), false};
  append(record);
  if (policy_.mask) mask_file_.append({in_file_order(record.mask)});
  ++next_sequence_;
  settle();
  frames_.add();
}

void GapFillingSink::begin_with(const FrameHeader& first) {
  first_sequence_ = next_sequence_ = first.sequence;
  first_utc_ns_ = first.utc_ns;
  values_.forget();
  begin();
  if (!policy_.mask) return;
  mask_file_.close();
  series_.open_companion(mask_file_, mask_name());
}

void GapFillingSink::fill_up_to(const FrameHeader& header) {
  if (header.sequence <= next_sequence_) return;
  const std::uint64_t count = header.sequence - next_sequence_;
  // A pipe cannot have a second file.
  if (!OutputTurns::is_gap(count, record_bytes_)) return void(next_sequence_ = header.sequence);
  filled_.add(count);
  values_.find_lost();
  values_.fill(filled_values_);
  const Record record{records(), filled_values_, values_.mask(), values_.count(), true};
  append_lost(record, count);
  if (policy_.mask) {
    const std::span<const std::byte> mask = in_file_order(record.mask);
    for (std::uint64_t i = 0; i < count; ++i) mask_file_.append({mask});
  }
  next_sequence_ = header.sequence;
}

void GapFillingSink::append_lost(Record record, std::uint64_t count) {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{}; };
  if (holds_values_alone() && std::ranges::all_of(record.elements, is_zero))
    return series_.append_zeros(count * record_bytes_);
  for (std::uint64_t i = 0; i < count; ++i, ++record.number) append(record);
}

std::filesystem::path GapFillingSink::mask_name() const {
  std::filesystem::path name = series_.file();
  return name += ".mask";
}

void GapFillingSink::close() {
  series_.close();
  mask_file_.close();
}

std::optional<std::vector<std::byte>> GapFillingSink::save() const {
  StateWriter state;
  series_.save(state);
  state.add(series_.files() > 0).add(mask_file_.size()).add(std::as_const(values_).held());
  state.add(first_sequence_).add(next_sequence_).add(first_utc_ns_);
  state.add(frames_.value()).add(filled_.value()).add(missing_.value());
  save_more(state);
  return state.take();
}

void GapFillingSink::resume(std::span<const std::byte> from) {
  filled_values_.resize(frame_bytes_);
  StateReader state(from);
  series_.resume(state);
  bool has_begun = false;
  std::uint64_t mask_size = 0;
  state.get(has_begun).get(mask_size).get(values_.held());
  state.get(first_sequence_).get(next_sequence_).get(first_utc_ns_);
  for (Tally* count : {&frames_, &filled_, &missing_}) {
    std::uint64_t value = 0;
    state.get(value);
    count->set(value);
  }
  load_more(state);
  state.end();
  if (!has_begun) return;
  if (policy_.mask) series_.open_companion(mask_file_, mask_name(), mask_size);
  settle();
}

void GapFillingSink::use_output_book(const OutputBook& book) {
  series_.use_output_book(book);
}
void GapFillingSink::note(const std::string& line) {
  series_.note(line);
}
void GapFillingSink::begin_file() {
  series_.begin_file();
}
std::string GapFillingSink::location() const {
  return series_.location();
}
std::vector<Counter> GapFillingSink::counters() const {
  return {{"frames_written", "frames", frames_.value()},
          {"frames_filled", "frames", filled_.value()},
          {"values_missing", "values", missing_.value()},
          {"files", "files", series_.files()}};
}
std::vector<std::string> GapFillingSink::warnings() const {
  return series_.warnings();
}

}  // namespace takt::sensors
