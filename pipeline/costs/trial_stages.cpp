#include "pipeline/costs/trial_stages.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/copy_out.hpp"
#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "pipeline/costs/trial_frames.hpp"
#include "sensors/frames/frame_memory.hpp"
#include "sensors/null_sink.hpp"

namespace takt::pipeline {

namespace {

/// An unlinked file that disappears with the process, however that ends: among the system's temporary files,
/// or in memory if their file system does not support it.
class NamelessFile {
 public:
  /// Throws WorkError.
  NamelessFile()
      : descriptor_(
            ::open(std::filesystem::temp_directory_path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) descriptor_ = ::memfd_create("takt-trial", MFD_CLOEXEC);
    if (descriptor_ < 0)
      throw WorkError(fmt::format("cannot make a temporary file: {}", std::strerror(errno)));
  }
  NamelessFile(const NamelessFile&) = delete;
  NamelessFile& operator=(const NamelessFile&) = delete;
  ~NamelessFile() { ::close(descriptor_); }

  /// Returns a path that is valid in this process only.
  [[nodiscard]] std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

/// Sets the number and time of a frame in a gapless stream that begins at 0.
void count_from_zero(FrameHeader& header, std::uint64_t number, const FrameType& type) {
  const double seconds = type.rate_hz > 0 ? static_cast<double>(number) / type.rate_hz : 0;
  header.sequence = number;
  header.epoch = 0;
  header.utc_ns = std::llround(1e9 * seconds);
  header.first_sample = number;
}

/// Lends the same frames of noise repeatedly; from its own buffers if it has no pool.
class NoiseSource final : public sensors::Source {
 public:
  NoiseSource(FrameType type, std::size_t least_pool, Time receiving, std::size_t own_frames = 1)
      : type_(std::move(type)), least_pool_(least_pool), own_frames_(own_frames), receiving_(receiving) {}

  [[nodiscard]] const FrameType& type() const override { return type_; }
  [[nodiscard]] std::size_t least_pool() const override { return least_pool_; }
  void use_pool(const sensors::FramePool& pool) override { pool_ = pool; }

  void start() override {
    if (pool_.size() > 0)
      memory_.emplace(pool_, type_.size());
    else
      memory_.emplace(own_frames_, type_.size());
    headers_.resize(std::max(own_frames_, pool_.size()));
    fill_with_noise({&headers_[0], memory_->frame(0)}, type_.element);
    for (std::size_t slot = 1; slot < headers_.size(); ++slot)
      copy_out(memory_->frame(slot).data(), memory_->frame(0).data(), memory_->frame(0).size());
  }

  [[nodiscard]] sensors::SourceState poll(FrameView& frame) override {
    if (is_stopped_) return sensors::SourceState::ended;
    if (lent_ == headers_.size()) return sensors::SourceState::waiting;
    const std::size_t slot = given_ % headers_.size();
    for (const std::int64_t end = now_ns() + receiving_.count(); now_ns() < end;) {
    }
    headers_[slot] = {.ingested_ns = now_ns(), .parts = 1};
    count_from_zero(headers_[slot], given_, type_);
    frame = {&headers_[slot], memory_->frame(slot)};
    ++given_;
    ++lent_;
    return sensors::SourceState::frame;
  }

  void release() override { --lent_; }
  void stop() override { is_stopped_ = true; }
  [[nodiscard]] sensors::SourceCounters counters() const override { return {}; }

 private:
  FrameType type_;
  std::size_t least_pool_, own_frames_;
  Time receiving_;
  sensors::FramePool pool_;
  std::optional<sensors::FrameMemory> memory_;
  std::vector<FrameHeader> headers_;
  std::uint64_t given_ = 0;
  std::size_t lent_ = 0;
  bool is_stopped_ = false;
};

/// Base of sources that modify another one.
class Changed : public sensors::Source {
 public:
  explicit Changed(std::unique_ptr<sensors::Source> source) : source_(std::move(source)) {}

  [[nodiscard]] const FrameType& type() const override { return source_->type(); }
  void start() override { source_->start(); }
  void release() override { source_->release(); }
  [[nodiscard]] bool is_cut_off() const override { return source_->is_cut_off(); }
  void stop() override { source_->stop(); }
  [[nodiscard]] sensors::SourceCounters counters() const override { return source_->counters(); }

 protected:
  [[nodiscard]] sensors::Source& source() { return *source_; }
  [[nodiscard]] const sensors::Source& source() const { return *source_; }

 private:
  std::unique_ptr<sensors::Source> source_;
};

/// A shareable stream without its first frames.
class LaterFrames final : public Changed {
 public:
  LaterFrames(std::unique_ptr<sensors::Source> source, std::uint64_t skipped)
      : Changed(std::move(source)), skipped_(skipped) {}

