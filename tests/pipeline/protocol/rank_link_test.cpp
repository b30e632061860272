/// Tests which messages pass the link between ranks and launcher.

#include "pipeline/protocol/rank_link.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <zmq.hpp>

#include "pipeline/protocol/link_guard.hpp"
#include "pipeline/protocol/run_folder.hpp"

namespace takt::pipeline {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// Returns the first message that arrives within some seconds.
std::optional<RankMessage> await(LauncherLink& link) {
  for (int i = 0; i < 500; ++i) {
    if (auto message = link.receive()) return message;
    link.wait(std::nullopt, 10ms);
  }
  return std::nullopt;
}

/// Returns whether the command to drain arrives within some seconds.
bool receives_drain(LauncherLink& link, RankLink& rank) {
  for (int i = 0; i < 500; ++i) {
    link.ask_to_drain();
    if (rank.commands().drain) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

TEST(RankLink, carries_messages_both_ways_in_a_folder_and_over_an_address) {
  const RunFolder folder;
  for (const std::optional<std::string>& address :
       {std::optional<std::string>{}, std::optional<std::string>{"127.0.0.1"}}) {
    LauncherLink link(folder.path(), address);
    RankLink rank(link.endpoints());
    ASSERT_TRUE(rank.send({RankMessageKind::status, "all is well"}));
    const auto message = await(link);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->kind, RankMessageKind::status);
    EXPECT_EQ(message->text, "all is well");
    EXPECT_TRUE(receives_drain(link, rank));
  }
}

TEST(AssuredLink, confirms_the_messages_that_the_launcher_has) {
  const RunFolder folder;
  for (const std::optional<std::string>& address :
       {std::optional<std::string>{}, std::optional<std::string>{"127.0.0.1"}}) {
    LauncherLink link(folder.path(), address);
    AssuredLink rank(link.endpoints()), other(link.endpoints());
    const std::jthread launcher([&] {
      for (const char* text : {"a", "b", "c"}) {
        const auto message = await(link);
        ASSERT_TRUE(message);
        EXPECT_EQ(message->kind, RankMessageKind::begun_file);
        EXPECT_EQ(message->text, text);
      }
    });
    EXPECT_TRUE(rank.send({RankMessageKind::begun_file, "a"}, 10s));
    EXPECT_TRUE(other.send({RankMessageKind::begun_file, "b"}, 10s));
    EXPECT_TRUE(rank.send({RankMessageKind::begun_file, "c"}, 10s));
  }
}

TEST(AssuredLink, continues_without_a_silent_launcher_and_waits_again_once_it_answers) {
  const RunFolder folder;
  LauncherLink link(folder.path());
  AssuredLink rank(link.endpoints());
  EXPECT_FALSE(rank.send({RankMessageKind::begun_file, "a"}, 1ms));
  // It does not wait for an answer, or this would not end.
  EXPECT_FALSE(rank.send({RankMessageKind::begun_file, "b"}, 1h));
  for (const char* text : {"a", "b"}) {
    const auto message = await(link);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->text, text);
  }
  const std::jthread launcher([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      link.wait(std::nullopt, 10ms);
      (void)link.receive();
    }
  });
  // Earlier answers are still in flight.
  while (!rank.send({RankMessageKind::begun_file, "c"}, 10s)) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(rank.send({RankMessageKind::begun_file, "d"}, 10s));
}

TEST(RankLink, over_an_address_has_keys_that_no_two_runs_share) {
  const RunFolder folder;
  const std::vector<std::string> one = words_of(LauncherLink(folder.path(), "127.0.0.1").endpoints()),
                                 two = words_of(LauncherLink(folder.path(), "127.0.0.1").endpoints());
  ASSERT_EQ(one.size(), 6U);
  ASSERT_EQ(two.size(), 6U);
  for (std::size_t key = 3; key < 6; ++key) EXPECT_NE(one[key], two[key]);
}

/// A foreign socket that sends to the link, which must accept only messages of its own rank.
void expect_ignored(const std::function<void(zmq::socket_t&, const std::vector<std::string>&)>& dress) {
  const RunFolder folder;
  LauncherLink link(folder.path(), "127.0.0.1");
  const std::vector<std::string> words = words_of(link.endpoints());
  zmq::context_t context;
  zmq::socket_t stranger(context, zmq::socket_type::push);
  stranger.set(zmq::sockopt::linger, 0);
  dress(stranger, words);
  stranger.connect(words[0]);
  (void)stranger.send(zmq::buffer(header_of(RankMessageKind::status)),
                      zmq::send_flags::sndmore | zmq::send_flags::dontwait);
  (void)stranger.send(zmq::str_buffer("forged"), zmq::send_flags::dontwait);
  link.wait(std::nullopt, 200ms);
  RankLink rank(link.endpoints());
  ASSERT_TRUE(rank.send({RankMessageKind::status, "true"}));
  const auto message = await(link);
  ASSERT_TRUE(message);
  EXPECT_EQ(message->text, "true");
  EXPECT_FALSE(link.receive());
}

TEST(RankLink, ignores_senders_without_a_key) {
  expect_ignored([](zmq::socket_t&, const std::vector<std::string>&) {});
}

TEST(RankLink, ignores_senders_with_the_launchers_key_but_not_that_of_the_ranks) {
  expect_ignored([](zmq::socket_t& socket, const std::vector<std::string>& words) {
    LinkKeys keys = LinkKeys::make();
    keys.launcher_public = words[3];
    guard_rank(socket, keys);
  });
}

TEST(RankLink, ignores_senders_with_the_keys_of_another_run) {
  expect_ignored(
      [](zmq::socket_t& socket, const std::vector<std::string>&) { guard_rank(socket, LinkKeys::make()); });
}

}  // namespace
}  // namespace takt::pipeline
