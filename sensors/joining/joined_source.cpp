#include "sensors/joining/joined_source.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/units.hpp"

namespace takt::sensors {

namespace {

/// Limits the frames that a source discards per call, so that other sources are served.
constexpr int most_looks = 64;
/// Offset from the common times, in rows, that is worth a warning.
constexpr double worth_a_note = 0.02;

/// Returns the time samples of a row.
std::size_t samples_of(const FrameType& type) {
  const Axis* const time = type.find_axis("time");
  return type.find_axis("packet") != nullptr && time != nullptr ? time->size : 1;
}

}  // namespace

JoinedSource::JoinedSource(std::unique_ptr<Source> source, FrameType type, SourceGroup& group,
                           const JoinedOptions& options)
    : JoinedSource(std::move(source), std::move(type), nullptr, &group, options) {}

JoinedSource::JoinedSource(std::unique_ptr<Source> source, FrameType type, const GroupOptions& alone,
                           const JoinedOptions& options)
    : JoinedSource(std::move(source), std::move(type), std::make_unique<SourceGroup>(alone), nullptr,
                   options) {}

JoinedSource::JoinedSource(std::unique_ptr<Source> source, FrameType type,
                           std::unique_ptr<SourceGroup> own_group, SourceGroup* group,
                           const JoinedOptions& options)
    : source_(std::move(source)),
      type_(std::move(type)),
      options_(options),
      own_group_(std::move(own_group)),
      group_(own_group_ ? *own_group_ : *group),
      source_rows_(rows_of(source_->type()).rows),
      samples_per_row_(samples_of(type_)),
      frame_ns_(group_.options().frame_ns),
      row_ns_(frame_ns_ / static_cast<double>(rows_of(type_).rows)),
      splicer_(source_->type(), type_) {
  message_.member = static_cast<std::uint32_t>(options.member);
}

void JoinedSource::start() {
  // The frames of an iteration are lent or waiting while the next one is assembled.
  const std::size_t own_frames = group_.options().granule + 1;
  if (pool_.size() > 0)
    memory_.emplace(pool_, type_.size());
  else
    memory_.emplace(own_frames, type_.size());
  slots_.resize(pool_.size() > 0 ? pool_.size() : own_frames);
  source_->start();
}

bool JoinedSource::has_work() const {
  const std::uint64_t granule = group_.options().granule;
  return frame_ < (taken_ / granule + 1) * granule && frame_ - taken_ + lent_ < slots_.size();
}

/// Per frame of the joined stream.
std::optional<Reception> JoinedSource::reception() const {
  std::optional<Reception> reception = source_->reception();
  if (!reception) return reception;
  const double own = static_cast<double>(splicer_.rows()) / static_cast<double>(source_rows_);
  reception->messages = static_cast<std::size_t>(std::ceil(own * static_cast<double>(reception->messages)));
  return reception;
}

std::int64_t JoinedSource::utc_of(const FrameHeader& header) const {
  return header.utc_ns - options_.delay_ns;
}

/// Returns the first unsettled row of the frame under assembly.
std::int64_t JoinedSource::next_row() const {
  return static_cast<std::int64_t>(number() * splicer_.rows() + (is_begun_ ? splicer_.filled() : 0));
}

std::uint64_t JoinedSource::frame_of_head() const {
  const std::int64_t number = head_->row / static_cast<std::int64_t>(splicer_.rows());
  return static_cast<std::uint64_t>(
      std::max<std::int64_t>(number + static_cast<std::int64_t>(base_ - left_out_), 0));
}

/// A source that has not followed a leap or begun an epoch does not know which frame is meant.
bool JoinedSource::has_none_of_next() {
  if (has_data_ || left_out_ != group_.leap().left_out || epoch_ != group_.epoch().number) return false;
  if (fetch()) {
    if (head_->used == 0) place(*head_);
    if (is_astray(*head_)) {
      message_.next = 0;
      return true;
    }
    message_.next = frame_of_head();
    message_.next_age_ns = std::max<std::int64_t>(options_.clock() - head_->view.header->ingested_ns, 0);
    return message_.next > group_.due();
  }
  message_.next = 0;
  return source_has_ended_ || options_.is_live;
}

bool JoinedSource::holds_still(std::int64_t now_ns) {
  const std::uint32_t question = group_.question();
  if (question == 0) return false;
  if (message_.asked != question) {
    message_.asked = question;
    message_.has_none = has_none_of_next();
    tell(now_ns);
    group_.decide(now_ns);
  }
  return group_.question() == question && message_.has_none;
}

void JoinedSource::follow_leap() {
  const SourceGroup::Leap& leap = group_.leap();
  if (left_out_ == leap.left_out || frame_ < leap.from) return;
  left_out_ = leap.left_out;
  message_.next = 0;
  is_begun_ = false;
}

bool JoinedSource::is_of_last_epoch(std::int64_t now_ns) {
  const SourceGroup::Epoch& epoch = group_.epoch();
  if (epoch_ == epoch.number) return false;
  if (frame_ < epoch.from) return true;
  epoch_ = epoch.number;
  origin_ns_ = *group_.origin();
  base_ = frame_ + left_out_;
  anchor_.reset();
  message_.next = 0;
  is_begun_ = false;
  // Until its next frame shows otherwise.
  if (message_.standing == Standing::astray) stand(Standing::going, now_ns);
  return false;
}

/// Returns whether the source has a frame, polled now or before.
bool JoinedSource::fetch() {
  if (head_) return true;
  if (source_has_ended_) return false;
  FrameView view;
  const SourceState state = source_->poll(view);
  source_has_ended_ = state == SourceState::ended;
  if (state != SourceState::frame) return false;
  head_ = Head{.view = view};
  return true;
}

/// Within an epoch by the frames' numbers, which do not round; by time if a source restarts its numbers in
/// the same epoch.
void JoinedSource::place(Head& head) {
  const FrameHeader& header = *head.view.header;
  const std::int64_t since = utc_of(header) - origin_ns_;
  const std::int64_t by_time = std::llround(static_cast<double>(since) / row_ns_);
  const auto rows = static_cast<std::int64_t>(source_rows_);
  if (anchor_ && anchor_->epoch == header.epoch) {
    head.row = anchor_->row + static_cast<std::int64_t>(header.sequence - anchor_->sequence) * rows;
    if (std::abs(head.row - by_time) <= rows / 2 + 1) return;
  }
  head.row = by_time;
  anchor_ = {.epoch = header.epoch,
             .sequence = header.sequence,
             .first_sample = header.first_sample,
             .row = by_time,
             .offset_ns = since - std::llround(static_cast<double>(by_time) * row_ns_)};
  offset_ns_.store(anchor_->offset_ns, std::memory_order_relaxed);
}

void JoinedSource::let_go() {
  head_.reset();
  source_->release();
}

void JoinedSource::begin_frame() {
  const std::size_t slot = frame_ % slots_.size();
  splicer_.begin({&slots_[slot].header, memory_->frame(slot)});
  is_begun_ = true;
  has_data_ = is_cut_off_ = false;
}

void JoinedSource::advance(std::int64_t now_ns) {
  group_.decide(now_ns);
  if (holds_still(now_ns) || !has_work()) return;
  follow_leap();
  if (!group_.origin()) {
    if (message_.standing == Standing::ready) return;
    if (fetch()) {
      message_.utc_ns = utc_of(*head_->view.header);
      stand(Standing::ready, now_ns);
      group_.decide(now_ns);
    } else if (source_has_ended_) {
      stand(Standing::over, now_ns);
    }
    if (!group_.origin()) return;
  }
  if (!std::exchange(has_origin_, true)) origin_ns_ = group_.first_origin_ns();
  const bool is_late = is_of_last_epoch(now_ns);
  if (!is_begun_) begin_frame();
  if (is_late) return settle(false, now_ns);
  const std::uint64_t frame = frame_;
  settle_with_data(now_ns);
  if (frame_ > frame || head_) return;
  if (source_has_ended_) {
    // A frame with data is delivered in any case; a source that is over does not advance the stream.
    if (has_data_) return settle(false, now_ns);
    stand(Standing::over, now_ns);
    if (group_.is_due(frame_)) settle(false, now_ns);
    return;
  }
  if (message_.standing == Standing::astray) {
    // A frame with data is delivered before a new epoch begins.
    if (group_.is_due(frame_) || (has_data_ && group_.have_all_stepped(now_ns))) settle(false, now_ns);
    return;
  }
  if (!options_.is_live) return;
  if (const auto deadline = group_.deadline(options_.member, frame_); deadline && now_ns >= *deadline)
    settle(false, now_ns);
}

/// Processes the source's frames until the frame is settled.
void JoinedSource::settle_with_data(std::int64_t now_ns) {
  const std::uint64_t frame = frame_;
  for (int look = 0; look < most_looks && frame_ == frame && fetch(); ++look)
    if (!use_head(now_ns)) return;
}

bool JoinedSource::is_astray(const Head& head) const {
  const std::int64_t gap = std::llround(static_cast<double>(group_.options().longest_gap_ns) / row_ns_);
  const std::int64_t next = next_row();
  return head.row - next > gap || next - (head.row + static_cast<std::int64_t>(source_rows_)) > gap;
}

/// Returns whether there may be more to do.
bool JoinedSource::use_head(std::int64_t now_ns) {
  Head& head = *head_;
  if (head.used == 0) place(head);
  const auto rows = static_cast<std::int64_t>(source_rows_);
  const std::int64_t next = next_row();
  const std::int64_t ahead = head.row - next, behind = next - (head.row + rows);
  if (is_astray(head)) {
    astray_.add();
    // Time of the next frame, with which a common time can begin.
    message_.utc_ns = utc_of(*head.view.header) + std::llround(static_cast<double>(rows) * row_ns_);
    message_.standing = Standing::astray;
    tell(now_ns);
    let_go();
    return true;
  }
  stand(Standing::going, now_ns);
  received_ns_ = head.view.header->ingested_ns;
  if (behind >= 0) {
    if (head.used == 0) {
      (head.row < 0 ? early_ : late_).add();
    }
    let_go();
    return true;
  }
  const auto room = static_cast<std::int64_t>(splicer_.rows() - splicer_.filled());
  if (ahead >= room && !has_data_ && !group_.is_due(frame_)) {
    // The source has no data of this frame, which is delivered if another source has some.
    if (message_.next == frame_of_head()) return false;
    message_.next = frame_of_head();
    message_.next_age_ns = std::max<std::int64_t>(now_ns - received_ns_, 0);
    tell(now_ns);
    return false;
  }
  if (ahead > 0) splicer_.skip(static_cast<std::size_t>(std::min(ahead, room)));
  if (ahead < room) {
    const std::int64_t from = next_row() - head.row;
    const std::int64_t count = std::min(rows - from, room - std::max<std::int64_t>(ahead, 0));
    splicer_.copy(head.view, static_cast<std::size_t>(from), static_cast<std::size_t>(count));
    head.used = static_cast<std::size_t>(from + count);
    has_data_ = true;
    is_cut_off_ = is_cut_off_ || source_->is_cut_off();
    if (from + count == rows) let_go();
  }
  if (splicer_.filled() == splicer_.rows()) settle(true, now_ns);
  return true;
}

/// Marks absent rows as missing.
void JoinedSource::settle(bool is_received, std::int64_t now_ns) {
  if (splicer_.filled() < splicer_.rows()) splicer_.skip(splicer_.rows() - splicer_.filled());
  splicer_.end();
  Slot& slot = slots_[frame_ % slots_.size()];
  FrameHeader& header = slot.header;
  header.sequence = number();
  header.epoch = epoch_;
  const std::int64_t offset = anchor_ ? anchor_->offset_ns : 0;
  header.utc_ns = origin_ns_ + offset +
                  static_cast<std::int64_t>(std::llround(static_cast<long double>(number()) * frame_ns_));
  const std::int64_t row =
      static_cast<std::int64_t>(number() * splicer_.rows()) - (anchor_ ? anchor_->row : 0);
  header.first_sample = (anchor_ ? anchor_->first_sample : 0) +
                        static_cast<std::uint64_t>(row * static_cast<std::int64_t>(samples_per_row_));
  header.ingested_ns = (has_data_ ? header.ingested_ns : now_ns) - options_.clock_offset_ns;
  header.source = static_cast<std::uint16_t>(options_.member);
  slot.is_cut_off = is_cut_off_;
  // When all sources are stopped, one of them stops before another, within a frame.
  const bool is_counted = !is_cut_off_ && !(is_stopped_ && source_has_ended_);
  slot.is_incomplete = is_counted && header.missing_parts > 0;
  slot.is_flagged = is_counted && !has_data_;
  ++frame_;
  is_begun_ = has_data_ = false;
  message_.settled = frame_;
  message_.next = 0;
  if (is_received) message_.received = message_.settled;
  tell(now_ns);
}

void JoinedSource::stand(Standing standing, std::int64_t now_ns) {
  if (message_.standing == standing) return;
  message_.standing = standing;
  tell(now_ns);
}

void JoinedSource::tell(std::int64_t now_ns) {
  message_.age_ns = std::max<std::int64_t>(now_ns - received_ns_, 0);
  group_.say(message_, now_ns);
}

SourceState JoinedSource::poll(FrameView& frame) {
  advance(options_.clock());
  if (frame_ == taken_) {
    const bool is_over =
        source_has_ended_ && !head_ && !has_data_ && group_.have_all_ended() && !group_.is_due(frame_);
    return is_over ? SourceState::ended : SourceState::waiting;
  }
  const std::size_t place = taken_ % slots_.size();
  const Slot& slot = slots_[place];
  frame = {&slot.header, memory_->frame(place)};
  gave_cut_off_ = slot.is_cut_off;
  ++taken_;
  ++lent_;
  given_.add();
  if (slot.is_incomplete) incomplete_.add();
  if (slot.is_flagged) flagged_.add();
  return SourceState::frame;
}

void JoinedSource::wait(std::int64_t latest_ns) {
  if (const auto deadline = group_.deadline(options_.member, frame_); deadline && options_.is_live)
    latest_ns = std::min(latest_ns, *deadline);
  if (latest_ns <= options_.clock()) return;
  // While other sources decide, data of this source changes nothing.
  if (head_ || source_has_ended_) return sleep_until(latest_ns);
  source_->wait(latest_ns);
}

std::optional<std::int64_t> JoinedSource::next_frame_ns() const {
  return head_ || source_has_ended_ ? std::nullopt : source_->next_frame_ns();
}

SourceCounters JoinedSource::counters() const {
  SourceCounters counters = source_->counters();
  counters.ingested = given_.value();
  counters.incomplete = incomplete_.value();
  for (const auto& [name, count] :
       {std::pair{"frames_flagged", &flagged_}, std::pair{"frames_early", &early_},
        std::pair{"frames_late", &late_}, std::pair{"frames_astray", &astray_}})
    counters.details.push_back({name, "frames", count->value()});
  return counters;
}

std::vector<std::string> JoinedSource::warnings() const {
  std::vector<std::string> warnings = source_->warnings();
  const auto text = [](std::int64_t ns) { return takt::to_string(Time(ns)); };
  // Each text is displayed once: it contains the count.
  const GroupOptions& options = group_.options();
  if (flagged_.value() > 0)
    warnings.push_back("frames are missing, but other sources have them: they are flagged and counted");
  if (late_.value() > 0)
    warnings.push_back(
        fmt::format("frames arrived more than {} later than those of other sources and were discarded; use a "
                    "longer 'join: {{wait: ...}}'",
                    text(options.wait_ns)));
  if (astray_.value() > 0)
    warnings.push_back(
        fmt::format("its clock was further than {} from the time of the run: its frames were discarded",
                    text(options.longest_gap_ns)));
  const std::int64_t offset = offset_ns_.load(std::memory_order_relaxed);
  if (static_cast<double>(std::abs(offset)) > worth_a_note * row_ns_ && row_ns_ > 1)
    warnings.push_back(
        fmt::format("its samples lie {} {} those of the common time, by the UTC in its headers",
                    text(std::abs(offset)), offset > 0 ? "after" : "before"));
  return warnings;
}

}  // namespace takt::sensors
