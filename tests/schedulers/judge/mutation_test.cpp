/// Does the checker find every kind of small damage in otherwise valid schedules of every scheduler?

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/graphs/generators.hpp"
#include "logp/diagnostics.hpp"
#include "logp/machine_yaml.hpp"
#include "schedulers/registry/registry.hpp"
#include "tests/schedulers/judge/damage.hpp"
#include "tests/schedulers/registry/pair_machines.hpp"

namespace takt::schedulers {
namespace judge_mutation_test {

const std::vector<Damage> damages{
    {"a task is dropped", [](Patient& s) { return on(s.find(compute), [&](auto at) { s.erase(at); }); }},
    {"a task runs twice",
     [](Patient& s) {
       return on(s.find(compute), [&](auto at) {
         Operation again = s.at(at);
         shift(again, s.list(at).back().end - again.start);
         s.list(at).push_back(again);
       });
     }},
    {"a task is cut short by a tick",
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == compute && s.at(at).end > s.at(at).start; }),
                 [&](auto at) { s.at(at).end -= tick; });
     }},
    {"a task takes a tick longer",
     [](Patient& s) { return on(s.find(compute), [&](auto at) { s.at(at).end += tick; }); }},
    {"a task begins a tick early, before what precedes it has ended",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == compute && at.index > 0 && s.at(at).start == s.list(at)[at.index - 1].end;
       }),
                 [&](auto at) { shift(s.at(at), -tick); });
     }},
    {"a task moves to another processor",
     [](Patient& s) {
       return on(
           s.find([&](auto at) {
             return s.at(at).kind == compute && s.machine.processor_count() > 1 &&
                    !s.graph.in_edges(s.at(at).task()).empty();
           }),
           [&](auto at) {
             const Operation moved = s.at(at);
             s.erase(at);
             // At the very beginning of a processor that has none of its inputs.
             auto& target = s.schedule.processors[(at.processor + 1) % s.machine.processor_count()];
             const Time start = target.empty() ? Time{0} : target.front().start;
             const Time length = moved.end - moved.start;
             target.insert(target.begin(), {compute, moved.instance, moved.subject, start - length, start});
           });
     }},
    {"two tasks of different lengths change places",
     [](Patient& s) {
       const auto one = s.find(compute);
       if (!one) return false;
       const auto other = s.find([&](auto at) {
         return at.processor == one->processor && s.at(at).kind == compute &&
                s.at(at).end - s.at(at).start != s.at(*one).end - s.at(*one).start;
       });
       return on(other, [&](auto at) { std::swap(s.at(at).subject, s.at(*one).subject); });
     }},
    {"a task runs before its predecessor on the processor",
     [](Patient& s) {
       const auto one = s.find([&](auto at) {
         if (s.at(at).kind != compute || at.index == 0 || s.list(at)[at.index - 1].kind != compute)
           return false;
         for (EdgeId edge : s.graph.in_edges(s.at(at).task()))
           if (s.graph.edge(edge).from == s.list(at)[at.index - 1].task() && s.at(at).end > s.at(at).start)
             return true;
         return false;
       });
       return on(one, [&](auto at) {
         Operation &first = s.list(at)[at.index - 1], &second = s.at(at);
         const Time start = first.start, length = second.end - second.start;
         shift(second, start - second.start);
         shift(first, start + length - first.start);
         std::swap(first, second);
       });
     }},
    {"a receive moves a tick early",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == receive && s.at(at).start == s.arrival(s.other_end(at));
       }),
                 [&](auto at) { shift(s.at(at), -tick); });
     }},
    {"a send moves a tick late",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == send && s.at(s.other_end(at)).start == s.arrival(at);
       }),
                 [&](auto at) { shift(s.at(at), tick); });
     }},
    {"a send begins a tick before its data is there",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         return s.at(at).kind == send && at.index > 0 && s.list(at)[at.index - 1].kind == compute &&
                s.at(at).start == s.list(at)[at.index - 1].end;
       }),
                 [&](auto at) { shift(s.at(at), -tick); });
     }},
    {"two sends are pushed together",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         const auto first = s.before(at);
         return s.at(at).kind == send && first && s.at(*first).end < s.at(at).start &&
                s.machine.send_gap(s.message(*first).from, s.message(*first).to, s.message(*first).size) >
                    s.at(*first).end - s.at(*first).start;
       }),
                 [&](auto at) { shift(s.at(at), s.at(*s.before(at)).end - s.at(at).start); });
     }},
    {"two receives are pushed together",
     [](Patient& s) {
       return on(s.find([&](auto at) {
         const auto first = s.before(at);
         return s.at(at).kind == receive && first && s.at(*first).end < s.at(at).start &&
                s.machine.receive_gap(s.message(*first).from, s.message(*first).to, s.message(*first).size) >
                    s.at(*first).end - s.at(*first).start;
       }),
                 [&](auto at) { shift(s.at(at), s.at(*s.before(at)).end - s.at(at).start); });
     }},
    {"a send is dropped", [](Patient& s) { return on(s.find(send), [&](auto at) { s.erase(at); }); }},
    {"a receive is dropped", [](Patient& s) { return on(s.find(receive), [&](auto at) { s.erase(at); }); }},
    {"a message is cut at both ends",
     [](Patient& s) {
       return on(s.find(send), [&](auto at) {
         s.erase(s.other_end(at));
         s.erase(at);
       });
     }},
    {"a send stands twice",
     [](Patient& s) {
       return on(s.find(send), [&](auto at) {
         Operation again = s.at(at);
         shift(again, s.list(at).back().end - again.start + Time{1000});
         s.list(at).push_back(again);
       });
     }},
    {"a receive stands twice",
     [](Patient& s) {
       return on(s.find(receive), [&](auto at) {
         Operation again = s.at(at);
         shift(again, s.list(at).back().end - again.start + Time{1000});
         s.list(at).push_back(again);
       });
     }},
    {"a send takes no time although o > 0",
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == send && s.at(at).end > s.at(at).start; }),
                 [&](auto at) { s.at(at).end = s.at(at).start; });
     }},
    {"a receive takes a tick longer than o",
     [](Patient& s) { return on(s.find(receive), [&](auto at) { s.at(at).end += tick; }); }},
    {"a message's size is one less than its data",
     [](Patient& s) { return on(s.find(send), [&](auto at) { --s.message(at).size.count; }); }},
    {"a message's size is one more than its data",
     [](Patient& s) { return on(s.find(send), [&](auto at) { ++s.message(at).size.count; }); }},
    {"a message loses a datum, and its size shrinks with it",
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == send && s.message(at).datum_count > 0; }),
                 [&](auto at) {
                   Message& message = s.message(at);
                   Bytes sum;
                   --message.datum_count;
                   for (DatumId datum : s.schedule.payload(s.at(at).message()))
                     sum += s.graph.datum_size(datum);
                   message.size = std::max(sum, Bytes{1});
                 });
     }},
    {"a message carries a datum of a task that has not run yet",
     [](Patient& s) {
       // The last one of all tasks ends after every send.
       const auto last = s.find([&](auto at) { return s.at(at).kind == compute; });
       const auto found = s.find([&](auto at) {
         return s.at(at).kind == send && s.message(at).datum_count > 0 && last &&
                s.at(at).start < s.at(*last).end && !s.graph.out_edges(s.at(*last).task()).empty();
       });
       return on(found, [&](auto at) {
         s.schedule.data[s.message(at).first_datum] =
             s.graph.edge(s.graph.out_edges(s.at(*last).task()).front()).datum;
       });
     }},
    {"a message carries a datum twice",
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == send && s.message(at).datum_count > 1; }),
                 [&](auto at) {
                   s.schedule.data[s.message(at).first_datum] =
                       s.schedule.data[s.message(at).first_datum + 1];
                 });
     }},
    {"a message names another receiver",
     [](Patient& s) {
       return on(s.find([&](auto at) { return s.at(at).kind == send && s.machine.processor_count() > 2; }),
                 [&](auto at) {
                   Message& message = s.message(at);
                   do message.to = ProcessorId((message.to.index() + 1) % s.machine.processor_count());
                   while (message.to == message.from);
                 });
     }},
    {"a message goes to its own sender",
     [](Patient& s) { return on(s.find(send), [&](auto at) { s.message(at).to = s.message(at).from; }); }},
    {"a receive is of another message",
     [](Patient& s) {
       const auto one = s.find(receive);
       if (!one) return false;
       const auto other =
           s.find([&](auto at) { return s.at(at).kind == receive && at.processor != one->processor; });
       return on(other, [&](auto at) { std::swap(s.at(at).subject, s.at(*one).subject); });
     }},
    {"a task begins before a message it needs is received",
     [](Patient& s) {
       const auto wanted = [&](auto at) {
         if (s.at(at).kind != receive || at.index + 1 == s.list(at).size()) return false;
         const Operation& next = s.list(at)[at.index + 1];
         if (next.kind != compute || next.end == next.start) return false;
         const auto payload = s.schedule.payload(s.at(at).message());
         return std::ranges::any_of(s.graph.in_edges(next.task()), [&](EdgeId edge) {
           return std::ranges::find(payload, s.graph.edge(edge).datum) != payload.end();
         });
       };
       return on(s.find(wanted), [&](auto at) {
         Operation &received = s.at(at), &task = s.list(at)[at.index + 1];
         const Time start = received.start, length = task.end - task.start;
         shift(task, start - task.start);
         shift(received, start + length - received.start);
         std::swap(received, task);
       });
     }},
    {"an operation is of an instance that the schedule does not hold",
     [](Patient& s) { return on(s.find(compute), [&](auto at) { s.at(at).set_instance(1); }); }},
    {"an operation is of a task that the graph does not have",
     [](Patient& s) {
       return on(s.find(compute),
                 [&](auto at) { s.at(at).subject = static_cast<std::uint32_t>(s.graph.task_count()); });
     }},
    {"an operation is of a message that does not exist",
     [](Patient& s) {
       return on(s.find(send),
                 [&](auto at) { s.at(at).subject = static_cast<std::uint32_t>(s.schedule.messages.size()); });
     }},
    {"the schedule announces two instances and holds one",
     [](Patient& s) {
       s.schedule.replicas = 2;
       return s.graph.task_count() > 0;
     }},
    {"operations are out of order",
     [](Patient& s) {
       return on(s.find([&](auto at) { return at.index > 0 && s.list(at)[at.index - 1].end < s.at(at).end; }),
                 [&](auto at) { std::swap(s.at(at), s.list(at)[at.index - 1]); });
     }},
    {"a processor begins a tick early, and with it its first receive",
     [](Patient& s) {
       const auto first = s.find([&](auto at) {
         return at.index == 0 && s.at(at).kind == receive && s.at(at).start == s.arrival(s.other_end(at));
       });
       return on(first, [&](auto at) {
         for (Operation& operation : s.list(at)) shift(operation, -tick);
       });
     }},
    {"the schedule claims a bound that it undercuts",
     [](Patient& s) {
       s.schedule.period_bound = {measure(s.schedule).repetition + tick, s.schedule.replicas};
       return true;
     }},
    {"a processor's list is lost",
     [](Patient& s) {
       s.schedule.processors.pop_back();
       return true;
     }},
};

