#include "core/pictures/folded_times.hpp"

#include "core/offsets.hpp"

namespace takt {

std::vector<FoldedTime> folded_times(Time start, Time end, std::uint32_t instance, std::uint32_t replicas,
                                     std::optional<Time> repetition) {
  if (!repetition) return {{start, end, instance}};
  const std::int64_t offset = offset_of({OperationKind::compute, 0, 0, start, end}, *repetition);
  const std::int64_t frame = std::int64_t{instance} - offset * std::int64_t{replicas};
  const Time from = start - offset * *repetition, to = from + (end - start);
  if (to <= *repetition) return {{from, to, frame}};
  return {{from, *repetition, frame}, {Time{0}, to - *repetition, frame - std::int64_t{replicas}}};
}

}  // namespace takt
