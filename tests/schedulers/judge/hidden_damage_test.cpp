/// Does the checker name the violated rule for damage that shows only in the order of operations of length 0,
/// on links, in copies of messages, under speeds, or among several instances?

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/judge/damage.hpp"

namespace takt::schedulers {
namespace {

/// Damage that violates one of these rules, and perhaps others.
struct RuledDamage {
  std::string_view name;
  std::vector<std::string_view> rules;
  bool (*inflict)(Patient&);
};

bool carries(const Patient& s, const Operation& operation, const Operation& consumer) {
  const auto payload = s.schedule.payload(operation.message());
  if (consumer.kind == send) {
    const auto wanted = s.schedule.payload(consumer.message());
    return std::ranges::any_of(
        wanted, [&](DatumId datum) { return std::ranges::find(payload, datum) != payload.end(); });
  }
  return consumer.kind == compute && std::ranges::any_of(s.graph.in_edges(consumer.task()), [&](EdgeId edge) {
           return std::ranges::find(payload, s.graph.edge(edge).datum) != payload.end();
         });
}

bool takes_no_time(const Operation& operation) {
  return operation.start == operation.end;
}

/// A position in the list of all hops whose message satisfies a condition.
template <class Condition>
std::optional<std::size_t> find_hop(Patient& s, Condition condition) {
  std::vector<std::size_t> found;
  for (MessageId id : ids<MessageId>(s.schedule.messages.size())) {
    const Message& message = s.schedule.message(id);
    for (std::uint32_t i = 0; i < message.hop_count; ++i)
      if (condition(message, i)) found.push_back(message.first_hop + i);
  }
  if (found.empty()) return std::nullopt;
  return found[s.random() % found.size()];
}

std::optional<std::size_t> find_hop(Patient& s) {
  return find_hop(s, [](const Message&, std::uint32_t) { return true; });
}

const std::vector<RuledDamage> damages{
    {"all begins before time 0",
     {"start"},
     [](Patient& s) {
       const auto first = s.find(compute);
       if (!first) return false;
       const Time by = s.list(*first).front().start + tick;
       for (auto& list : s.schedule.processors)
         for (Operation& operation : list) shift(operation, -by);
       for (Hop& hop : s.schedule.hops) hop = {hop.link, hop.start - by, hop.end - by};
       return true;
     }},
    {"a message is sent again under a number of its own",
     {"matching"},
     [](Patient& s) {
       return on(s.find(send), [&](auto at) {
         const MessageId original = s.at(at).message();
         const std::vector<DatumId> payload(s.schedule.payload(original).begin(),
                                            s.schedule.payload(original).end());
         const Message message = s.message(at);
         const MessageId again = s.schedule.add_message(message.from, message.to, message.size, payload);
         const Time end = s.list(at).back().end + Time{1000};
         s.schedule.add_send(message.from, again, end, end + (s.at(at).end - s.at(at).start),
                             s.at(at).instance);
       });
     }},
    {"an operation is of the other kind",
     {"matching"},
     [](Patient& s) { return on(s.find(send), [&](auto at) { s.at(at).kind = receive; }); }},
    {"a message goes the other way",
     {"matching"},
     [](Patient& s) {
       return on(s.find(send), [&](auto at) { std::swap(s.message(at).from, s.message(at).to); });
     }},
    {"two processors trade their lists",
     {"matching"},
     [](Patient& s) {
       return on(s.find(send), [&](auto at) {
         std::swap(s.list(at), s.schedule.processors[(at.processor + 1) % s.schedule.processors.size()]);
       });
     }},
    {"a processor lags behind what it was to send",
     {"latency", "route"},
     [](Patient& s) {
       return on(s.find(send), [&](auto at) {
         for (Operation& operation : s.list(at)) shift(operation, Time{1'000'000});
       });
     }},
    {"a relay sends before it has received",
     {"data"},
     [](Patient& s) {
       const auto relay = s.find([&](auto at) {
         return s.at(at).kind == send && std::any_of(s.list(at).begin(), s.list(at).end(), [&](auto& other) {
                  return other.kind == receive && carries(s, other, s.at(at));
                });
       });
       return on(relay, [&](auto at) {
         // At the very beginning, with room for it.
         for (auto& list : s.schedule.processors)
           for (Operation& operation : list) shift(operation, Time{1'000'000});
         Operation early = s.at(at);
         shift(early, Time{1000} - early.start);
         s.erase(at);
         s.list(at).insert(s.list(at).begin(), early);
       });
     }},
    {"what takes no time stands before the receive that it needs",
     {"edge", "data"},
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == receive && at.index + 1 < s.list(at).size() && takes_no_time(s.at(at)) &&
                takes_no_time(s.list(at)[at.index + 1]) && s.at(at).start == s.list(at)[at.index + 1].start &&
                carries(s, s.at(at), s.list(at)[at.index + 1]);
       }),
                 [&](auto at) { std::swap(s.at(at), s.list(at)[at.index + 1]); });
     }},
    {"what takes no time stands before the task whose result it sends",
     {"data"},
     [](Patient& s) {
       return on(s.find([&](auto at) {
         if (s.at(at).kind != send || at.index == 0) return false;
         const Operation& before = s.list(at)[at.index - 1];
         const auto payload = s.schedule.payload(s.at(at).message());
         return before.kind == compute && takes_no_time(before) && takes_no_time(s.at(at)) &&
                before.start == s.at(at).start && std::ranges::any_of(payload, [&](DatumId datum) {
                  return s.graph.datum_task(datum) == before.task();
                });
       }),
                 [&](auto at) { std::swap(s.at(at), s.list(at)[at.index - 1]); });
     }},
    {"an operation ends before it starts",
     {"duration"},
     [](Patient& s) { return on(s.find(compute), [&](auto at) { s.at(at).end = s.at(at).start - tick; }); }},
    {"a task takes its time on a processor of speed 1",
     {"duration"},
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == compute &&
                s.graph.task(s.at(at).task()).work != s.at(at).end - s.at(at).start;
       }),
                 [&](auto at) { s.at(at).end = s.at(at).start + s.graph.task(s.at(at).task()).work; });
     }},
    {"a task is also done on another processor",
     {"task-once"},
     [](Patient& s) {
       return on(s.find(compute), [&](auto at) {
         auto& other = s.schedule.processors[(at.processor + 1) % s.schedule.processors.size()];
         Operation again = s.at(at);
         shift(again, (other.empty() ? Time{0} : other.back().end) - again.start);
         other.push_back(again);
       });
     }},
    {"a message carries its neighbour's data",
     {"data", "edge", "size"},
     [](Patient& s) {
       const auto found = s.find([&](auto at) {
         return s.at(at).kind == send && s.message(at).datum_count > 0 &&
                s.message(at).first_datum + s.message(at).datum_count < s.schedule.data.size() &&
                // Its lost data is needed, and is in no other message.
                std::ranges::count(s.schedule.data, s.schedule.data[s.message(at).first_datum]) == 1;
       });
       return on(found, [&](auto at) { ++s.message(at).first_datum; });
     }},
    {"the makespan is shorter than its own bound",
     {"bound"},
     [](Patient& s) {
       s.schedule.makespan_bound = measure(s.schedule).makespan + tick;
       return true;
     }},
    {"the schedule announces more instances than there is memory for",
     {"reference"},
     [](Patient& s) {
       s.schedule.replicas = 4'000'000'000;
       return true;
     }},
    {"a message passes its first link a tick early",
     {"route"},
     [](Patient& s) {
       const auto hop = find_hop(s, [&](const Message& message, std::uint32_t i) {
         const auto sent =
             s.find([&](auto at) { return s.at(at).kind == send && &s.message(at) == &message; });
         return i == 0 && s.schedule.hops[message.first_hop].start == s.at(*sent).end;
       });
       if (!hop) return false;
       s.schedule.hops[*hop].start -= tick;
       s.schedule.hops[*hop].end -= tick;
       return true;
     }},
    {"a message passes a link faster than that is",
     {"route"},
     [](Patient& s) {
       const auto hop = find_hop(s);
       if (hop) s.schedule.hops[*hop].end -= tick;
       return hop.has_value();
     }},
    {"a message passes a link that leads elsewhere",
     {"route"},
     [](Patient& s) {
       const auto hop = find_hop(s);
       if (!hop) return false;
       const auto& links = s.machine.platform().network.links;
       LinkId& link = s.schedule.hops[*hop].link;
       const NodeId from = links[link.index()].from, to = links[link.index()].to;
       do link = LinkId((link.index() + 1) % links.size());
       while (links[link.index()].from == from && links[link.index()].to == to);
       return true;
     }},
    {"a message passes a link that there is not",
     {"route"},
     [](Patient& s) {
       const auto hop = find_hop(s);
       if (hop) s.schedule.hops[*hop].link = LinkId(s.machine.platform().network.links.size());
       return hop.has_value();
     }},
    {"a message stops before its last link",
     {"route"},
     [](Patient& s) {
       const auto found =
           s.find([&](auto at) { return s.at(at).kind == send && s.message(at).hop_count > 1; });
       return on(found, [&](auto at) { --s.message(at).hop_count; });
     }},
    {"a message is received on its last link",
     {"latency"},
     [](Patient& s) {
       const auto found = s.find([&](auto at) {
         return s.at(at).kind == receive && s.message(at).hop_count > 0 &&
                s.at(at).start == s.schedule.route(s.at(at).message()).back().end;
       });
       return on(found, [&](auto at) { shift(s.at(at), -tick); });
     }},
    {"two messages meet on a link",
     {"link"},
     [](Patient& s) {
       const auto later = find_hop(s, [&](const Message&, std::uint32_t) { return true; });
       if (!later) return false;
       Hop& one = s.schedule.hops[*later];
       for (Hop& other : s.schedule.hops) {
         if (&other == &one || other.link != one.link || one.start == one.end || other.start == other.end)
           continue;
         one = {one.link, other.start, other.start + (one.end - one.start)};
         return true;
       }
       return false;
     }},
    {"a message has lost its whole route",
     {"route"},
     [](Patient& s) {
       const auto is_routed = [](const Message& message) { return message.hop_count > 0; };
       if (std::ranges::count_if(s.schedule.messages, is_routed) < 2) return false;
       return on(s.find([&](auto at) { return s.at(at).kind == send && is_routed(s.message(at)); }),
                 [&](auto at) { s.message(at).hop_count = 0; });
     }},
    {"a message passes its last link after it is received",
     {"latency"},
     [](Patient& s) {
       const auto last = find_hop(
           s, [](const Message& message, std::uint32_t hop) { return hop + 1 == message.hop_count; });
       if (!last) return false;
       Hop& hop = s.schedule.hops[*last];
       hop = {hop.link, hop.start + Time{1000}, hop.end + Time{1000}};
       return true;
     }},
    {"the schedule repeats as soon as its processors can, which is too soon for its messages",
     {"send-gap", "receive-gap", "capacity", "link"},
     [](Patient& s) {
       const Time before = measure(s.schedule).repetition;
       s.schedule.least_repetition = Time{0};
       return measure(s.schedule).repetition < before;
     }},
    {"a message takes links where there are none",
     {"route", "reference"},
     [](Patient& s) {
       const auto found =
           s.find([&](auto at) { return s.at(at).kind == send && s.machine.platform().network.empty(); });
       return on(found, [&](auto at) {
         const Hop hop{LinkId(0), s.at(at).end, s.at(at).end + tick};
         s.schedule.set_route(s.at(at).message(), std::span(&hop, 1));
       });
     }},
    {"a send is of another instance than its receive",
     {"matching"},
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == send && s.schedule.replicas > 1; }),
                 [&](auto at) { s.at(at).set_instance((s.at(at).instance + 1) % s.schedule.replicas); });
     }},
    {"two instances of a task become one",
     {"task-once"},
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == compute && s.schedule.replicas > 1; }),
                 [&](auto at) { s.at(at).set_instance((s.at(at).instance + 1) % s.schedule.replicas); });
     }},
    {"tasks of two instances that depend on each other's trade places",
     {"edge", "data"},
     [](Patient& s) {
       // The last one needs the first one: with the labels of two instances on different processors.
       const auto consumer = s.find([&](auto at) {
         return s.at(at).kind == compute && s.schedule.replicas > 1 &&
                !s.graph.in_edges(s.at(at).task()).empty();
       });
       if (!consumer) return false;
       const auto other = s.find([&](auto at) {
         return s.at(at).kind == compute && s.at(at).subject == s.at(*consumer).subject &&
                s.at(at).instance != s.at(*consumer).instance && at.processor != consumer->processor;
       });
       return on(other, [&](auto at) {
         const std::uint32_t instance = s.at(at).instance;
         s.at(at).set_instance(s.at(*consumer).instance);
         s.at(*consumer).set_instance(instance);
       });
     }},
};

