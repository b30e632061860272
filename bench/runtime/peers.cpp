/// Three stages over a stream of frames as others do it: `peers PEER BYTES WORK MIDDLE SECONDS` prints frames
/// a second. PEER is inline (one thread, no boundary), replicas (two threads, each with frames of its own:
/// what two cores can do at most), ring (two threads and a ring of slots between them, the first two stages
/// on one), or tbb (oneTBB's parallel_pipeline with two threads). MIDDLE is stateless or stateful. Without
/// arguments: the peers that were built.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bench/runtime/stage.hpp"

#ifdef TAKT_HAS_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#endif

namespace {

using namespace takt::bench;
using Clock = std::chrono::steady_clock;

struct Case {
  std::size_t bytes = 0;
  StageWork work;
  bool is_stateless = true;
  std::chrono::duration<double> duration{1};

  [[nodiscard]] std::size_t count() const { return std::max<std::size_t>(bytes / sizeof(float), 1); }
};

/// Aligned as takt's frames are.
class Frame {
 public:
  explicit Frame(const Case& one)
      : data_(static_cast<float*>(std::aligned_alloc(64, (one.count() * sizeof(float) + 63) / 64 * 64))) {
    if (data_ == nullptr) throw std::bad_alloc();
    std::fill_n(data_, one.count(), 0.0F);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  ~Frame() { std::free(data_); }
  [[nodiscard]] float* data() const { return data_; }

 private:
  float* data_;
};

/// Frames between two looks at the clock.
constexpr std::uint64_t batch = 16;

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

#ifdef TAKT_HAS_TBB
std::uint64_t run_tbb(const Case& one) {
  using namespace oneapi::tbb;
  constexpr std::size_t threads = 2, tokens = 8;
  struct Buffers {
    explicit Buffers(const Case& each) : a(each), b(each), c(each) {}
    Frame a, b, c;
  };
  const global_control limit(global_control::max_allowed_parallelism, threads);
  const Frame source(one);
  // A token goes back to the source, in order, before there are more than so many: the next frame may have
  // it.
  std::vector<std::unique_ptr<Buffers>> pool;
  for (std::size_t i = 0; i < tokens; ++i) pool.push_back(std::make_unique<Buffers>(one));
  std::uint64_t frames = 0;
  const auto end = Clock::now() + one.duration;
  const filter_mode middle = one.is_stateless ? filter_mode::parallel : filter_mode::serial_in_order;
  parallel_pipeline(
      tokens,
      make_filter<void, Buffers*>(filter_mode::serial_in_order, [&](flow_control& control) -> Buffers* {
        if (frames % batch == 0 && Clock::now() >= end) {
          control.stop();
          return nullptr;
        }
        return pool[frames++ % tokens].get();
      }) & make_filter<Buffers*, Buffers*>(filter_mode::parallel, [&](Buffers* each) {
        run_stage(one.work, source.data(), each->a.data(), one.count());
        return each;
      }) & make_filter<Buffers*, Buffers*>(middle, [&](Buffers* each) {
        run_stage(one.work, each->a.data(), each->b.data(), one.count());
        return each;
      }) & make_filter<Buffers*, Buffers*>(filter_mode::parallel, [&](Buffers* each) {
        run_stage(one.work, each->b.data(), each->c.data(), one.count());
        return each;
      }) & make_filter<Buffers*, void>(filter_mode::serial_in_order, [](Buffers*) {}));
  return frames;
}
#endif

struct Peer {
  const char* name;
  std::uint64_t (*run)(const Case& one);
};

constexpr Peer peers[] = {
    {"inline", run_inline},
    {"replicas", run_replicas},
    {"ring", run_ring},
#ifdef TAKT_HAS_TBB
    {"tbb", run_tbb},
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
  const Case one{std::stoul(words[2]), parse_work(words[3]), std::string(words[4]) == "stateless",
                 std::chrono::duration<double>(std::stod(words[5]))};
  const auto start = Clock::now();
  const auto frames = static_cast<double>(peer->run(one));
  std::printf("%.6g\n", frames / std::chrono::duration<double>(Clock::now() - start).count());
}
