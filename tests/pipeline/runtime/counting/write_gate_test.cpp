/// Tests that the counted frames are the written ones, at any time of the rank's end.

#include "pipeline/runtime/counting/write_gate.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace takt::pipeline {
namespace {

TEST(WriteGate, is_closed_between_a_frame_and_the_next_one) {
  for (int round = 0; round < 200; ++round) {
    // The writer waits at the gate forever, as in a process that ends.
    struct Writer {
      WriteGate gate;
      std::atomic<std::uint64_t> written{0}, counted{0};
    };
    auto* const writer = new Writer;
    std::thread([writer] {
      while (true) {
        const WriteGate::Write write(writer->gate);
        writer->written.fetch_add(1);
        std::this_thread::yield();
        writer->counted.fetch_add(1);
      }
    }).detach();
    while (writer->written < 10) std::this_thread::yield();
    writer->gate.close();
    const std::uint64_t counted = writer->counted;
    ASSERT_EQ(writer->written, counted) << "in round " << round;
    std::this_thread::yield();
    ASSERT_EQ(writer->written, counted) << "in round " << round;
  }
}

TEST(WriteGate, does_not_wait_for_a_sink_that_hangs) {
  auto* const gate = new WriteGate;
  std::atomic<bool> is_inside{false};
  std::thread hangs([&] {
    const WriteGate::Write write(*gate);
    is_inside = true;
    std::this_thread::sleep_for(std::chrono::seconds{2});
  });
  while (!is_inside) std::this_thread::yield();
  gate->close();
  hangs.join();
  delete gate;
}

}  // namespace
}  // namespace takt::pipeline
