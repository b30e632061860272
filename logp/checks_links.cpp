/// Checks of messages on the links of a network.

#include <algorithm>
#include <tuple>

#include "logp/checks.hpp"

namespace takt::logp {

namespace {

std::string describe(const Hop& hop) {
  return fmt::format("link {} at {}..{}", hop.link.index(), hop.start.count(), hop.end.count());
}

/// Checks the sequence of a message's links.
void check_route(Examination& examination, const Transfer& transfer) {
  const Schedule& schedule = examination.schedule;
  const Platform& platform = examination.machine.platform();
  const Message& message = schedule.message(transfer.message());
  NodeId at(platform.node_of[message.from.index()]);
  const NodeId target(platform.node_of[message.to.index()]);
  Time ready = transfer.send->end;
  // With circuits all links are held together, for the time of the slowest one.
  Time longest{0};
  for (const Hop& hop : schedule.route(transfer.message()))
    if (hop.link.index() < platform.network.links.size())
      longest = std::max(longest, platform.network.link(hop.link).transfer_time(message.size));
  for (const Hop& hop : schedule.route(transfer.message())) {
    if (hop.link.index() >= platform.network.links.size()) {
      examination.report("route", message.from, hop.start, "message {} passes {}: the network has {} links",
                         transfer.message().index(), describe(hop), platform.network.links.size());
      return;
    }
    const Link& link = platform.network.link(hop.link);
    if (link.from != at)
      examination.report("route", message.from, hop.start,
                         "message {} passes {}, which begins at node {}: it is at {}",
                         transfer.message().index(), describe(hop), link.from.index(), at.index());
    if (hop.start < ready)
      examination.report("route", message.from, hop.start, "message {} passes {}: it arrives only at {}",
                         transfer.message().index(), describe(hop), ready.count());
    const bool is_circuit = platform.network.has_circuits;
    const Time length = is_circuit ? longest : link.transfer_time(message.size);
    const Time first = schedule.route(transfer.message()).front().start;
    if (is_circuit && hop.start != first)
      examination.report("route", message.from, hop.start,
                         "message {} passes {}: its circuit begins at {}, on all links together",
                         transfer.message().index(), describe(hop), first.count());
    if (hop.end - hop.start != length)
      examination.report("route", message.from, hop.start, "message {} passes {}: size {} takes {}",
                         transfer.message().index(), describe(hop), message.size.count, length.count());
    at = link.to;
    if (!is_circuit) ready = hop.end;
  }
  if (at != target)
    examination.report("route", message.from, ready,
                       "message {} ends its route at node {}: processor {} is at node {}",
                       transfer.message().index(), at.index(), message.to.index(), target.index());
}

/// On a network, a message between nodes must use links.
void check_absent_route(Examination& examination, const Transfer& transfer) {
  const Platform& platform = examination.machine.platform();
  const Message& message = examination.schedule.message(transfer.message());
  const std::uint32_t from = platform.node_of[message.from.index()],
                      to = platform.node_of[message.to.index()];
  if (from != to)
    examination.report("route", message.from, transfer.send->start,
                       "message {} passes no link from node {} to node {} of the machine's network",
                       transfer.message().index(), from, to);
}

/// A message on a link.
struct CheckedHop {
  LinkId link;
  Time start;
  Time end;
  const Transfer* transfer;
};

/// Returns every message on every link, by link and time.
std::vector<CheckedHop> passages(const Examination& examination) {
  std::vector<CheckedHop> result;
  for (const Transfer& transfer : examination.index.transfers)
    if (transfer.send)
      for (const Hop& hop : examination.schedule.route(transfer.message()))
        if (hop.end > hop.start) result.push_back({hop.link, hop.start, hop.end, &transfer});
  std::sort(result.begin(), result.end(), [](const CheckedHop& a, const CheckedHop& b) {
    return std::tuple(a.link, a.start, a.end) < std::tuple(b.link, b.start, b.end);
  });
  return result;
}

void report_collision(Examination& examination, const CheckedHop& first, const CheckedHop& second,
                      std::string_view when) {
  examination.report("link", examination.schedule.message(second.transfer->message()).from, second.start,
                     "message {} passes link {} at {}..{}{} while message {} does at {}..{}",
                     second.transfer->message().index(), second.link.index(), second.start.count(),
                     second.end.count(), when, first.transfer->message().index(), first.start.count(),
                     first.end.count());
}

}  // namespace

void check_links(Examination& examination) {
  if (examination.machine.platform().network.empty() && examination.schedule.hops.empty()) return;
  for (const Transfer& transfer : examination.index.transfers)
    if (transfer.send && examination.schedule.message(transfer.message()).hop_count > 0)
      check_route(examination, transfer);
    else if (transfer.send)
      check_absent_route(examination, transfer);
  const std::vector<CheckedHop> all = passages(examination);
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i].link == all[i - 1].link && all[i].start < all[i - 1].end)
      report_collision(examination, all[i - 1], all[i], "");
}

void check_links_repeated(Examination& examination, Time repetition) {
  // Folded modulo the period; a transfer across the end counts at both ends.
  std::vector<CheckedHop> folded;
  for (CheckedHop passage : passages(examination)) {
    const Time length = passage.end - passage.start;
    passage.start = (passage.start % repetition + repetition) % repetition;
    passage.end = passage.start + length;
    folded.push_back(passage);
    passage.start += repetition;
    passage.end += repetition;
    folded.push_back(passage);
  }
  std::sort(folded.begin(), folded.end(), [](const CheckedHop& a, const CheckedHop& b) {
    return std::tuple(a.link, a.start, a.end) < std::tuple(b.link, b.start, b.end);
  });
  for (std::size_t i = 1; i < folded.size(); ++i)
    if (folded[i].link == folded[i - 1].link && folded[i].start < folded[i - 1].end)
      report_collision(examination, folded[i - 1], folded[i],
                       fmt::format(" (modulo the repetition time {})", repetition.count()));
}

}  // namespace takt::logp
