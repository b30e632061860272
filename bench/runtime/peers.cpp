/// Runs three stages over a stream of frames with other libraries: `peers PEER BYTES WORK MIDDLE SECONDS`
/// prints frames/s. PEER is inline (one thread, no boundary), replicas (two threads with their own frames
/// each, the upper limit of two cores), ring (two threads and a ring of slots between them, the first two
/// stages on one), or a library: tbb, taskflow, fastflow, streampu. MIDDLE is stateless or stateful. Without
/// arguments: prints the peers that were built.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/runtime/peer.hpp"

namespace {

using namespace takt::bench;

std::uint64_t run_inline(const Case& one) {
  const Frame source(one), a(one), b(one), c(one);
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  while (Clock::now() < end)
    for (std::uint64_t i = 0; i < batch; ++i, ++frames) {
      run_stage(one.work, source.data(), a.data(), one.count());
      run_stage(one.work, a.data(), b.data(), one.count());
      run_stage(one.work, b.data(), c.data(), one.count());
    }
  return frames;
}

std::uint64_t run_replicas(const Case& one) {
  std::uint64_t first = 0, second = 0;
  std::thread other([&] { second = run_inline(one); });
  first = run_inline(one);
  other.join();
  return first + second;
}

std::uint64_t run_ring(const Case& one) {
  constexpr std::size_t slots = 16, line = 64;
  std::vector<std::unique_ptr<Frame>> ring;
  for (std::size_t i = 0; i < slots; ++i) ring.push_back(std::make_unique<Frame>(one));
  alignas(line) std::atomic<std::uint64_t> written{0};
  alignas(line) std::atomic<std::uint64_t> read{0};
  alignas(line) std::atomic<bool> is_over{false};
  std::thread reader([&] {
    const Frame c(one);
    for (std::uint64_t k = 0;; ++k) {
      while (written.load(std::memory_order_acquire) <= k)
        if (is_over && written <= k) return;
      run_stage(one.work, ring[k % slots]->data(), c.data(), one.count());
      read.store(k + 1, std::memory_order_release);
    }
  });
  const Frame source(one), a(one);
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  while (Clock::now() < end)
    for (std::uint64_t i = 0; i < batch; ++i, ++frames) {
      while (frames - read.load(std::memory_order_acquire) >= slots) {
      }
      run_stage(one.work, source.data(), a.data(), one.count());
      run_stage(one.work, a.data(), ring[frames % slots]->data(), one.count());
      written.store(frames + 1, std::memory_order_release);
    }
  is_over = true;
  reader.join();
  return frames;
}

struct Peer {
  const char* name;
  std::uint64_t (*run)(const Case& one);
};

constexpr Peer peers[] = {
    {"inline", run_inline},     {"replicas", run_replicas}, {"ring", run_ring},
#ifdef TAKT_HAS_TBB
    {"tbb", run_tbb},
#endif
#ifdef TAKT_HAS_TASKFLOW
    {"taskflow", run_taskflow},
#endif
#ifdef TAKT_HAS_FASTFLOW
    {"fastflow", run_fastflow},
#endif
#ifdef TAKT_HAS_STREAMPU
    {"streampu", run_streampu},
#endif
};

}  // namespace

int main(int count, char** words) {
  if (count == 1) {
    for (const Peer& peer : peers) std::puts(peer.name);
    return 0;
  }
  const auto peer =
      std::ranges::find_if(peers, [&](const Peer& each) { return std::string(each.name) == words[1]; });
  if (count != 6 || peer == std::end(peers)) {
    std::fputs("peers PEER BYTES WORK stateless|stateful SECONDS\n", stderr);
    return 2;
  }
  const Case one = parse_case(words + 2);
  const auto start = Clock::now();
  const auto frames = static_cast<double>(peer->run(one));
  std::printf("%.6g\n", frames / std::chrono::duration<double>(Clock::now() - start).count());
}