/// The schedule twice, in parallel: the second copy on processors of its own.
Schedule doubled(const Schedule& schedule) {
  const std::size_t count = schedule.processors.size();
  Schedule result(schedule.scheduler, 2 * count);
  result.replicas = 2 * schedule.replicas;
  for (std::uint32_t copy = 0; copy < 2; ++copy) {
    auto moved = [&](ProcessorId p) { return ProcessorId(p.index() + copy * count); };
    const auto first = static_cast<std::uint32_t>(result.messages.size());
    for (MessageId id : ids<MessageId>(schedule.messages.size())) {
      const Message& message = schedule.message(id);
      result.add_message(moved(message.from), moved(message.to), message.size, schedule.payload(id));
    }
    for (std::size_t p = 0; p < count; ++p)
      for (Operation operation : schedule.processors[p]) {
        operation.set_instance(operation.instance + copy * schedule.replicas);
        if (operation.kind != compute) operation.subject += first;
        result.add(moved(ProcessorId(p)), operation);
      }
  }
  return result;
}

struct Setting {
  std::string_view shape;
  std::string_view machine;
  /// For two parallel copies of every schedule: the machine with twice the processors.
  std::string_view machine_of_two = {};
};

constexpr Setting settings[] = {
    {"send_tree:depth=3,cost=1..20,seed=1,data=3", "logp:P=3,L=1,o=1,g=2"},
    {"fft:depth=3,cost=1..100,seed=2,data=10", "loglinear:P=4,L=5+1,o=1+1,g=3+2,speed=1/2/0.5/3"},
    {"layered:tasks=40,jump=3,cost=0..2,seed=4,data=1..9", "delay:P=3"},
    {"layered:tasks=40,jump=3,cost=0..2,seed=5,data=1..9", "logp:P=4"},
    {"layered:tasks=40,jump=3,cost=1..30,seed=6,data=1..9", "logp:P=5,o=1,network=ring:5,link=3+1"},
    {"fft:depth=2,cost=1..9,seed=7,data=2", "logp:P=6,L=1,o=1,g=1,network=mesh:2x3,link=0+2"},
    // Gaps, the capacity, or links make the period longer than the processors' occupancies.
    {"layered:tasks=12,jump=3,cost=0..2,seed=4,data=1..9", "logp:P=4,L=2,o=0,g=5"},
    {"layered:tasks=12,jump=3,cost=0..2,seed=4,data=1..9", "logp:P=4,L=1,o=1,g=1,network=ring:4,link=3+1"},
    {"diamond:depth=4,cost=1..9,seed=3,stateless=1", "logp:P=3,L=4,o=1,g=2", "logp:P=6,L=4,o=1,g=2"},
};

