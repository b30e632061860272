#include "logp/calibration/performer.hpp"

#include <algorithm>
#include <chrono>

#include <sys/resource.h>

namespace takt::logp {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int data_tag = 16;
constexpr int answer_tag = 17;
/// Messages of a replay have separate tags.
constexpr int replay_tag = 32;

double nanoseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

/// Number of times that this thread has lost its core so far. Voluntary switches count too: a thread that
/// sleeps in a timed loop is not measured.
std::uint64_t switches_so_far() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nivcsw + usage.ru_nvcsw);
}

double time_of_clock() {
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const Clock::time_point start = Clock::now();
    least = std::min(least, nanoseconds_since(start));
  }
  return least;
}

void compute_for(double nanoseconds, Clock::time_point start = Clock::now()) {
  while (nanoseconds_since(start) < nanoseconds) {
  }
}

}  // namespace

/// Both ends of this rank's line to its partner, for the messages and for the empty answers.
struct Performer::Line {
  Line(const EndpointFactory& endpoints, const Command& command, int rank)
      : leads(command.ranks[0] == rank),
        data(endpoints({command.ranks[leads ? 1 : 0], data_tag, command.size.count})),
        answers(endpoints({command.ranks[leads ? 1 : 0], answer_tag})) {}

  void answer() {
    answers->start(0);
    answers->flush();
  }
  void await_answer() { answers->receive(0); }
  /// Returns when both ranks have arrived.
  void meet() {
    if (leads) answer();
    await_answer();
    if (!leads) answer();
  }

  bool leads;
  std::unique_ptr<Endpoint> data;
  std::unique_ptr<Endpoint> answers;
};

Performer::Performer(MPI_Comm communicator, EndpointFactory endpoints, bool fills)
    : endpoints_(std::move(endpoints)), fills_(fills), clock_time_(time_of_clock()) {
  MPI_Comm_rank(communicator, &rank_);
}

Reply Performer::perform(const Command& command) {
  const auto place = static_cast<std::size_t>(std::find(command.ranks.begin(), command.ranks.end(), rank_) -
                                              command.ranks.begin());
  if (command.action == Action::fan_in) return fan_in(command, place);
  if (command.action == Action::replay) return replay(command, place);

  Line line(endpoints_, command, rank_);
  Reply reply;
  for (std::uint64_t i = 0; i < command.lead_in + command.repeats; ++i) {
    // Reads the counters before the ranks synchronise: a rank that loses its core is then late for the
    // synchronisation, and the timed part is unaffected.
    const std::uint64_t before = switches_so_far();
    line.meet();
    Block block;
    switch (command.action) {
      case Action::exchange:
        exchange(line, command, i, block);
        break;
      case Action::ping_pong:
        ping_pong(line, command, i, block);
        break;
      case Action::overheads:
        overheads(line, command, i, block);
        break;
      default:
        burst(line, command, i, block);
        break;
    }
    block.switches = switches_so_far() - before;
    if (i >= command.lead_in) reply.push_back(std::move(block));
  }
  return reply;
}

void Performer::exchange(Line& line, const Command& command, std::uint64_t repeat, Block& block) {
  const std::uint64_t length = command.warm_up + command.count;
  for (std::uint64_t i = 0; i < length; ++i) {
    // Each slot has a round trip of a message before the next slot is used.
    const std::uint64_t turn = repeat * length + i;
    const std::uint64_t slot = turn / 2 % command.slots;
    if ((turn % 2 == 0) == line.leads) {
      if (fills_) line.data->fill(slot);
      const Clock::time_point start = Clock::now();
      line.data->start(slot);
      line.await_answer();
      const double time = nanoseconds_since(start) - clock_time_;
      line.data->flush();
      if (i >= command.warm_up) block.times.push_back(time);
    } else {
      line.data->receive(slot);
      line.answer();
    }
  }
}

void Performer::ping_pong(Line& line, const Command& command, std::uint64_t repeat, Block& block) {
  const std::uint64_t length = command.warm_up + command.count;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t slot = (repeat * length + i) % command.slots;
    if (fills_) line.data->fill(slot);
    const Clock::time_point start = Clock::now();
    if (line.leads) line.data->start(slot);
    line.data->receive(slot);
    if (!line.leads) line.data->start(slot);
    const double time = nanoseconds_since(start) - clock_time_;
    line.data->flush();
    if (line.leads && i >= command.warm_up) block.times.push_back(time);
  }
}

