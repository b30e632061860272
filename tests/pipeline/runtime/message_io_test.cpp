/// Messages and the end of the stream of one rank, over simulated channels without MPI.

#include "pipeline/runtime/message_io.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/pipeline/config/load.hpp"

namespace takt::pipeline::test {
namespace {

/// Room for one message; the receiver reads it as soon as the sender sleeps.
class MadeUpSend final : public SendChannel {
 public:
  explicit MadeUpSend(const ChannelPlan& plan) : SendChannel(plan), memory_(plan.bytes) { set_depth(1); }

  std::byte* message(std::uint64_t) const override { return memory_.data(); }
  std::uint64_t released() override { return released_; }
  void sleep_until_released(std::uint64_t, std::int64_t) override { read(); }
  bool is_shared() const override { return true; }

  void read() { released_ = sent(); }
  [[nodiscard]] const Envelope& last() const { return last_; }

 protected:
  void pass(const Envelope& envelope) override { last_ = envelope; }

 private:
  mutable std::vector<std::byte> memory_;
  std::uint64_t released_ = 0;
  Envelope last_;
};

/// Has the message that was put into it, until it is released.
class MadeUpReceive final : public ReceiveChannel {
 public:
  explicit MadeUpReceive(const ChannelPlan& plan) : ReceiveChannel(plan), memory_(plan.bytes) {}

  bool has_message() override { return is_there_; }
  const std::byte* message() const override { return memory_.data(); }
  void take() override { is_there_ = false; }
  void release() override { ++released; }
  void sleep_until_message(std::int64_t) override { put(next_); }
  bool is_shared() const override { return true; }

  std::size_t released = 0;

  /// What comes when the receiver sleeps.
  void put_later(const Envelope& envelope) { next_ = envelope; }
  void put(const Envelope& envelope) {
    std::memcpy(memory_.data(), &envelope, sizeof(envelope));
    const ChannelPlan::Part& part = plan().parts.front();
    const PartHeader header{.header = {.sequence = envelope.frame},
                            .elements = static_cast<std::int64_t>(part.elements - part.header)};
    std::memcpy(memory_.data() + part.header, &header, sizeof(header));
    is_there_ = true;
  }

 private:
  std::vector<std::byte> memory_;
  Envelope next_;
  bool is_there_ = false;
};

/// A rank that receives the output of `a` and sends that of `b`.
class Middle {
 public:
  /// `kept`: iterations for which a message is needed after its receive.
  explicit Middle(std::uint32_t iterations_kept = 0) : kept(iterations_kept) {
    channels_.sends.push_back(std::make_unique<MadeUpSend>(state.program.sends[0]));
    channels_.receives.push_back(std::make_unique<MadeUpReceive>(state.program.receives[0]));
    out = static_cast<MadeUpSend*>(channels_.sends[0].get());
    in = static_cast<MadeUpReceive*>(channels_.receives[0].get());
    io = std::make_unique<MessageIo>(state, memory, end, std::move(channels_), MessageIo::Options{});
    state.frames.offsets = {0};
    tally.waits.make(3);
    state.timeline.start();
  }

  [[nodiscard]] std::size_t stage(std::string_view name) const {
    return static_cast<std::size_t>(std::ranges::find(pipeline.stages, name, &Stage::name) -
                                    pipeline.stages.begin());
  }
  [[nodiscard]] Datum& output(std::string_view name) { return memory.data[state.slot(0, stage(name))]; }
  /// `b` has produced a frame in the memory that is meant for it.
  void produce() {
    const std::size_t slot = state.slot(0, stage("b"));
    const FrameBuffer buffer = io->output_buffer(slot, state.bytes[stage("b")]);
    buffer.header->sequence = state.frames.first;
    memory.data[slot] = {.header = buffer.header, .bytes = buffer.bytes.data(), .present = true};
  }

  const std::uint32_t kept;
  const Pipeline pipeline = load(R"(sources:
  s: {type: synthetic, axes: [time=100]}
tasks:
  a: {kernel: pass, input: s}
  b: {kernel: pass, input: a}
sinks:
  o: {type: 'null', input: b}
)");
  const RankProgram program = [&] {
    const std::size_t bytes = pipeline.stages[stage("a")].output.size().count;
    ChannelPlan from{.peer = 1}, to{.peer = 2};
    from.add(stage("a"), bytes);
    from.kept = kept;
    to.add(stage("b"), bytes);
    RankProgram made;
    made.receives = {from};
    made.sends = {to};
    made.steps = {
        {OperationKind::receive, 0, 0}, {OperationKind::compute, 0, stage("b")}, {OperationKind::send, 0, 0}};
    return made;
  }();
  RankTally tally{pipeline.stages.size()};
  RankState state{pipeline, program, program, tally};
  EndOfStream end{state};
  OutputPlacements placements;
  RankMemory memory{state, {{true}, std::vector<bool>(pipeline.stages.size())}, placements};
  MadeUpSend* out = nullptr;
  MadeUpReceive* in = nullptr;
  std::unique_ptr<MessageIo> io;

