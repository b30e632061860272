/// How ranks share a source: by turns, or by claims of whoever is free, with one rank that puts what becomes
/// of the frames into their order.
///
/// A rank that collects works at frames like the others, and when one of its own is done before those that
/// other ranks have claimed earlier, keeps what it has made of it and claims another one. So it waits only
/// where it is far ahead.

#include <algorithm>
#include <limits>
#include <map>

#include "core/copy_out.hpp"
#include "core/system/clock.hpp"
#include "logp/mpi/blocking.hpp"
#include "pipeline/runtime/channels/nodes.hpp"
#include "pipeline/runtime/executor.hpp"

namespace takt::pipeline {

namespace {

/// What passes between a rank and others, where not all of it goes from there to one rank.
enum Passing : int { passes_nothing = -1, only_receives = -2, passes_otherwise = -3 };

/// How frames may be claimed, by what passes between ranks.
struct Claiming {
  bool is_possible = false;
  /// The rank to which all others send; nothing where nothing passes.
  std::optional<int> collector;
};

/// `takes_part`: by rank, 1 where it runs the source.
Claiming claiming_of(const std::vector<int>& passing, const std::vector<int>& takes_part) {
  const auto found = std::ranges::find(passing, only_receives);
  if (found == passing.end())
    return {.is_possible = std::ranges::count(passing, passes_nothing) == std::ssize(passing)};
  const auto collector = static_cast<std::size_t>(found - passing.begin());
  for (std::size_t rank = 0; rank < passing.size(); ++rank) {
    const bool is_idle = passing[rank] == passes_nothing && takes_part[rank] == 0;
    if (rank != collector && passing[rank] != static_cast<int>(collector) && !is_idle) return {};
  }
  return {std::ranges::count(takes_part, 1) > 1, static_cast<int>(collector)};
}

bool is_after_end(const std::byte* message) {
  return reinterpret_cast<const Envelope*>(message)->after_end != 0;
}

/// Whether it is of this frame, which there is.
bool is_next(const std::byte* message, std::uint64_t frame) {
  return !is_after_end(message) && reinterpret_cast<const Envelope*>(message)->frame == frame;
}

}  // namespace

int Executor::passing() const {
  if (program_.sends.empty()) return program_.receives.empty() ? passes_nothing : only_receives;
  if (!program_.receives.empty()) return passes_otherwise;
  const int peer = program_.sends.front().peer;
  const std::size_t source = pipeline_.sources().front();
  for (const ChannelPlan& plan : program_.sends) {
    const bool carries_source = std::ranges::count(plan.parts, source, &ChannelPlan::Part::stage) > 0;
    if (plan.peer != peer || carries_source) return passes_otherwise;
  }
  const bool has_sink = std::ranges::any_of(program_.steps, [&](const Step& step) {
    return step.kind == OperationKind::compute && pipeline_.stages[step.index].kind == StageKind::sink;
  });
  return has_sink ? passes_otherwise : peer;
}

void Executor::share_source() {
  const std::vector<std::size_t> sources = pipeline_.sources();
  if (program_.instances < 2 || sources.size() != 1 || !pipeline_.stages[sources.front()].stateless) return;
  // Even a rank that has all frames may take those of a round in another order than theirs.
  const std::uint64_t own_frames = frames_a_round_[sources.front()];
  const bool takes_part = own_frames > 0;
  const std::vector<int> all_passing = mpi::gather(passing(), communicator_);
  const Claiming claiming = claiming_of(all_passing, mpi::gather(takes_part ? 1 : 0, communicator_));
  if (!claiming.is_possible) {
    turns_.emplace(communicator_, takes_part);
    if (!turns_->takes_part()) turns_.reset();
    return;
  }
  int rank = 0;
  MPI_Comm_rank(communicator_, &rank);
  const bool collects = claiming.collector == rank;
  NodeMemory memory = share_memory(communicator_, takes_part, SelfScheduling::bytes);
  if (collects) {
    reordering_ = reorder_program(pipeline_, program_);
    program_ = reordering_->program;
  }
  if (!takes_part) return;
  // Where frames have an order, nobody is to be far ahead.
  if (claiming.collector)
    claims_.emplace(std::move(memory), collects ? 1 : own_frames, 1);
  else
    claims_.emplace(std::move(memory), own_frames);
  claimed_place_.resize(program_.instances);
  if (collects) return;
  std::vector<bool> is_own(program_.instances);
  for (const Step& step : program_.steps) is_own[step.instance] = true;
  for (std::size_t instance = 1; instance < is_own.size(); ++instance)
    claimed_place_[instance] = claimed_place_[instance - 1] + (is_own[instance - 1] ? 1 : 0);
}

SourceFeed& Executor::shared_feed() {
  return **std::ranges::find_if(sources_, [](const auto& each) { return each != nullptr; });
}

void Executor::take_turn() {
  if (!turns_ && !claims_) return;
  if (turns_ && turns_->waits_for(round_)) [[unlikely]]
    wait_for_others();
  SourceFeed& feed = shared_feed();
  const std::int64_t now = timeline_.since();
  const bool stops = feed.is_due_to_stop(now);
  const std::uint32_t change = options_.changes != nullptr ? options_.changes->allowed() : 0;
  if (claims_)
    claims_->begin_round(now, stops, change);
  else
    turns_->begin(round_, stops, change);
  if (claims_ ? claims_->has_ended() : turns_->has_ended()) feed.end_early();
}

std::size_t Executor::claimed_a_round() const {
  if (!claims_ || !program_.sends.empty() || collection_) return 0;
  return frames_a_round_[pipeline_.sources().front()];
}

void Executor::wait_for_others() {
  const std::int64_t start = timeline_.enter(Use::blocked);
  Wait wait(waiting_, start, patience_.begin(start));
  std::optional<int> slowest;
  while (const std::optional<int> rank = turns_->waits_for(round_)) {
    slowest = rank;
    // Nobody wakes it: it naps.
    wait.pause(progress(), [](std::int64_t latest) {
      sleep_until(std::min(latest, now_ns() + WaitPolicy::shortest_nap));
    });
  }
  const std::int64_t end = timeline_.enter(Use::other);
  patience_.end(end);
  if (slowest) tally_.waits[*slowest]["blocked"].add(static_cast<std::uint64_t>(end - start));
}

void Executor::prepare_collection(const std::vector<std::size_t>& places) {
  Collection& own = collection_.emplace();
  const auto part_of = [&](const ReorderProgram::Part& steps) {
    Collection::Part part{
        .instance = steps.instance,
        .steps =
            std::span(bound_steps_).subspan(places[steps.first], places[steps.last] - places[steps.first])};
    for (const BoundStep& step : part.steps)
      if (step.kind == OperationKind::receive) part.channels.push_back(step.index);
    return part;
  };
  std::map<int, Collection::Sender> senders;
  for (const ReorderProgram::Part& steps : reordering_->received) {
    Collection::Part part = part_of(steps);
    senders[program_.receives[part.channels.front()].peer].parts.push_back(std::move(part));
  }
  for (auto& [rank, sender] : senders) own.senders.push_back(std::move(sender));
  own.waited_for.reserve(own.senders.size());
  if (!reordering_->work) return;

  own.work = part_of(*reordering_->work);
  own.rest = part_of(*reordering_->rest);
  own.needed = reordering_->needed;
  own.fresh.resize(own.needed.size());
  own.early.resize(early_frames(pipeline_, *reordering_));
  const std::size_t copies = own.early.size() * own.needed.size();
  own.memory.emplace(copies, Bytes{early_memory(pipeline_, *reordering_).count / copies});
  for (Collection::Early& early : own.early) {
    early.data.resize(own.needed.size());
    early.headers.resize(own.needed.size());
  }
}

void Executor::collect() {
  Collection& own = *collection_;
  timeline_.begin_round(program_.steps.size(), may_skim_);
  pass_triggers_on();
  bool has_taken = false;
  while (take_next()) has_taken = true;
  const bool has_work = own.work && !shared_feed().has_ended();
  if (has_work && own.count < own.early.size()) return work_ahead();
  if (has_taken) return;
  if (!has_work && own.count == 0 && has_collected_all()) return end_collection();
  (void)wait_for_next(std::numeric_limits<std::int64_t>::max());
}

bool Executor::take_next() {
  Collection& own = *collection_;
  own.at_work = own.next;
  if (own.count > 0 && own.early[own.first].frame == own.next) {
    const Collection::Early& early = own.early[own.first];
    for (std::size_t i = 0; i < own.needed.size(); ++i)
      data_[slot(own.rest->instance, own.needed[i])] = early.data[i];
    run_steps(own.rest->steps);
    own.first = (own.first + 1) % own.early.size();
    --own.count;
    ++own.next;
    return true;
  }
  for (Collection::Sender& sender : own.senders) {
    const Collection::Part& part = sender.part();
    ReceiveChannel& channel = *channels_.receives[part.channels.front()];
    if (receives_[part.channels.front()].closed || !channel.has_message() ||
        !is_next(channel.message(), own.next))
      continue;
    run_steps(part.steps);
    release_round();
    sender.next = (sender.next + 1) % sender.parts.size();
    ++own.next;
    return true;
  }
  return false;
}

void Executor::work_ahead() {
  Collection& own = *collection_;
  take_turn();
  const std::int64_t start = timeline_.since();
  own.at_work = claims_->first();
  run_steps(own.work->steps);
  if (shared_feed().has_ended()) return;
  // Whoever claimed an earlier frame is about to be done with it where ranks are alike.
  constexpr std::int64_t part_of_work = 4;
  const std::int64_t latest = timeline_.since() + (timeline_.since() - start) / part_of_work;
  const auto made = [&](std::size_t i) -> Datum& { return data_[slot(own.work->instance, own.needed[i])]; };
  for (std::size_t i = 0; i < own.needed.size(); ++i) own.fresh[i] = made(i);
  while (own.next != claims_->first())
    if (!take_next() && !wait_for_next(latest)) break;
  own.at_work = claims_->first();
  // Those whose turn it was stood in its place.
  for (std::size_t i = 0; i < own.needed.size(); ++i) made(i) = own.fresh[i];
  if (own.next == claims_->first()) {
    run_steps(own.rest->steps);
    ++own.next;
  } else {
    keep_early();
  }
  claims_->end_round();
}

void Executor::keep_early() {
  Collection& own = *collection_;
  const std::size_t place = (own.first + own.count) % own.early.size();
  Collection::Early& early = own.early[place];
  early.frame = claims_->first();
  for (std::size_t i = 0; i < own.needed.size(); ++i) {
    const Datum& made = data_[slot(own.work->instance, own.needed[i])];
    early.data[i] = made;
    if (!made.present) continue;
    const std::span<std::byte> copy =
        own.memory->frame(place * own.needed.size() + i).first(bytes_[own.needed[i]]);
    copy_out(copy.data(), made.bytes, copy.size());
    early.headers[i] = *made.header;
    early.data[i].header = &early.headers[i];
    early.data[i].bytes = copy.data();
  }
  ++own.count;
}

bool Executor::wait_for_next(std::int64_t latest_ns) {
  Collection& own = *collection_;
  // Of ranks that may have claimed it.
  std::vector<std::size_t>& open = own.waited_for;
  open.clear();
  for (const Collection::Sender& sender : own.senders) {
    const std::size_t channel = sender.part().channels.front();
    if (receives_[channel].closed) continue;
    if (!channels_.receives[channel]->has_message())
      open.push_back(channel);
    else if (is_next(channels_.receives[channel]->message(), own.next))
      return true;
  }
  // The last one has come meanwhile.
  if (open.empty()) return true;
  const std::int64_t start = timeline_.enter(Use::starved);
  if (start >= latest_ns) {
    timeline_.enter(Use::other);
    return false;
  }
  Wait wait(waiting_, start, patience_.begin(start));
  const auto has_come = [&](std::size_t channel) { return channels_.receives[channel]->has_message(); };
  bool is_there = false;
  std::int64_t now = start, told = start;
  while (!(is_there = std::ranges::any_of(open, has_come)) && now < latest_ns) {
    wait.pause(progress(), [&](std::int64_t latest) {
      told = tell_of_wait(Use::starved, starved_at(open.front()), told);
      // One of them wakes this rank; at the others it has to look.
      if (open.size() > 1) latest = std::min(latest, now_ns() + WaitPolicy::shortest_nap);
      channels_.receives[open.front()]->sleep_until_message(std::min(latest, latest_ns));
    });
    now = now_ns();
  }
  const std::int64_t end = timeline_.enter(Use::other);
  patience_.end(end);
  starved_at(open.front()).add(static_cast<std::uint64_t>(end - told));
  return is_there;
}

bool Executor::has_collected_all() {
  return std::ranges::all_of(collection_->senders, [&](const Collection::Sender& sender) {
    const std::size_t channel = sender.part().channels.front();
    if (receives_[channel].closed) return true;
    ReceiveChannel& open = *channels_.receives[channel];
    return open.has_message() && is_after_end(open.message());
  });
}

void Executor::end_collection() {
  Collection& own = *collection_;
  own.at_work = own.next;
  begin_rest();
  if (own.rest) {
    for (const std::size_t stage : own.needed)
      data_[slot(own.rest->instance, stage)] = {.ended = true, .after_end = true};
    run_steps(own.rest->steps);
  }
  for (Collection::Sender& sender : own.senders)
    for (std::size_t i = 0; i < sender.parts.size(); ++i) {
      run_steps(sender.part().steps);
      release_round();
      sender.next = (sender.next + 1) % sender.parts.size();
    }
  if (!closing_.empty()) close_sinks();
}

}  // namespace takt::pipeline