constexpr std::string_view shapes[] = {
    "send_tree:depth=3,cost=1..20,seed=1,data=3", "fft:depth=3,cost=1..100,seed=2,data=10",
    "diamond:depth=4,cost=1..9,seed=3", "layered:tasks=40,jump=3,cost=1..30,seed=4,data=1..9"};

std::vector<logp::Machine> machines() {
  std::vector<logp::Machine> result;
  for (std::string_view text : {"logp:P=3,L=1,o=1,g=2", "loglinear:P=4,L=5+1,o=1+1,g=3+2",
                                "logp:P=3,L=9,o=0,g=4", "logp:P=3", "delay:P=3"})
    result.push_back(logp::parse_machine(text));
  result.push_back(machine_by_levels());
  result.push_back(random_pairs(3, 5));
  return result;
}

TEST(Damage, is_found_for_every_kind_and_scheduler) {
  std::mt19937_64 random(7);
  std::vector<int> inflicted(damages.size(), 0);
  for (std::string_view shape : shapes)
    for (const logp::Machine& machine : machines())
      for (const Scheduler& scheduler : all_schedulers()) {
        const TaskGraph graph = generate(shape);
        const Schedule valid = scheduler.schedule(graph, machine, {.effort = 300});
        ASSERT_TRUE(logp::diagnose(graph, machine, valid).empty()) << scheduler.name << " on " << shape;
        for (std::size_t kind = 0; kind < damages.size(); ++kind)
          for (int time = 0; time < 5; ++time) {
            Patient patient{graph, machine, valid, random};
            if (!damages[kind].inflict(patient)) break;
            ++inflicted[kind];
            EXPECT_FALSE(logp::diagnose(graph, machine, patient.schedule).empty())
                << damages[kind].name << ": " << scheduler.name << " on " << shape << " under\n"
                << to_yaml(machine);
          }
      }
  for (std::size_t kind = 0; kind < damages.size(); ++kind)
    EXPECT_GE(inflicted[kind], 20) << damages[kind].name;
}

}  // namespace judge_mutation_test
}  // namespace takt::schedulers