TEST(HiddenDamage, is_found_by_its_rule) {
  std::mt19937_64 random(11);
  std::vector<int> inflicted(damages.size(), 0);
  for (const Setting& setting : settings)
    for (const Scheduler& scheduler : all_schedulers()) {
      const TaskGraph graph = generate(setting.shape);
      logp::Machine machine = logp::parse_machine(setting.machine);
      Schedule valid = scheduler.schedule(graph, machine, {.effort = 300});
      if (!setting.machine_of_two.empty()) {
        valid = doubled(valid);
        machine = logp::parse_machine(setting.machine_of_two);
      }
      SCOPED_TRACE(fmt::format("{} on {} under {}", scheduler.name, setting.shape, setting.machine));
      const auto before = logp::diagnose(graph, machine, valid);
      ASSERT_TRUE(before.empty()) << before.front().message;
      for (std::size_t kind = 0; kind < damages.size(); ++kind)
        for (int time = 0; time < 5; ++time) {
          Patient patient{graph, machine, valid, random};
          if (!damages[kind].inflict(patient)) break;
          ++inflicted[kind];
          const auto findings = logp::diagnose(graph, machine, patient.schedule);
          EXPECT_TRUE(std::ranges::any_of(findings,
                                          [&](const logp::Finding& finding) {
                                            return std::ranges::find(damages[kind].rules, finding.rule) !=
                                                   damages[kind].rules.end();
                                          }))
              << damages[kind].name
              << (findings.empty() ? ": nothing"
                                   : ": " + findings.front().rule + ' ' + findings.front().message);
        }
    }
  for (std::size_t kind = 0; kind < damages.size(); ++kind)
    EXPECT_GE(inflicted[kind], 5) << damages[kind].name;
}

}  // namespace
}  // namespace takt::schedulers
