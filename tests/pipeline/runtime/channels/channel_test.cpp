/// Tests the properties of channels over every transport: both ends in one process, calls in any order.

#include <cstring>
#include <deque>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/system/clock.hpp"
#include "logp/mpi/session.hpp"
#include "pipeline/runtime/channels/mpi_channel.hpp"
#include "pipeline/runtime/channels/shared_channel.hpp"

namespace takt::pipeline {
namespace {

constexpr std::size_t depth = 3;

/// One channel, with the sizes of its parts.
struct Ends {
  NodeMemory memory;
  std::unique_ptr<SendChannel> send;
  std::unique_ptr<ReceiveChannel> receive;
  /// Messages that fit between the two ends.
  std::size_t most_under_way = 0;
};

ChannelPlan plan_of(const std::vector<std::size_t>& parts) {
  ChannelPlan plan;
  for (std::size_t i = 0; i < parts.size(); ++i) plan.add(i, parts[i]);
  return plan;
}

Ends shared_ends(const std::vector<std::size_t>& parts) {
  const ChannelPlan plan = plan_of(parts);
  const RingPlace place{.offset = 4096, .depth = depth, .stride = plan.bytes};
  Ends ends{.memory = NodeMemory::create(4096 + place.bytes()), .most_under_way = depth};
  ends.send = std::make_unique<SharedSendChannel>(plan, place, ends.memory.begin());
  // Mapped again at another address, as in another process.
  ends.receive = std::make_unique<SharedReceiveChannel>(
      plan, place, std::make_shared<NodeMemory>(NodeMemory::open(ends.memory.handle(), ends.memory.size())));
  return ends;
}

Ends mpi_ends(const std::vector<std::size_t>& parts) {
  static const mpi::Session session;
  const ChannelPlan plan = plan_of(parts);
  Ends ends{.most_under_way = 2 * depth};
  ends.receive = std::make_unique<MpiReceiveChannel>(plan, depth, MPI_COMM_SELF);
  ends.send = std::make_unique<MpiSendChannel>(plan, depth, MPI_COMM_SELF);
  return ends;
}

struct Transport {
  const char* name;
  Ends (*open)(const std::vector<std::size_t>& parts);
};

class EveryTransport : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, EveryTransport,
                         testing::Values(Transport{"shared_memory", shared_ends}, Transport{"mpi", mpi_ends}),
                         [](const auto& each) { return each.param.name; });

std::byte byte_of(std::uint64_t frame, std::size_t part) {
  return static_cast<std::byte>(frame * 7 + part * 31 + 1);
}

/// Fills in and sends the next message; the set bits select the present parts.
void send_frame(SendChannel& channel, std::uint64_t present, bool is_last = false) {
  const std::uint64_t frame = channel.sent();
  std::byte* const message = channel.message(frame);
  for (std::size_t i = 0; i < channel.plan().parts.size(); ++i) {
    const ChannelPlan::Part& part = channel.plan().parts[i];
    auto& header = *reinterpret_cast<PartHeader*>(message + part.header);
    header.header.sequence = frame;
    header.elements = static_cast<std::int64_t>(part.elements - part.header);
    std::memset(message + part.elements, static_cast<int>(byte_of(frame, i)), part.bytes);
  }
  channel.send({.frame = frame, .present = present, .ended = is_last ? 1U : 0U});
}

/// Expects this frame in the next message.
void expect_frame(const ReceiveChannel& channel, std::uint64_t frame, std::uint64_t present) {
  const std::byte* const message = channel.message();
  Envelope envelope;
  std::memcpy(&envelope, message, sizeof(envelope));
  ASSERT_EQ(envelope.frame, frame);
  ASSERT_EQ(envelope.present, present);
  for (std::size_t i = 0; i < channel.plan().parts.size(); ++i) {
    if ((present >> i & 1U) == 0) continue;
    const ChannelPlan::Part& part = channel.plan().parts[i];
    const auto& header = *reinterpret_cast<const PartHeader*>(message + part.header);
    ASSERT_EQ(header.header.sequence, frame);
    const std::byte* const elements = message + part.header + header.elements;
    for (std::size_t b = 0; b < part.bytes; ++b) ASSERT_EQ(elements[b], byte_of(frame, i)) << b;
  }
}

/// Takes a message and releases it.
void pass_on(ReceiveChannel& channel) {
  channel.take();
  channel.release();
}

/// Polls until there is a message; MPI may need several polls.
bool has_message_soon(ReceiveChannel& channel) {
  for (int look = 0; look < 10'000; ++look)
    if (channel.has_message()) return true;
  return false;
}

TEST_P(EveryTransport, carries_frames_in_order_with_any_order_of_calls) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i <= seed % 4; ++i) parts.push_back(random() % 70'000);
    Ends ends = GetParam().open(parts);
    std::deque<std::uint64_t> sent;
    std::uint64_t received = 0;
    for (int step = 0; step < 300; ++step) {
      if (random() % 2 == 0 && ends.send->has_room()) {
        sent.push_back(random() % (1ULL << parts.size()));
        send_frame(*ends.send, sent.back());
      } else if (random() % 2 == 0 && ends.receive->has_message()) {
        ASSERT_FALSE(sent.empty());
        expect_frame(*ends.receive, received++, sent.front());
        if (HasFatalFailure()) return;
        sent.pop_front();
        pass_on(*ends.receive);
      }
      ASSERT_LE(sent.size(), ends.most_under_way);
    }
    while (!sent.empty()) {
      ASSERT_TRUE(has_message_soon(*ends.receive));
      expect_frame(*ends.receive, received++, sent.front());
      if (HasFatalFailure()) return;
      sent.pop_front();
      pass_on(*ends.receive);
    }
    EXPECT_FALSE(ends.receive->has_message());
    EXPECT_GT(received, 20U);
    while (!ends.send->is_idle()) (void)ends.receive->progress();
  }
}

