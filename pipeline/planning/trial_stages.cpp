#include "pipeline/planning/trial_stages.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/clock.hpp"
#include "core/copy_out.hpp"
#include "pipeline/planning/trial_frames.hpp"
#include "sensors/frame_memory.hpp"
#include "sensors/null_sink.hpp"

namespace takt::pipeline {

namespace {

/// Lends frames of noise, each as often as it is asked for.
class NoiseSource final : public sensors::Source {
 public:
  NoiseSource(FrameType type, std::size_t least_pool, Time receiving)
      : type_(std::move(type)), least_pool_(least_pool), receiving_(receiving) {}

  [[nodiscard]] const FrameType& type() const override { return type_; }
  [[nodiscard]] std::size_t least_pool() const override { return least_pool_; }
  void use_pool(const sensors::FramePool& pool) override { pool_ = pool; }

  void start() override {
    if (pool_.size() > 0)
      memory_.emplace(pool_, type_.size());
    else
      memory_.emplace(1, type_.size());
    headers_.resize(std::max<std::size_t>(1, pool_.size()));
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
    const double seconds = type_.rate_hz > 0 ? static_cast<double>(given_) / type_.rate_hz : 0;
    headers_[slot] = {.sequence = given_,
                      .utc_ns = std::llround(1e9 * seconds),
                      .first_sample = given_,
                      .ingested_ns = now_ns(),
                      .parts = 1};
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
  std::size_t least_pool_;
  Time receiving_;
  sensors::FramePool pool_;
  std::optional<sensors::FrameMemory> memory_;
  std::vector<FrameHeader> headers_;
  std::uint64_t given_ = 0;
  std::size_t lent_ = 0;
  bool is_stopped_ = false;
};

/// A stream that may be shared, without its first frames.
class LaterFrames final : public sensors::Source {
 public:
  LaterFrames(std::unique_ptr<sensors::Source> source, std::uint64_t skipped)
      : source_(std::move(source)), skipped_(skipped) {}

  [[nodiscard]] const FrameType& type() const override { return source_->type(); }
  [[nodiscard]] std::size_t least_pool() const override { return source_->least_pool(); }
  void use_pool(const sensors::FramePool& pool) override { source_->use_pool(pool); }
  void start() override {
    source_->start();
    source_->seek(skipped_);
  }
  [[nodiscard]] bool may_be_shared() const override { return true; }
  void seek(std::uint64_t frame) override { source_->seek(skipped_ + frame); }
  [[nodiscard]] sensors::SourceState poll(FrameView& frame) override { return source_->poll(frame); }
  [[nodiscard]] sensors::SourceState poll_at(FrameView& frame, std::optional<std::int64_t> seen) override {
    return source_->poll_at(frame, seen);
  }
  void release() override { source_->release(); }
  [[nodiscard]] bool is_cut_off() const override { return source_->is_cut_off(); }
  void stop() override { source_->stop(); }
  [[nodiscard]] sensors::SourceCounters counters() const override { return source_->counters(); }

 private:
  std::unique_ptr<sensors::Source> source_;
  std::uint64_t skipped_;
};

}  // namespace

std::unique_ptr<sensors::Source> make_trial_source(const Pipeline& pipeline, std::size_t stage,
                                                   Time receiving, std::uint64_t skipped) {
  const Stage& source = pipeline.stages.at(stage);
  const SourceKind& kind = *pipeline.kernels.find_source(source.type);
  const SourceKind::Values as_fast_as_taken = kind.at_rate(0, source.own_frames);
  const bool has_its_rate =
      as_fast_as_taken.empty() && source.own_frames.rate_hz * kind.pace(source.parameters) > 0;
  if (kind.is_live || source.backlog || has_its_rate)
    return std::make_unique<NoiseSource>(source.output, pipeline.make_source(stage)->least_pool(), receiving);
  Parameters parameters = source.parameters;
  for (const auto& [name, value] : as_fast_as_taken) parameters = parameters.with(name, value);
  std::unique_ptr<sensors::Source> own = kind.make(parameters, 0);
  if (skipped == 0 || !own->may_be_shared()) return own;
  return std::make_unique<LaterFrames>(std::move(own), skipped);
}

std::unique_ptr<sensors::Sink> make_trial_sink(const Pipeline& pipeline, std::size_t stage,
                                               const NamelessFile& file) {
  if (pipeline.kernels.find_sink(pipeline.stages.at(stage).type)->is_live)
    return std::make_unique<sensors::NullSink>();
  return pipeline.make_sink(stage, file.path());
}

}  // namespace takt::pipeline
