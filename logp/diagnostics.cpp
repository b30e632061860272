#include "logp/diagnostics.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <utility>

#include "core/graphs/task_groups.hpp"
#include "core/system/in_parallel.hpp"
#include "logp/checks.hpp"

namespace takt::logp {

std::vector<Finding> Examination::findings() && {
  std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    return std::tuple(a.processor, a.time) < std::tuple(b.processor, b.time);
  });
  if (found_.size() > options.limit) found_.resize(options.limit);
  std::vector<Finding> result;
  for (Found& found : found_) result.push_back(std::move(found.finding));
  return result;
}

std::size_t Examination::transfer_index(const Operation& operation) const {
  if (has_all_transfers()) return operation.subject;
  const std::vector<Transfer>& transfers = index.transfers;
  const auto wanted = std::tuple(std::uint32_t{operation.instance}, operation.message());
  const auto found = std::ranges::lower_bound(transfers, wanted, std::less{}, [](const Transfer& transfer) {
    return std::tuple(transfer.instance(), transfer.message());
  });
  return static_cast<std::size_t>(found - transfers.begin());
}

std::string Examination::describe(const Operation& operation) const {
  std::string subject;
  if (operation.kind == OperationKind::compute) {
    subject = fmt::format("task '{}'", graph.task(operation.task()).name);
  } else {
    const Message& message = schedule.message(operation.message());
    subject =
        fmt::format("{} of message {} ({} -> {})", operation.kind == OperationKind::send ? "send" : "receive",
                    operation.subject, message.from.index(), message.to.index());
  }
  if (schedule.replicas > 1) subject += fmt::format(" of instance {}", operation.instance);
  return fmt::format("{} at {}..{}", subject, operation.start.count(), operation.end.count());
}

std::string Examination::describe(DatumId datum) const {
  return fmt::format("datum {} of task '{}'", datum.index(), graph.task(graph.datum_task(datum)).name);
}

void Examination::append(Examination&& others) {
  found_.insert(found_.end(), std::make_move_iterator(others.found_.begin()),
                std::make_move_iterator(others.found_.end()));
}

std::vector<Finding> diagnose(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                              const DiagnosticOptions& options) {
  OperationIndex index;
  Examination examination(graph, machine, schedule, options, index);
  check_references(examination);
  if (examination.found_nothing()) {
    Examination messages = examination.without_findings(), gaps = examination.without_findings(),
                state = examination.without_findings(), times = examination.without_findings(),
                rest = examination.without_findings();
    const bool has_groups = runs_in_groups(graph, schedule);
    in_parallel_if(examination.is_long(), {[&] {
                                             if (!has_groups) check_messages(messages);
                                           },
                                           [&] {
                                             if (has_groups) return check_groups(examination);
                                             check_tasks(examination);
                                           },
                                           [&] {
                                             check_gaps(gaps);
                                             check_capacity(gaps);
                                           }});
    in_parallel_if(examination.is_long(), {[&] {
                                             if (has_groups) return;
                                             check_data(state);
                                             check_state(state);
                                           },
                                           [&] {
                                             check_sequence(times);
                                             check_latency(times);
                                           },
                                           [&] {
                                             check_links(rest);
                                             check_devices(rest);
                                             check_bounds(rest);
                                             if (options.repeated) check_repetition(rest);
                                           }});
    for (Examination* other : {&messages, &state, &times, &gaps, &rest})
      examination.append(std::move(*other));
  }
  return std::move(examination).findings();
}

}  // namespace takt::logp
