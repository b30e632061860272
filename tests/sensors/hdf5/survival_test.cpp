/// Repeatedly kills a process that writes an HDF5 file at a random time; another one continues from the last
/// reported state. Tests that h5py finds each frame exactly once.

#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sensors/hdf5/sink.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace hdf5_survival_test {

constexpr std::size_t frame_values = 96, all_frames = 3000;

constexpr const char* reader = R"(
import sys, os, h5py, numpy as np
folder, frames = sys.argv[1], int(sys.argv[2])
data, sequence, flags, n = [], [], [], 1
while True:
    name = folder + ("out.h5" if n == 1 else "out-%d.h5" % n)
    if not os.path.exists(name): break
    with h5py.File(name, "r") as f:
        data.append(f["data"][:]); sequence.append(f["frames/sequence"][:]); flags.append(f["flags"][:])
        assert len(f["data"]) == len(f["frames/utc_ns"]) == len(f["flags"]) 
    n += 1
data, sequence, flags = np.concatenate(data), np.concatenate(sequence), np.concatenate(flags)
assert list(sequence) == list(range(frames)), (len(sequence), n)
assert (data == np.arange(frames, dtype=np.float32)[:, None, None]).all()
assert (flags[:, 1] == (np.arange(frames) % 7 == 0)).all() and not flags[:, 0].any()
assert len([f for f in os.listdir(folder) if f.endswith(".h5")]) == n - 1
)";

FrameType counted_frames() {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", frame_values / 2, {}}, {"channel", 2, {}}};
  type.parts = {2};
  type.rate_hz = 10;
  return type;
}

/// Reports the number of written frames, and the state.
void tell(int pipe, std::uint64_t frames, const std::vector<std::byte>& state) {
  const std::uint64_t head[] = {frames, state.size()};
  (void)!::write(pipe, head, sizeof head);
  (void)!::write(pipe, state.data(), state.size());
}

bool hear(int pipe, void* to, std::size_t bytes) {
  for (std::size_t got = 0; got < bytes;) {
    const ssize_t count = ::read(pipe, static_cast<char*>(to) + got, bytes - got);
    if (count <= 0) return false;
    got += static_cast<std::size_t>(count);
  }
  return true;
}

/// Writes frames from a number on to the last one; reports its state from time to time.
[[noreturn]] void live(const std::filesystem::path& folder, std::uint64_t at, std::vector<std::byte> state,
                       int deflate, Bytes rotate_size, int pipe) {
  const FrameType type = counted_frames();
  Hdf5Sink sink(
      {.output = {.path = folder / "out.h5", .rotate_size = rotate_size}, .deflate = deflate, .title = ""},
      type);
  sink.use_output_book(OutputBook(folder / "book"));
  if (state.empty())
    sink.open();
  else
    sink.resume(state);
  std::vector<std::byte> bytes(type.size().count);
  for (std::uint64_t frame = at; frame < all_frames; ++frame) {
    const std::vector<float> values(frame_values, static_cast<float>(frame));
    std::memcpy(bytes.data(), values.data(), frame_values * sizeof(float));
    FrameHeader header{.sequence = frame, .utc_ns = static_cast<std::int64_t>(frame)};
    header.parts = 2;
    header.missing_parts = frame % 7 == 0 ? 1 : 0;
    std::byte* const flags = bytes.data() + type.data_size().count;
    flags[0] = std::byte{0};
    flags[1] = std::byte{header.missing_parts > 0};
    sink.write({&header, bytes});
    if (frame % 20 == 19) tell(pipe, frame + 1, sink.save().value());
  }
  sink.close();
  tell(pipe, all_frames + 1, {});
  ::_exit(0);
}

struct PlacementKind {
  int deflate;
  Bytes rotate_size;
};

class Hdf5Survival : public ::testing::TestWithParam<PlacementKind> {};

TEST_P(Hdf5Survival, each_frame_exists_once_after_kills_at_any_time) {
  const takt::test::TemporaryFolder folder;
  std::mt19937 random(11);
  std::uint64_t at = 0;
  std::vector<std::byte> state;
  int deaths = 0;
  while (at <= all_frames) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      try {
        live(folder / "", at, state, GetParam().deflate, GetParam().rotate_size, ends[1]);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        ::_exit(1);
      }
    }
    ::close(ends[1]);
    // The first processes are short-lived.
    const std::uint64_t states = deaths < 25 ? random() % 8 : all_frames;
    std::uint64_t head[2];
    for (std::uint64_t i = 0; i < states && hear(ends[0], head, sizeof head); ++i) {
      std::vector<std::byte> next(head[1]);
      ASSERT_TRUE(hear(ends[0], next.data(), next.size()));
      at = head[0];
      state = std::move(next);
    }
    if (at <= all_frames) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
      ::kill(child, SIGKILL);
      ++deaths;
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    // Reports in transit at that time are read, too.
    while (hear(ends[0], head, sizeof head)) {
      std::vector<std::byte> next(head[1]);
      if (!hear(ends[0], next.data(), next.size())) break;
      at = head[0];
      state = std::move(next);
    }
    ::close(ends[0]);
    ASSERT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WEXITSTATUS(status) == 0) << status;
    ASSERT_LT(deaths, 200) << "no life gets to the end";
  }
  EXPECT_GT(deaths, 10);
  const auto result =
      takt::test::Program({takt::test::python, "-c", reader, folder / "", std::to_string(all_frames)}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

INSTANTIATE_TEST_SUITE_P(Ways, Hdf5Survival,
                         ::testing::Values(PlacementKind{0, Bytes{0}}, PlacementKind{4, Bytes{0}},
                                           PlacementKind{0, Bytes{300'000}}),
                         [](const auto& info) {
                           return info.index == 0 ? "plain" : info.index == 1 ? "compressed" : "rotated";
                         });

}  // namespace hdf5_survival_test
}  // namespace takt::sensors
