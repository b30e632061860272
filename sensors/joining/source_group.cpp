#include "sensors/joining/source_group.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace takt::sensors {

SourceGroup::SourceGroup(const GroupOptions& options) : options_(options), members_(options.members) {}

void SourceGroup::say(const GroupNews& news, std::int64_t now_ns) {
  note(news, now_ns);
  if (members_.size() > 1) outgoing_.push_back(news);
}

std::vector<GroupNews> SourceGroup::take_outgoing() {
  return std::exchange(outgoing_, {});
}

void SourceGroup::take(const GroupNews& news, std::int64_t now_ns) {
  if (news.is_origin)
    origin_ = news.utc_ns;
  else
    note(news, now_ns);
}

void SourceGroup::note(const GroupNews& news, std::int64_t now_ns) {
  Member& member = members_.at(news.member);
  if (news.heard > member.heard) last_heard_ns_ = now_ns;
  member = {news.standing, news.settled, news.heard, now_ns - news.age_ns, news.utc_ns};
}

void SourceGroup::decide(std::int64_t now_ns) {
  if (origin_ || !options_.decides) return;
  const auto stand = [&](Standing standing) {
    return std::ranges::count(members_, standing, &Member::standing);
  };
  if (stand(Standing::ready) == 0) return;
  if (!first_ready_ns_) first_ready_ns_ = now_ns;
  if (stand(Standing::unheard) > 0 && now_ns - *first_ready_ns_ < options_.wait_ns) return;
  origin_ = best_origin();
  if (members_.size() > 1) outgoing_.push_back({.is_origin = true, .utc_ns = *origin_});
}

/// The latest first frame of the largest set of sources no two of which are further apart than a gap may be.
std::int64_t SourceGroup::best_origin() const {
  std::pair<std::ptrdiff_t, std::int64_t> best{0, 0};
  for (const Member& latest : members_) {
    if (latest.standing != Standing::ready) continue;
    const auto voices = std::ranges::count_if(members_, [&](const Member& other) {
      return other.standing == Standing::ready && other.utc_ns <= latest.utc_ns &&
             latest.utc_ns - other.utc_ns <= options_.longest_gap_ns;
    });
    best = std::max(best, std::pair(voices, latest.utc_ns));
  }
  return best.second;
}

bool SourceGroup::is_due(std::uint64_t frame) const {
  const std::uint64_t most = std::ranges::max_element(members_, {}, &Member::settled)->settled;
  return frame < (most + options_.granule - 1) / options_.granule * options_.granule;
}

std::optional<std::int64_t> SourceGroup::deadline(std::size_t member, std::uint64_t frame) const {
  std::optional<std::int64_t> earliest;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const Member& other = members_[i];
    if (i == member || other.heard <= frame) continue;
    // The last frame heard may be a later one, which came so much later.
    const double ahead = static_cast<double>(other.heard - 1 - frame) * options_.frame_ns;
    const std::int64_t came = other.heard_ns - std::llround(ahead);
    earliest = std::min(earliest.value_or(came), came);
  }
  if (earliest) *earliest += options_.wait_ns;
  return earliest;
}

bool SourceGroup::all_are_over() const {
  return std::ranges::all_of(members_,
                             [](const Member& member) { return member.standing == Standing::over; });
}

}  // namespace takt::sensors