  [[nodiscard]] std::size_t least_pool() const override { return source().least_pool(); }
  void use_pool(const sensors::FramePool& pool) override { source().use_pool(pool); }
  void start() override {
    Changed::start();
    source().seek(skipped_);
  }
  [[nodiscard]] bool may_be_shared() const override { return true; }
  void seek(std::uint64_t frame) override { source().seek(skipped_ + frame); }
  [[nodiscard]] sensors::SourceState poll(FrameView& frame) override { return source().poll(frame); }
  [[nodiscard]] sensors::SourceState poll_at(FrameView& frame, std::optional<std::int64_t> seen) override {
    return source().poll_at(frame, seen);
  }

 private:
  std::uint64_t skipped_;
};

/// A stream with artificial times from 0; without a pool, like sources that are joined.
class FramesFromZero final : public Changed {
 public:
  using Changed::Changed;

  [[nodiscard]] sensors::SourceState poll(FrameView& frame) override {
    const sensors::SourceState state = source().poll(frame);
    if (state != sensors::SourceState::frame) return state;
    header_ = *frame.header;
    count_from_zero(header_, given_++, type());
    frame.header = &header_;
    return state;
  }

 private:
  /// Header of the lent frame.
  FrameHeader header_;
  std::uint64_t given_ = 0;
};

/// Makes the source of a stage without its rate, from the beginning; null if it is live or its rate is
/// fixed.
std::unique_ptr<sensors::Source> make_without_rate(const Pipeline& pipeline, const Stage& source) {
  const SourceKind& kind = *pipeline.kernels.find_source(source.type);
  const SourceKind::Values as_fast_as_taken = kind.at_rate(0, source.own_frames);
  const bool has_its_rate =
      as_fast_as_taken.empty() && source.own_frames.rate_hz * kind.pace(source.parameters) > 0;
  if (kind.is_live || source.backlog || has_its_rate) return nullptr;
  Parameters parameters = source.parameters;
  for (const auto& [name, value] : as_fast_as_taken) parameters = parameters.with(name, value);
  return kind.make(parameters, 0);
}

/// Makes a source with the stage's own frames and times from 0; noise uses this number of buffers.
std::unique_ptr<sensors::Source> to_join(const Pipeline& pipeline, const Stage& source, Time receiving,
                                         std::size_t places) {
  if (auto own = make_without_rate(pipeline, source)) return std::make_unique<FramesFromZero>(std::move(own));
  return std::make_unique<NoiseSource>(source.own_frames, 0, receiving, places);
}

/// A sink of a pipeline with an unnamed file. At each epoch it begins a new file, like the real sink, and
/// deletes the former one.
class NamelessSink final : public sensors::Sink {
 public:
  NamelessSink(const Pipeline& pipeline, std::size_t stage) : pipeline_(pipeline), stage_(stage) { begin(); }

  void open() override { sink_->open(); }
  void write(const FrameView& frame) override {
    if (epoch_ && *epoch_ != frame.header->epoch) {
      sink_->close();
      begin();
      sink_->open();
    }
    epoch_ = frame.header->epoch;
    sink_->write(frame);
  }
  void close() override { sink_->close(); }
  [[nodiscard]] bool may_be_shared() const override { return sink_->may_be_shared(); }
  [[nodiscard]] std::string location() const override { return sink_->location(); }

 private:
  void begin() {
    sink_.reset();
    file_.emplace();
    sink_ = pipeline_.make_sink(stage_, file_->path());
  }

  const Pipeline& pipeline_;
  std::size_t stage_;
  std::optional<NamelessFile> file_;
  std::unique_ptr<sensors::Sink> sink_;
  std::optional<std::uint16_t> epoch_;
};

}  // namespace

std::unique_ptr<sensors::Source> make_trial_source(const Pipeline& pipeline, std::size_t stage,
                                                   Time receiving, std::uint64_t skipped) {
  const Stage& source = pipeline.stages.at(stage);
  if (pipeline.joins_sources())
    return pipeline.make_joined_source(stage, to_join(pipeline, source, receiving, 1));
  std::unique_ptr<sensors::Source> own = make_without_rate(pipeline, source);
  if (!own)
    return std::make_unique<NoiseSource>(source.output, pipeline.make_source(stage)->least_pool(), receiving);
  if (skipped == 0 || !own->may_be_shared()) return own;
  return std::make_unique<LaterFrames>(std::move(own), skipped);
}

std::unique_ptr<sensors::Source> make_trial_source_to_join(const Pipeline& pipeline, std::size_t stage,
                                                           Time receiving) {
  const Stage& source = pipeline.stages.at(stage);
  const std::size_t received_into =
      pipeline.kernels.find_source(source.type)->make(source.parameters, 0)->least_pool();
  return to_join(pipeline, source, receiving, std::max<std::size_t>(1, received_into));
}

std::unique_ptr<sensors::Sink> make_trial_sink(const Pipeline& pipeline, std::size_t stage) {
  if (pipeline.kernels.find_sink(pipeline.stages.at(stage).type)->is_live)
    return std::make_unique<sensors::NullSink>();
  return std::make_unique<NamelessSink>(pipeline, stage);
}

}  // namespace takt::pipeline