void Performer::overheads(Line& line, const Command& command, std::uint64_t repeat, Block& block) {
  const auto batch = static_cast<double>(command.batch);
  const std::uint64_t length = command.warm_up + command.count;
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t turn = repeat * length + i;
    const std::uint64_t slot = command.batch > 1 ? 0 : turn / 2 % command.slots;
    if ((turn % 2 == 0) == line.leads) {
      for (std::uint64_t k = 0; fills_ && k < command.batch; ++k) line.data->fill(slot + k);
      if (fills_) line.answer();
      const Clock::time_point start = Clock::now();
      for (std::uint64_t k = 0; k < command.batch; ++k) line.data->start(slot + k);
      const double time = nanoseconds_since(start) - clock_time_;
      line.await_answer();
      line.data->flush();
      if (i >= command.warm_up) block.times.push_back(time / batch);
    } else {
      // Otherwise the receiver's time would include work before the message is sent.
      if (fills_) line.await_answer();
      compute_for(static_cast<double>(command.settle));
      const Clock::time_point start = Clock::now();
      for (std::uint64_t k = 0; k < command.batch; ++k) line.data->receive(slot + k);
      const double time = nanoseconds_since(start) - clock_time_;
      line.answer();
      if (i >= command.warm_up) block.other_times.push_back(time / batch);
    }
  }
}

void Performer::burst(Line& line, const Command& command, std::uint64_t repeat, Block& block) {
  // Bursts use all slots in one direction before they come back: the time since the last use of a slot
  // determines its cache.
  const std::uint64_t turns = bursts_one_way(command);
  const auto slot = [&](std::uint64_t i) { return repeat % turns * command.count + i; };
  if ((repeat / turns % 2 == 0) == line.leads) {
    for (std::uint64_t i = 0; fills_ && i < command.count; ++i) line.data->fill(slot(i));
    const Clock::time_point start = Clock::now();
    for (std::uint64_t i = 0; i < command.count; ++i) line.data->send(slot(i));
    line.data->flush();
    line.await_answer();
    block.times.push_back(nanoseconds_since(start) - clock_time_);
  } else {
    for (std::uint64_t i = 0; i < command.count; ++i) line.data->receive(slot(i));
    line.answer();
  }
}

Reply Performer::fan_in(const Command& command, std::size_t place) {
  const bool receives = place == 0;
  std::vector<std::unique_ptr<Endpoint>> data, answers;
  for (std::size_t other = receives ? 1 : 0; other < (receives ? command.ranks.size() : 1); ++other) {
    data.push_back(endpoints_({command.ranks[other], data_tag, command.size.count}));
    answers.push_back(endpoints_({command.ranks[other], answer_tag}));
  }
  Reply reply;
  for (std::uint64_t i = 0; i < command.repeats; ++i) {
    Block block;
    const std::uint64_t before = switches_so_far();
    if (receives) {
      const Clock::time_point start = Clock::now();
      for (auto& answer : answers) answer->start(0);
      for (std::uint64_t message = 0; message < command.count * data.size(); ++message)
        data[message % data.size()]->receive(message);
      block.times.push_back(nanoseconds_since(start) - clock_time_);
      for (auto& answer : answers) answer->flush();
    } else {
      // An empty message from the receiver is the start signal.
      answers.front()->receive(0);
      for (std::uint64_t message = 0; message < command.count; ++message) data.front()->send(message);
      data.front()->flush();
    }
    block.switches = switches_so_far() - before;
    reply.push_back(std::move(block));
  }
  return reply;
}

Reply Performer::replay(const Command& command, std::size_t place) {
  struct Prepared {
    ReplayStep step;
    std::unique_ptr<Endpoint> endpoint;
  };
  std::vector<Prepared> program;
  for (const ReplayStep& step : command.programs[place]) {
    program.push_back({step, nullptr});
    if (step.kind != OperationKind::compute)
      program.back().endpoint =
          endpoints_({command.ranks[step.partner], replay_tag + static_cast<int>(step.message),
                      step.size.count, command.size.count});
  }
  std::vector<std::unique_ptr<Endpoint>> others;
  for (std::size_t other = place == 0 ? 1 : 0; other < (place == 0 ? command.ranks.size() : 1); ++other)
    others.push_back(endpoints_({command.ranks[other], answer_tag}));

  Reply reply;
  for (std::uint64_t i = 0; i < command.repeats; ++i) {
    Block block;
    const std::uint64_t before = switches_so_far();
    // All ranks are ready before the first rank, whose clock counts, starts.
    for (auto& other : others) place == 0 ? other->receive(0) : other->start(0);
    const Clock::time_point start = Clock::now();
    for (auto prepared = program.begin(); prepared != program.end(); ++prepared) {
      const ReplayStep& step = prepared->step;
      if (step.kind == OperationKind::compute) {
        const Clock::time_point begin = Clock::now();
        // A task's time includes writing the next messages.
        for (auto next = std::next(prepared); next != program.end() && next->step.kind == OperationKind::send;
             ++next)
          next->endpoint->fill(next->step.message);
        compute_for(static_cast<double>(step.duration.count()) - clock_time_, begin);
      } else if (step.kind == OperationKind::send) {
        prepared->endpoint->start(step.message);
      } else {
        prepared->endpoint->receive(step.message);
      }
    }
    if (place == 0) block.times.push_back(nanoseconds_since(start) - clock_time_);
    for (Prepared& prepared : program)
      if (prepared.step.kind == OperationKind::send) prepared.endpoint->flush();
    for (auto& other : others) other->flush();
    block.switches = switches_so_far() - before;
    reply.push_back(std::move(block));
  }
  return reply;
}

}  // namespace takt::logp
