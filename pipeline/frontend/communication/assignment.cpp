#include "pipeline/frontend/communication/assignment.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

#include "core/error.hpp"

namespace takt::frontend {

std::vector<std::uint32_t> Assignment::rank_of_call(const Program& program) const {
  std::vector<std::uint32_t> rank_of(program.calls.size(), 0);
  for (std::uint32_t rank = 0; rank < ranks.size(); ++rank)
    for (const CallId call : ranks[rank]) rank_of[call.index()] = rank;
  return rank_of;
}

std::vector<CallId> global_order(const Program& program, const std::vector<Time>& start) {
  std::vector<std::vector<CallId>> successors(program.calls.size());
  std::vector<std::size_t> missing(program.calls.size(), 0);
  const auto add = [&](CallId before, CallId after) {
    successors[before.index()].push_back(after);
    ++missing[after.index()];
  };
  for (const Flow& flow : program.flows)
    for (const CallId reader : flow.to) add(flow.from, reader);
  for (const Precedence& each : program.precedences) add(each.before, each.after);

  using Entry = std::pair<Time, CallId>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
  for (const CallId call : ids<CallId>(program.calls.size()))
    if (missing[call.index()] == 0) ready.emplace(start[call.index()], call);
  std::vector<CallId> order;
  while (!ready.empty()) {
    const CallId call = ready.top().second;
    ready.pop();
    order.push_back(call);
    for (const CallId next : successors[call.index()])
      if (--missing[next.index()] == 0) ready.emplace(start[next.index()], next);
  }
  return order;
}

Assignment assignment_of(const Program& program, const Schedule& schedule) {
  const std::size_t ranks = schedule.processors.size();
  constexpr Time never{std::numeric_limits<Time::rep>::max()};
  std::vector<std::uint32_t> rank_of(program.calls.size(), 0);
  std::vector<Time> start(program.calls.size(), never);
  for (std::uint32_t processor = 0; processor < ranks; ++processor)
    for (const Operation& operation : schedule.processors[processor]) {
      if (operation.kind != OperationKind::compute || operation.instance != 0) continue;
      // A duplicated task: its first copy.
      if (operation.start >= start[operation.subject]) continue;
      start[operation.subject] = operation.start;
      rank_of[operation.subject] = processor;
    }
  for (const Time time : start)
    if (time == never) throw ConfigError("the schedule lacks a call of the program");
  return assignment_on(program, std::move(rank_of), start, ranks);
}

Assignment assignment_on(const Program& program, std::vector<std::uint32_t> rank_of,
                         const std::vector<Time>& start, std::size_t ranks) {
  std::optional<std::uint32_t> host;
  for (std::size_t call = 0; call < program.calls.size(); ++call) {
    if (!program.procedure(program.calls[call]).uses_environment()) continue;
    if (!host) host = rank_of[call];
    rank_of[call] = *host;
  }
  for (std::uint32_t& rank : rank_of)
    if (host && (rank == 0 || rank == *host)) rank = rank == 0 ? *host : 0;

  Assignment assignment{.ranks = std::vector<std::vector<CallId>>(ranks)};
  for (const CallId call : global_order(program, start))
    assignment.ranks[rank_of[call.index()]].push_back(call);
  return assignment;
}

}  // namespace takt::frontend