TEST_P(EveryTransport, blocks_a_sender_until_its_receiver_releases) {
  Ends ends = GetParam().open({1 << 20});
  std::size_t sent = 0;
  // Polls long enough for a transport that would accept more.
  for (int look = 0; look < 1000; ++look) {
    (void)ends.receive->progress();
    if (!ends.send->has_room()) continue;
    send_frame(*ends.send, 1);
    ++sent;
  }
  EXPECT_EQ(sent, ends.most_under_way);
  ASSERT_TRUE(has_message_soon(*ends.receive));
  pass_on(*ends.receive);
  for (int look = 0; look < 1000 && !ends.send->has_room(); ++look) (void)ends.receive->progress();
  EXPECT_TRUE(ends.send->has_room());
  while (!ends.send->is_idle()) {
    if (ends.receive->has_message()) pass_on(*ends.receive);
  }
}

TEST_P(EveryTransport, keeps_a_message_until_it_is_released) {
  Ends ends = GetParam().open({5000});
  send_frame(*ends.send, 1);
  ASSERT_TRUE(has_message_soon(*ends.receive));
  for (int look = 0; look < 1000; ++look)
    if (ends.send->has_room()) send_frame(*ends.send, 1);
  expect_frame(*ends.receive, 0, 1);
  while (!ends.send->is_idle())
    if (ends.receive->has_message()) pass_on(*ends.receive);
}

TEST_P(EveryTransport, keeps_messages_taken_earlier_until_they_are_released) {
  Ends ends = GetParam().open({5000});
  for (std::uint64_t frame = 0; frame < 2; ++frame) send_frame(*ends.send, 1);
  ASSERT_TRUE(has_message_soon(*ends.receive));
  const std::byte* const first = ends.receive->message();
  ends.receive->take();
  ASSERT_TRUE(has_message_soon(*ends.receive));
  expect_frame(*ends.receive, 1, 1);
  EXPECT_NE(ends.receive->message(), first);
  ends.receive->take();
  for (int look = 0; look < 1000; ++look)
    if (ends.send->has_room()) send_frame(*ends.send, 1);
  EXPECT_EQ(reinterpret_cast<const Envelope*>(first)->frame, 0U);
  ends.receive->release();
  ends.receive->release();
  while (!ends.send->is_idle())
    if (ends.receive->has_message()) pass_on(*ends.receive);
}

TEST_P(EveryTransport, marks_the_end_of_the_stream_in_the_last_message) {
  Ends ends = GetParam().open({8});
  send_frame(*ends.send, 0, true);
  ASSERT_TRUE(has_message_soon(*ends.receive));
  EXPECT_EQ(reinterpret_cast<const Envelope*>(ends.receive->message())->ended, 1U);
  pass_on(*ends.receive);
  EXPECT_TRUE(ends.send->is_idle());
}

/// With room, the sender tests no releases: each call tests the oldest message in flight, then the next
/// one, since MPI makes no progress in tests of completed messages.
TEST(MpiChannel, progresses_all_messages_in_flight_from_either_end) {
  const Ends ends = mpi_ends({100'000});
  for (int k = 0; k < 2; ++k) send_frame(*ends.send, 1);
  EXPECT_TRUE(ends.send->is_moving());
  for (std::uint64_t frame = 0; frame < 2; ++frame) {
    ASSERT_TRUE(has_message_soon(*ends.receive));
    expect_frame(*ends.receive, frame, 1);
    pass_on(*ends.receive);
  }
  for (int look = 0; look < 10'000 && ends.send->is_moving(); ++look) (void)ends.send->progress();
  EXPECT_FALSE(ends.send->is_moving());
  EXPECT_FALSE(ends.send->progress());
}

TEST(SharedChannel, wakes_either_end) {
  Ends ends = shared_ends({64});
  constexpr std::uint64_t frames = 20'000;
  const std::int64_t far = now_ns() + 60'000'000'000;
  std::thread reader([&] {
    std::mt19937_64 random(1);
    for (std::uint64_t frame = 0; frame < frames; ++frame) {
      while (!ends.receive->has_message()) ends.receive->sleep_until_message(far);
      expect_frame(*ends.receive, frame, 1);
      if (random() % 64 == 0) std::this_thread::yield();
      pass_on(*ends.receive);
    }
  });
  std::mt19937_64 random(2);
  for (std::uint64_t frame = 0; frame < frames; ++frame) {
    while (!ends.send->has_room()) ends.send->sleep_until_released(ends.send->released(), far);
    if (random() % 64 == 0) std::this_thread::yield();
    send_frame(*ends.send, 1);
  }
  while (!ends.send->is_idle()) ends.send->sleep_until_released(ends.send->released(), far);
  reader.join();
}

TEST(NodeMemory, is_not_opened_when_its_owner_has_closed_it) {
  NodeMemory memory = NodeMemory::create(4096);
  const std::string handle = memory.handle();
  memory.close_handle();
  EXPECT_THROW((void)NodeMemory::open(handle, 4096), WorkError);
}

}  // namespace
}  // namespace takt::pipeline
