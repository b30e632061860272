#include "sensors/joining/source_group.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace takt::sensors {

SourceGroup::SourceGroup(const GroupOptions& options) : options_(options), members_(options.members) {}

void SourceGroup::say(const GroupMessage& message, std::int64_t now_ns) {
  note(message, now_ns);
  if (members_.size() > 1) outgoing_.push_back(message);
}

std::vector<GroupMessage> SourceGroup::take_outgoing() {
  return std::exchange(outgoing_, {});
}

void SourceGroup::take(const GroupMessage& message, std::int64_t now_ns) {
  switch (message.kind) {
    case GroupMessage::Kind::member:
      return note(message, now_ns);
    case GroupMessage::Kind::origin:
      origin_ = first_origin_ns_ = message.utc_ns;
      return;
    case GroupMessage::Kind::question:
      question_ = message.asked;
      return;
    case GroupMessage::Kind::leap:
      question_ = 0;
      if (message.next > 0) leap_ = {message.settled, leap_.left_out + message.next};
      return;
    case GroupMessage::Kind::epoch:
      begin_epoch(static_cast<std::uint16_t>(message.asked), message.settled, message.utc_ns);
  }
}

void SourceGroup::note(const GroupMessage& message, std::int64_t now_ns) {
  Member& member = members_.at(message.member);
  if (message.received > member.received) last_received_ns_ = now_ns;
  if (message.settled != member.settled || message.next != member.next ||
      message.standing != member.standing || message.utc_ns != member.utc_ns) {
    is_idle_ = false;
    // Other members' answers may be in transit, and this answer concerned an earlier state.
    has_changed_ = has_changed_ || (question_ != 0 && member.asked == question_);
  }
  member = {.standing = message.standing,
            .settled = message.settled,
            .received = message.received,
            .received_ns = now_ns - message.age_ns,
            .utc_ns = message.utc_ns,
            .next = message.next,
            .next_ns = now_ns - message.next_age_ns,
            .asked = message.asked,
            .has_none = message.has_none};
}

void SourceGroup::decide(std::int64_t now_ns) {
  if (!options_.decides) return;
  if (origin_ && question_ == 0) return ask(now_ns);
  if (origin_) return judge_answers(now_ns);
  const auto stand = [&](Standing standing) {
    return std::ranges::count(members_, standing, &Member::standing);
  };
  if (stand(Standing::ready) == 0) return;
  if (!first_ready_ns_) first_ready_ns_ = now_ns;
  if (stand(Standing::silent) > 0 && now_ns - *first_ready_ns_ < options_.wait_ns) return;
  origin_ = first_origin_ns_ = best_origin(Standing::ready);
  if (members_.size() > 1) outgoing_.push_back({.kind = GroupMessage::Kind::origin, .utc_ns = *origin_});
}

/// Returns the latest first frame in the largest set of sources that agree within the longest gap.
std::int64_t SourceGroup::best_origin(Standing standing) const {
  std::pair<std::ptrdiff_t, std::int64_t> best{0, 0};
  for (const Member& latest : members_) {
    if (latest.standing != standing) continue;
    const auto voices = std::ranges::count_if(members_, [&](const Member& other) {
      return other.standing == standing && other.utc_ns <= latest.utc_ns &&
             latest.utc_ns - other.utc_ns <= options_.longest_gap_ns;
    });
    best = std::max(best, std::pair(voices, latest.utc_ns));
  }
  return best.second;
}

/// Asks if at least one source lacks the next frame and no source has delivered it in time.
void SourceGroup::ask(std::int64_t now_ns) {
  if (is_idle_) return;
  if (have_all_stepped(now_ns)) return open_question();
  const std::uint64_t due = this->due();
  std::optional<std::int64_t> first_arrival_ns;
  for (const Member& member : members_)
    if (member.next > due)
      first_arrival_ns = std::min(first_arrival_ns.value_or(member.next_ns), member.next_ns);
  if (!first_arrival_ns) return;
  const bool is_time = now_ns >= *first_arrival_ns + options_.wait_ns;
  const auto may_have = [&](const Member& member) {
    return member.standing == Standing::going && member.next <= due && !is_time;
  };
  if (std::ranges::any_of(members_, may_have)) return;
  open_question();
}

void SourceGroup::open_question() {
  question_ = ++questions_;
  has_changed_ = false;
  if (members_.size() > 1) outgoing_.push_back({.kind = GroupMessage::Kind::question, .asked = question_});
}

bool SourceGroup::have_all_stepped(std::int64_t now_ns) const {
  bool is_one_astray = false, is_one_going = false;
  for (const Member& member : members_) {
    is_one_astray = is_one_astray || member.standing == Standing::astray;
    is_one_going = is_one_going || member.standing == Standing::going;
  }
  return is_one_astray && (!is_one_going || now_ns - last_received_ns_ > options_.longest_gap_ns);
}

void SourceGroup::begin_epoch(std::uint16_t number, std::uint64_t from, std::int64_t utc_ns) {
  question_ = 0;
  origin_ = utc_ns;
  epoch_ = {number, from};
  // Until they report another standing.
  for (Member& member : members_)
    if (member.standing == Standing::astray) member.standing = Standing::going;
}

void SourceGroup::judge_answers(std::int64_t now_ns) {
  const auto has_answered = [&](const Member& member) { return member.asked == question_; };
  if (!std::ranges::all_of(members_, has_answered)) return;
  const std::uint64_t from = due();
  std::uint64_t next = 0;
  bool none_has_any = true;
  for (const Member& member : members_) {
    // A member may have settled more frames between another member's answer and its own.
    none_has_any = none_has_any && member.has_none && (member.next == 0 || member.next > from);
    if (member.next > from) next = next == 0 ? member.next : std::min(next, member.next);
  }
  is_idle_ = !none_has_any && !has_changed_;
  if (none_has_any && next == 0 && have_all_stepped(now_ns)) {
    begin_epoch(static_cast<std::uint16_t>(epoch_.number + 1), from, best_origin(Standing::astray));
    if (members_.size() > 1)
      outgoing_.push_back(
          {.kind = GroupMessage::Kind::epoch, .asked = epoch_.number, .settled = from, .utc_ns = *origin_});
    return;
  }
  close_question(from, none_has_any && next > 0 ? next - from : 0);
}

void SourceGroup::close_question(std::uint64_t from, std::uint64_t left_out) {
  question_ = 0;
  if (left_out > 0) leap_ = {from, leap_.left_out + left_out};
  if (members_.size() > 1)
    outgoing_.push_back({.kind = GroupMessage::Kind::leap, .settled = from, .next = left_out});
}

std::uint64_t SourceGroup::due() const {
  return std::ranges::max_element(members_, {}, &Member::settled)->settled;
}

bool SourceGroup::is_due(std::uint64_t frame) const {
  return frame < due();
}

std::optional<std::int64_t> SourceGroup::deadline(std::size_t member, std::uint64_t frame) const {
  std::optional<std::int64_t> earliest;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& other = members_[i];
    if (i == member || other.received <= frame) continue;
    // The last frame received may be a later one, which arrived correspondingly later.
    const double ahead = static_cast<double>(other.received - 1 - frame) * options_.frame_ns;
    const std::int64_t came = other.received_ns - std::llround(ahead);
    earliest = std::min(earliest.value_or(came), came);
  }
  if (earliest) *earliest += options_.wait_ns;
  return earliest;
}

bool SourceGroup::have_all_ended() const {
  return std::ranges::all_of(members_,
                             [](const Member& member) { return member.standing == Standing::over; });
}

}  // namespace takt::sensors
