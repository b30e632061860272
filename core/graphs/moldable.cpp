#include "core/graphs/moldable.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace takt {

namespace {

using ProfilePoint = MoldableProfile::Point;

double profile_work(const ProfilePoint& point) {
  return static_cast<double>(point.time.count()) * point.processors;
}

/// Rounding to whole times can violate the second rule by less than a tick per processor.
bool work_falls(const ProfilePoint& before, const ProfilePoint& after) {
  return profile_work(after) + after.processors <= profile_work(before);
}

}  // namespace

double MoldableProfile::time(Time work, std::size_t processors) const {
  if (points.empty())
    return static_cast<double>(work.count()) * (serial + (1 - serial) / static_cast<double>(processors));
  const auto after = std::ranges::upper_bound(points, processors, {}, &ProfilePoint::processors);
  if (after == points.end()) return static_cast<double>(points.back().time.count());
  const ProfilePoint& low = *std::prev(after);
  const double share =
      (static_cast<double>(processors) - low.processors) / (after->processors - low.processors);
  return (profile_work(low) + (profile_work(*after) - profile_work(low)) * share) /
         static_cast<double>(processors);
}

std::optional<std::size_t> MoldableProfile::limit() const {
  if (!points.empty()) return points.back().processors;
  if (serial >= 1) return 1;
  return std::nullopt;
}

std::string profile_fault(const MoldableProfile& profile, Time work) {
  if (!(profile.serial >= 0 && profile.serial <= 1))
    return fmt::format("its serial part is {}: expected a number from 0 to 1", profile.serial);
  if (profile.points.empty()) return {};
  if (profile.points.front().processors != 1)
    return fmt::format("its times begin with {} processors: expected 1", profile.points.front().processors);
  if (profile.points.front().time != work)
    return fmt::format("its time on 1 processor is {}, but its work {}", profile.points.front().time.count(),
                       work.count());
  for (std::size_t i = 0; i < profile.points.size(); ++i) {
    const ProfilePoint& point = profile.points[i];
    if (point.time < Time{0})
      return fmt::format("it takes {} on {} processors", point.time.count(), point.processors);
    if (i == 0) continue;
    const ProfilePoint& before = profile.points[i - 1];
    if (point.processors <= before.processors)
      return fmt::format("its time on {} processors follows that on {}: expected ascending numbers",
                         point.processors, before.processors);
    if (point.time > before.time)
      return fmt::format(
          "its time rises from {} on {} processors to {} on {}: expected times that do not rise, or 'hull: "
          "true' for the monotone hull of measured ones",
          before.time.count(), before.processors, point.time.count(), point.processors);
    if (work_falls(before, point))
      return fmt::format(
          "its work falls from {} x {} on {} processors to {} x {} on {}: expected time x processors not to "
          "fall, or 'hull: true' for the monotone hull of measured times",
          before.processors, before.time.count(), before.processors, point.processors, point.time.count(),
          point.processors);
  }
  return {};
}

std::vector<ProfilePoint> monotone_hull(std::vector<ProfilePoint> points) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ProfilePoint& before = points[i - 1];
    ProfilePoint& point = points[i];
    point.time = std::min(point.time, before.time);
    if (profile_work(point) >= profile_work(before)) continue;
    const auto processors = static_cast<Time::rep>(point.processors);
    const auto fewer = static_cast<Time::rep>(before.processors), time = before.time.count();
    // time * fewer / processors, rounded up, without a product that might overflow.
    point.time = Time(time / processors * fewer + (time % processors * fewer + processors - 1) / processors);
  }
  return points;
}

}  // namespace takt
