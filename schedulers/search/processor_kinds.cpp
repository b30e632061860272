#include "schedulers/search/processor_kinds.hpp"

#include <algorithm>
#include <limits>

namespace takt::schedulers {

namespace {

using Code = ProcessorKinds::Code;

/// Every kind at least doubles the number of codes.
constexpr std::size_t most_kinds = std::numeric_limits<Code>::digits;

bool have_equal_costs(const Workload& workload, ProcessorId from, ProcessorId to, ProcessorId other_from,
                      ProcessorId other_to) {
  const logp::Machine& machine = workload.machine();
  return machine.kind(from, to) == machine.kind(other_from, other_to) ||
         machine.costs(from, to) == machine.costs(other_from, other_to);
}

/// Whether the two are interchangeable with respect to these other processors.
bool are_alike(const Workload& workload, ProcessorId a, ProcessorId b, const auto& others) {
  return workload.class_of(a) == workload.class_of(b) && have_equal_costs(workload, a, b, b, a) &&
         std::ranges::all_of(others, [&](ProcessorId other) {
           return other == a || other == b ||
                  (have_equal_costs(workload, a, other, b, other) &&
                   have_equal_costs(workload, other, a, other, b));
         });
}

}  // namespace

ProcessorKinds::ProcessorKinds(const Workload& workload) {
  const auto processors = workload.machine().processors();
  for (ProcessorId p : processors) {
    const auto same = std::ranges::find_if(members_, [&](const std::vector<ProcessorId>& members) {
      return workload.links_are_equal() ? workload.class_of(p) == workload.class_of(members.front())
                                        : are_alike(workload, p, members.front(), processors);
    });
    if (same != members_.end())
      same->push_back(p);
    else
      members_.push_back({p});
    if (members_.size() > most_kinds) break;
  }
  Code place = 1;
  for (const auto& members : members_) {
    places_.push_back(place);
    fit_a_code_ &= place <= std::numeric_limits<Code>::max() / (members.size() + 1);
    place *= members.size() + 1;
  }
  if (fit_a_code_) find_twins(workload);
}

void ProcessorKinds::find_twins(const Workload& workload) {
  std::vector<ProcessorId> firsts;
  for (const auto& members : members_) firsts.push_back(members.front());
  auto are_twins = [&](std::size_t a, std::size_t b) {
    const auto &one = members_[a], &other = members_[b];
    return one.size() == other.size() && are_alike(workload, one.front(), other.front(), firsts) &&
           (one.size() == 1 || have_equal_costs(workload, one[0], one[1], other[0], other[1]));
  };
  for (std::size_t kind = 0; kind < count(); ++kind) {
    twin_.push_back(kind);
    for (std::size_t before = 0; before < kind; ++before)
      if (are_twins(before, kind)) twin_[kind] = before;
  }
}

std::size_t ProcessorKinds::used(Code code) const {
  std::size_t sum = 0;
  for (std::size_t kind = 0; kind < count(); ++kind) sum += used(code, kind);
  return sum;
}

bool ProcessorKinds::uses_at_most(Code code, Code other) const {
  if (count() == 1) return code <= other;
  for (std::size_t kind = 0; kind < count(); ++kind)
    if (used(code, kind) > used(other, kind)) return false;
  return true;
}

}  // namespace takt::schedulers
