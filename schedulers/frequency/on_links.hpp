#pragma once
/// Schedules for the frequency on machines whose messages share links.
///
/// The schedulers of this family weigh what messages cost the processors, not who else is on a link. On a
/// machine with a network their messages take the shortest way through it, as in all families, and the
/// operations keep their order; where a link is too busy, the period gets longer. A proof of optimality stays
/// one only where it does not: what bounds the processors' time holds on links, too.

#include "schedulers/scheduler.hpp"

namespace takt::schedulers {

/// The schedule with its messages on the links of the machine's network, at times that repeat with the
/// smallest period; the schedule itself where the machine has none. O(m D + R n log T) for m messages over D
/// links each, see logp/period.hpp.
[[nodiscard]] Schedule on_links(const TaskGraph& graph, const logp::Machine& machine, Schedule schedule);

/// On a network, unless `options.mapping` is none: everything on the processor that does it fastest where
/// that repeats sooner, under the schedule's name and bound; the schedule itself otherwise. So no schedule of
/// the family is slower than one processor, as no short one is longer (placement/indirect.hpp).
[[nodiscard]] Schedule no_slower_than_one(const TaskGraph& graph, const logp::Machine& machine,
                                          Schedule schedule, const Options& options);

/// A scheduler's schedule on links, no slower than one processor.
template <auto scheduler>
[[nodiscard]] Schedule on_links(const TaskGraph& graph, const logp::Machine& machine,
                                const Options& options) {
  return no_slower_than_one(graph, machine, on_links(graph, machine, scheduler(graph, machine, options)),
                            options);
}

/// optfo; with a network, the best on links of what optfo, its starts and all others find that are not too
/// slow for the graph, and, in graphs of up to a thousand tasks, optfo for fewer processors.
[[nodiscard]] Schedule optfo_on_links(const TaskGraph& graph, const logp::Machine& machine,
                                      const Options& options, const FrequencyStarts& starts);

/// exact_fo; with a network, where its proof says nothing of links, what optfo_on_links() finds if that
/// repeats sooner.
[[nodiscard]] Schedule exact_fo_on_links(const TaskGraph& graph, const logp::Machine& machine,
                                         const Options& options, const FrequencyStarts& starts);

}  // namespace takt::schedulers
