#include "pipeline/costs/paced_source.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/system/clock.hpp"

namespace takt::pipeline {

namespace {

class PacedSource final : public sensors::Source {
 public:
  PacedSource(std::unique_ptr<sensors::Source> source, const Pace& pace)
      : source_(std::move(source)), pace_(pace), period_ns_(1e9 / pace.rate.hertz) {}

  [[nodiscard]] const FrameType& type() const override { return source_->type(); }
  [[nodiscard]] std::size_t least_pool() const override { return source_->least_pool(); }
  void use_pool(const sensors::FramePool& pool) override {
    lent_at_most_ = std::max<std::size_t>(1, pool.size());
    source_->use_pool(pool);
  }
  void start() override {
    headers_.resize(lent_at_most_);
    source_->start();
    start_ns_ = now_ns();
  }

  [[nodiscard]] sensors::SourceState poll(FrameView& frame) override {
    const std::int64_t late = now_ns() - moment(given_);
    if (!is_stopped_ && late < 0) return sensors::SourceState::waiting;
    if (static_cast<double>(late) > static_cast<double>(pace_.most_waiting) * period_ns_) start_ns_ += late;
    const sensors::SourceState state = source_->poll(frame);
    if (state != sensors::SourceState::frame) return state;
    FrameHeader& header = headers_[given_ % headers_.size()];
    header = *frame.header;
    header.ingested_ns = moment(given_) + pace_.receiving.count();
    frame.header = &header;
    ++given_;
    return state;
  }
  void release() override { source_->release(); }

  [[nodiscard]] bool is_cut_off() const override { return source_->is_cut_off(); }
  [[nodiscard]] std::optional<std::int64_t> next_frame_ns() const override { return moment(given_); }
  void stop() override {
    is_stopped_ = true;
    source_->stop();
  }
  [[nodiscard]] sensors::SourceCounters counters() const override { return source_->counters(); }

 private:
  [[nodiscard]] std::int64_t moment(std::uint64_t frame) const {
    return start_ns_ + std::llround(static_cast<double>(frame) * period_ns_);
  }

  std::unique_ptr<sensors::Source> source_;
  Pace pace_;
  double period_ns_;
  std::size_t lent_at_most_ = 1;
  /// Headers of lent frames, with their arrival times.
  std::vector<FrameHeader> headers_;
  std::uint64_t given_ = 0;
  std::int64_t start_ns_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

std::unique_ptr<sensors::Source> paced(std::unique_ptr<sensors::Source> source, const Pace& pace) {
  if (!(pace.rate.hertz > 0)) throw std::invalid_argument("a paced source needs a rate above 0");
  return std::make_unique<PacedSource>(std::move(source), pace);
}

}  // namespace takt::pipeline
