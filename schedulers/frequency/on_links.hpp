#pragma once
/// Frequency schedules for machines whose messages share links.
///
/// The schedulers of this family consider the cost of messages for the processors, not contention on links.
/// On a machine with a network their messages take the shortest path through it, as in all families, and the
/// operations keep their order; on an overloaded link the period increases. A proof of optimality remains
/// valid only if the period does not: bounds of the processors' time hold on links, too.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// Returns the schedule with its messages on the links of the machine's network, timed for the smallest
/// period; the schedule itself without a network. O(m D + R n log T) for m messages over D links each, see
/// logp/period.hpp.
[[nodiscard]] Schedule on_links(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule);

/// On a network, unless `options.mapping` is none: returns all tasks on the fastest processor if that has a
/// smaller period, under the schedule's name and bound; otherwise the schedule itself. So no schedule of the
/// family is slower than one processor, as no short one is longer (placement/indirect.hpp).
[[nodiscard]] Schedule no_slower_than_one(const TaskGraph& graph, const logp::Machine& machine,
                                          Schedule schedule, const Options& options);

/// Returns a scheduler's schedule on links, no slower than one processor.
template <auto scheduler>
[[nodiscard]] Schedule on_links(const TaskGraph& graph, const logp::Machine& machine,
                                const Options& options) {
  return no_slower_than_one(graph, machine, on_links(graph, machine, scheduler(graph, machine, options)),
                            options);
}

/// optfo; with a network, the best on links of optfo, its starts, all other schedulers that are fast enough
/// for the graph and, in graphs of up to a thousand tasks, optfo for fewer processors, none of them
/// pipelined; then pipelined schedules with their messages on the links.
[[nodiscard]] Schedule optfo_on_links(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options, const FrequencyStarts& starts);

/// exact_fo; with a network, where its proof does not cover links, the result of optfo_on_links() if that has
/// a smaller period.
[[nodiscard]] Schedule exact_fo_on_links(const TaskGraph& graph, const logp::Machine& machine,
                                         const Options& options, const FrequencyStarts& starts);

}  // namespace takt::schedulers