 private:
  Channels channels_;
};

const Step first_message{OperationKind::receive, 0, 0}, last_message{OperationKind::send, 0, 0};

TEST(MessageIo, passes_a_received_frame_on_to_the_steps_that_need_it) {
  Middle rank;
  rank.in->put({.frame = 0, .present = 1, .cut_off = 1});
  rank.io->receive(first_message);
  EXPECT_TRUE(rank.output("a").present);
  EXPECT_TRUE(rank.output("a").cut_off);
  EXPECT_FALSE(rank.output("a").ended);
  EXPECT_EQ(rank.output("a").header->sequence, 0U);
  EXPECT_EQ(rank.output("a").bytes, rank.in->message() + rank.program.receives[0].parts[0].elements);
  rank.io->release_messages();
  EXPECT_FALSE(rank.in->has_message());
  EXPECT_EQ(rank.in->released, 1U);
}

TEST(MessageIo, keeps_a_message_that_later_iterations_need) {
  Middle rank(1);
  for (std::uint64_t round = 0; round < 3; ++round) {
    rank.state.round = rank.state.frames.first = round;
    rank.in->put({.frame = round, .present = 1});
    rank.io->receive(first_message);
    rank.io->release_messages();
    EXPECT_EQ(rank.in->released, round);
  }
  rank.io->release_all();
  EXPECT_EQ(rank.in->released, 3U);
}

TEST(MessageIo, waits_for_a_message_and_counts_the_time_for_its_sender) {
  Middle rank;
  rank.in->put_later({.frame = 0, .present = 1});
  rank.io->receive(first_message);
  EXPECT_TRUE(rank.output("a").present);
  EXPECT_GT(rank.tally.waits[1]["starved"].value(), 0U);
  EXPECT_EQ(rank.tally.waits[2]["blocked"].value(), 0U);
}

TEST(MessageIo, refuses_a_message_of_another_frame) {
  Middle rank;
  rank.in->put({.frame = 3, .present = 1});
  EXPECT_THROW(rank.io->receive(first_message), std::logic_error);
}

TEST(MessageIo, makes_outputs_in_the_message_that_carries_them) {
  Middle rank;
  rank.produce();
  rank.io->send(last_message);
  EXPECT_EQ(rank.out->sent(), 1U);
  EXPECT_EQ(rank.out->last().frame, 0U);
  EXPECT_EQ(rank.out->last().present, 1U);
  const std::byte* const message = rank.out->message(0);
  EXPECT_EQ(rank.output("b").bytes, message + rank.program.sends[0].parts[0].elements);
}

TEST(MessageIo, waits_for_room_and_counts_the_time_for_the_receiver) {
  Middle rank;
  for (int frame = 0; frame < 2; ++frame) {
    rank.produce();
    rank.io->send(last_message);
    ++rank.state.frames.first;
  }
  EXPECT_EQ(rank.out->sent(), 2U);
  EXPECT_EQ(rank.io->released(0), 1U);
  EXPECT_GT(rank.tally.waits[2]["blocked"].value(), 0U);
  rank.io->wait_until_read();
  EXPECT_TRUE(rank.out->is_idle());
}

TEST(MessageIo, carries_the_end_of_the_stream_and_nothing_behind_it) {
  Middle rank;
  rank.in->put({.frame = 0, .ended = 1, .after_end = 1});
  rank.io->receive(first_message);
  EXPECT_TRUE(rank.output("a").ended);
  EXPECT_TRUE(rank.output("a").after_end);
  rank.io->release_messages();
  EXPECT_TRUE(rank.io->has_closed(0));
  EXPECT_FALSE(rank.io->has_ended());
  rank.output("b") = Datum::end_of_stream();
  rank.io->send(last_message);
  EXPECT_TRUE(rank.io->has_ended());
  // Neither waits for a message, nor sends one.
  rank.io->receive(first_message);
  EXPECT_TRUE(rank.output("a").ended);
  rank.io->send(last_message);
  EXPECT_EQ(rank.out->sent(), 1U);
  EXPECT_FALSE(rank.end.is_paused());
}

TEST(MessageIo, takes_a_pause_over_from_the_sender) {
  Middle rank;
  rank.in->put({.frame = 0, .ended = 1, .after_end = 1, .paused = 1});
  rank.io->receive(first_message);
  EXPECT_TRUE(rank.output("a").paused);
  EXPECT_TRUE(rank.end.is_paused());
}

TEST(EndOfStream, is_complete_when_all_expected_stages_have_finished) {
  Middle rank;
  EndOfStream end(rank.state);
  end.expect(rank.stage("a"));
  end.expect(rank.stage("b"));
  // Of another instance.
  end.expect(rank.stage("b"));
  EXPECT_TRUE(end.is_untouched());
  end.finish(rank.stage("a"));
  EXPECT_FALSE(end.is_untouched());
  EXPECT_FALSE(end.is_complete());
  Datum output{.present = true};
  end.pause_stage(rank.stage("b"), output);
  EXPECT_TRUE(end.is_complete());
  EXPECT_TRUE(output.paused);
  EXPECT_FALSE(output.present);
}

/// A request to stop ends the stream, and what kernels hold is still wanted; a second one, while a kernel
/// flushes, is for that.
TEST(EndOfStream, wants_what_kernels_flush_unless_the_user_asks_to_stop_meanwhile) {
  Middle rank;
  EndOfStream end(rank.state);
  EXPECT_FALSE(end.is_flush_unused(rank.stage("a")));
  end.drain();
  EXPECT_TRUE(end.is_flush_unused(rank.stage("a")));
  // It begins after the request.
  EXPECT_FALSE(end.is_flush_unused(rank.stage("b")));
  EXPECT_FALSE(end.is_flush_unused(rank.stage("b")));
}

}  // namespace
}  // namespace takt::pipeline::test
