#include "pipeline/frontend/communication/insertion.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "pipeline/frontend/reading/dependences.hpp"

namespace takt::frontend {

namespace {

/// A flow to one rank, with its place at both ends: before or after the call at a position of the rank.
struct Single {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  FlowId flow;
  std::size_t send_position = 0;
  std::size_t receive_position = 0;
  /// Rank of the receive among those in front of one call.
  std::size_t receive_place = 0;
};

class Insertion {
 public:
  Insertion(const Program& program, const Assignment& assignment)
      : program_(program), assignment_(assignment), rank_of_(assignment.rank_of_call(program)) {
    position_of_.resize(program.calls.size());
    for (const std::vector<CallId>& calls : assignment.ranks)
      for (std::size_t i = 0; i < calls.size(); ++i) position_of_[calls[i].index()] = i;
    has_updates_ = std::ranges::any_of(program.procedures, [](const Procedure& procedure) {
      return std::ranges::any_of(procedure.parameters, [](const Parameter& parameter) {
        return parameter.is_pointer && parameter.access == Access::inout;
      });
    });
  }

  ParallelProgram run(const InsertionOptions& options) {
    find_singles();
    place_receives();
    for (auto& [pair, numbers] : by_pair()) order_pair(numbers);
    return assemble(options);
  }

 private:
  /// One transfer for each flow and rank, at the earliest reader.
  void find_singles() {
    for (const FlowId id : ids<FlowId>(program_.flows.size())) {
      const Flow& flow = program_.flows[id.index()];
      const std::uint32_t from = rank_of_[flow.from.index()];
      std::map<std::uint32_t, std::size_t> earliest;
      for (const CallId reader : flow.to) {
        const std::uint32_t to = rank_of_[reader.index()];
        if (to == from) continue;
        const std::size_t position = position_of_[reader.index()];
        const auto [found, is_new] = earliest.try_emplace(to, position);
        if (!is_new) found->second = std::min(found->second, position);
      }
      for (const auto& [to, position] : earliest)
        singles_.push_back({from, to, id, position_of_[flow.from.index()], position});
    }
  }

  /// In front of one call: by sender, then in the order in which the call's arguments read.
  void place_receives() {
    std::vector<std::size_t> order(singles_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const auto key = [&](const Single& each) {
        return std::tuple(each.to, each.receive_position, each.from, argument_of(each));
      };
      return key(singles_[a]) < key(singles_[b]);
    });
    for (std::size_t i = 0; i < order.size(); ++i) singles_[order[i]].receive_place = i;
  }

