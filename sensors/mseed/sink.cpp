#include "sensors/mseed/sink.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/frames/frame_time.hpp"

namespace takt::sensors {

namespace {

[[noreturn]] void refuse_traces(const FrameType& type, const std::string& why) {
  throw ConfigError(fmt::format("cannot write frames {} to a miniSEED file: {}", type.to_string(), why));
}

}  // namespace

class MseedSink::Impl {
 public:
  Impl(MseedSinkOptions options, const FrameType& type)
      : options_(std::move(options)), series_(options_.output) {
    if (type.element != ElementType::float32 || type.axes.empty() || type.axes[0].name != "time" ||
        type.axes.size() > 2)
      refuse_traces(type, "expected float32[time][channel] or float32[time]");
    require_unbroken(type);
    if (!(type.rate_hz > 0)) refuse_traces(type, "its sample rate is not known, since its rate is not known");
    rows_ = type.axes[0].size;
    channels_ = type.axes.size() == 2 ? type.axes[1].size : 1;
    if (options_.channels.size() != channels_)
      refuse_traces(type,
                    fmt::format("{} channels are given: expected {}", options_.channels.size(), channels_));
    rate_hz_ = type.rate_hz * static_cast<double>(rows_);
    for (const std::string& channel : options_.channels)
      writers_.emplace_back(channel, rate_hz_, options_.encoding, options_.version);
  }

  void write(const FrameView& frame) {
    const FrameHeader& header = *frame.header;
    const bool goes_on = has_last_ && header.epoch == epoch_ && header.sequence == next_;
    if (has_last_ && !goes_on) flush_all();
    has_last_ = true;
    epoch_ = header.epoch;
    next_ = header.sequence + 1;
    (void)series_.turn_to(header, rows_ * channels_ * sizeof(float));
    const float* const from = frame.as<float>().data();
    for (std::size_t channel = 0; channel < channels_; ++channel) put(channel, from, header);
    append();
    std::uint64_t clipped = 0;
    for (const RecordWriter& writer : writers_) clipped += writer.clipped();
    clipped_.set(clipped);
  }

  void note(const std::string& line) { series_.note(line); }

  std::vector<std::byte> save() const {
    StateWriter state;
    series_.save(state);
    state.add(has_last_).add(epoch_).add(next_).add(written_.value()).add(missing_.value());
    for (const RecordWriter& writer : writers_) writer.save(state);
    return state.take();
  }

  void resume(std::span<const std::byte> state) {
    StateReader reader(state);
    series_.resume(reader);
    std::uint64_t written = 0, missing = 0;
    reader.get(has_last_).get(epoch_).get(next_).get(written).get(missing);
    written_.set(written);
    missing_.set(missing);
    for (RecordWriter& writer : writers_) writer.load(reader);
    reader.end();
  }

  void close() {
    flush_all();
    series_.close();
  }

  const MseedSinkOptions options_;
  OutputSeries series_;
  Tally written_, missing_, clipped_;

 private:
  void append() {
    if (records_.empty()) return;
    series_.append({records_});
    records_.clear();
  }

  /// Writes the runs of samples that are not missing.
  void put(std::size_t channel, const float* from, const FrameHeader& header) {
    for (std::size_t row = 0; row < rows_;) {
      std::size_t end = row;
      run_.clear();
      while (end < rows_ && !std::isnan(from[end * channels_ + channel]))
        run_.push_back(from[end++ * channels_ + channel]);
      if (!run_.empty())
        written_.add(writers_[channel].put(
            header.utc_ns + std::llround(static_cast<double>(row) * 1e9 / rate_hz_), run_, records_));
      if (end == rows_) return;
      written_.add(writers_[channel].flush(records_));
      missing_.add();
      row = end + 1;
    }
  }

  void flush_all() {
    for (RecordWriter& writer : writers_) written_.add(writer.flush(records_));
    append();
  }

  std::size_t rows_ = 0, channels_ = 0;
  double rate_hz_ = 0;
  std::vector<RecordWriter> writers_;
  std::vector<std::byte> records_;
  std::vector<float> run_;
  bool has_last_ = false;
  std::uint16_t epoch_ = 0;
  std::uint64_t next_ = 0;
};

MseedSink::MseedSink(MseedSinkOptions options, const FrameType& type)
    : impl_(std::make_unique<Impl>(std::move(options), type)) {}
MseedSink::~MseedSink() = default;

void MseedSink::open() {
  impl_->series_.open();
}
void MseedSink::write(const FrameView& frame) {
  impl_->write(frame);
}
void MseedSink::close() {
  impl_->close();
}
std::optional<std::vector<std::byte>> MseedSink::save() const {
  return impl_->save();
}
void MseedSink::resume(std::span<const std::byte> state) {
  impl_->resume(state);
}
void MseedSink::use_output_book(const OutputBook& book) {
  impl_->series_.use_output_book(book);
}
void MseedSink::note(const std::string& line) {
  impl_->note(line);
}
void MseedSink::begin_file() {
  impl_->series_.begin_file();
}
std::string MseedSink::location() const {
  return impl_->series_.location();
}
std::vector<Counter> MseedSink::counters() const {
  return {{"records_written", "records", impl_->written_.value()},
          {"samples_missing", "samples", impl_->missing_.value()},
          {"samples_clipped", "samples", impl_->clipped_.value()},
          {"files", "files", impl_->series_.files()}};
}
std::vector<std::string> MseedSink::warnings() const {
  std::vector<std::string> warnings = impl_->series_.warnings();
  if (const std::uint64_t clipped = impl_->clipped_.value())
    warnings.push_back(
        fmt::format("{} samples exceed the range of their encoding and were clipped", clipped));
  return warnings;
}

}  // namespace takt::sensors