  /// Returns the first argument of the receiving call that reads the flow.
  [[nodiscard]] std::size_t argument_of(const Single& single) const {
    const CallId reader = assignment_.ranks[single.to][single.receive_position];
    const std::vector<Argument>& arguments = program_.calls[reader.index()].arguments;
    const Section& first = program_.flows[single.flow.index()].sections.front();
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].section && overlap(*arguments[i].section, first)) return i;
    return arguments.size();
  }

  [[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> by_pair() const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::size_t>> pairs;
    for (std::size_t i = 0; i < singles_.size(); ++i) pairs[{singles_[i].from, singles_[i].to}].push_back(i);
    return pairs;
  }

  /// Orders the sends of one pair of ranks, then moves its receives up to their order.
  void order_pair(std::vector<std::size_t>& numbers) {
    std::ranges::sort(numbers, [&](std::size_t a, std::size_t b) {
      const Single &x = singles_[a], &y = singles_[b];
      return std::tuple(x.send_position, x.receive_position, x.receive_place) <
             std::tuple(y.send_position, y.receive_position, y.receive_place);
    });
    send_orders_.push_back(numbers);
    for (std::size_t i = numbers.size(); i-- > 1;) {
      const Single& next = singles_[numbers[i]];
      Single& single = singles_[numbers[i - 1]];
      if (single.receive_position < next.receive_position) continue;
      if (single.receive_position > next.receive_position) {
        if (!may_move(single, next.receive_position)) continue;
        single.receive_position = next.receive_position;
      }
      // In front of one call, the sender's order decides among its receives.
    }
  }

  /// Reports whether no call between uses the bytes of the flow, which may be an older version.
  [[nodiscard]] bool may_move(const Single& single, std::size_t up_to) const {
    if (!has_updates_) return true;
    for (std::size_t i = up_to; i < single.receive_position; ++i)
      for (const Argument& argument : program_.calls[assignment_.ranks[single.to][i].index()].arguments)
        if (argument.section)
          for (const Section& section : program_.flows[single.flow.index()].sections)
            if (overlap(*argument.section, section)) return false;
    return true;
  }

  ParallelProgram assemble(const InsertionOptions& options) {
    ParallelProgram result{.assignment = assignment_};
    // Rank and position of the call that each transfer follows or precedes, and the order there.
    using Place = std::pair<std::uint32_t, std::size_t>;
    std::map<Place, std::vector<std::uint32_t>> sends, receives;
    for (const std::vector<std::size_t>& order : send_orders_) {
      const Single* last = nullptr;
      for (const std::size_t number : order) {
        const Single& single = singles_[number];
        const bool joins = options.packs && last != nullptr && last->send_position == single.send_position &&
                           last->receive_position == single.receive_position;
        if (joins) {
          result.transfers.back().flows.push_back(single.flow);
        } else {
          const auto index = static_cast<std::uint32_t>(result.transfers.size());
          result.transfers.push_back({single.from, single.to, {single.flow}});
          sends[{single.from, single.send_position}].push_back(index);
          receives[{single.to, single.receive_position}].push_back(index);
        }
        last = &single;
      }
    }
    result.ranks.resize(assignment_.ranks.size());
    for (std::uint32_t rank = 0; rank < result.ranks.size(); ++rank)
      for (std::size_t i = 0; i < assignment_.ranks[rank].size(); ++i) {
        const auto add = [&](RankStep::Kind kind, std::uint32_t subject) {
          result.ranks[rank].push_back({kind, subject});
        };
        if (const auto found = receives.find({rank, i}); found != receives.end())
          for (const std::uint32_t each : found->second) add(RankStep::Kind::receive, each);
        add(RankStep::Kind::call, static_cast<std::uint32_t>(assignment_.ranks[rank][i].index()));
        if (const auto found = sends.find({rank, i}); found != sends.end())
          for (const std::uint32_t each : found->second) add(RankStep::Kind::send, each);
      }
    return result;
  }

  const Program& program_;
  const Assignment& assignment_;
  std::vector<std::uint32_t> rank_of_;
  std::vector<std::size_t> position_of_;
  bool has_updates_ = false;
  std::vector<Single> singles_;
  /// For each pair of ranks, in ascending order of sender and receiver.
  std::vector<std::vector<std::size_t>> send_orders_;
};

}  // namespace

ParallelProgram insert_communication(const Program& program, Assignment assignment,
                                     const InsertionOptions& options) {
  return Insertion(program, assignment).run(options);
}

std::vector<std::string> usual_rank_names(std::size_t ranks) {
  std::vector<std::string> names;
  for (std::size_t rank = 0; rank < ranks; ++rank) names.push_back(fmt::format("P{}", rank));
  return names;
}

std::string listing(const Program& program, const ParallelProgram& parallel,
                    const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t rank = 0; rank < parallel.ranks.size(); ++rank) {
    text += fmt::format("/* For {} */\n", names[rank]);
    for (const RankStep& step : parallel.ranks[rank]) {
      if (step.kind == RankStep::Kind::call) {
        text += program.text_of(CallId(step.subject)) + ";\n";
        continue;
      }
      const Transfer& transfer = parallel.transfers[step.subject];
      const bool sends = step.kind == RankStep::Kind::send;
      text += fmt::format("{}({}", sends ? "send" : "receive", names[sends ? transfer.to : transfer.from]);
      for (const FlowId flow : transfer.flows) text += ", " + program.flows[flow.index()].text;
      text += ");\n";
    }
  }
  return text;
}

}  // namespace takt::frontend
