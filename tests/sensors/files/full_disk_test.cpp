/// Tests that counters match the file's contents on a disk that becomes full.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/backlog/backlogged_sink.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/hdf5/sink.hpp"
#include "sensors/psrfits/file.hpp"
#include "sensors/psrfits/sink.hpp"
#include "sensors/sigproc/sink.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace files_full_disk_test {

constexpr std::size_t values_per_frame = 8192;

FrameType type_on_disk() {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 1, {0}}, {"channel", values_per_frame, {}}};
  for (std::size_t c = 0; c < values_per_frame; ++c)
    type.axes[1].coordinates.push_back(150e6 + 1e3 * static_cast<double>(c));
  type.rate_hz = 100;
  return type;
}

/// Writes frames until the sink fails; returns their number.
std::uint64_t fill(Sink& sink) {
  std::uint64_t k = 0;
  try {
    sink.open();
    for (; k < 1000; ++k) {
      const std::vector<float> values(values_per_frame, static_cast<float>(k));
      const FrameHeader header{.sequence = k, .utc_ns = static_cast<std::int64_t>(k) * 10'000'000};
      sink.write({&header, std::as_bytes(std::span(values))});
    }
    sink.close();
  } catch (const WorkError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    try {
      sink.close();
    } catch (const WorkError&) {
      // It has failed before.
    }
    return k;
  }
  return 0;
}

/// Returns the frames with the right data in an HDF5 file, read by another library.
std::uint64_t frames_in_hdf5(const std::filesystem::path& file) {
  constexpr const char* reader =
      "import sys, h5py\n"
      "d = h5py.File(sys.argv[1], 'r')['data']\n"
      "assert all((d[k] == k).all() for k in range(len(d)))\n"
      "print(len(d))";
  const test::Result result = test::Program({test::python, "-c", reader, file}).wait();
  if (result.exit_code == 0) return std::stoull(result.out);
  std::fprintf(stderr, "%s\n", result.err.c_str());
  return std::numeric_limits<std::uint64_t>::max();
}

void write_text(const char* file, const std::string& text) {
  std::ofstream(file) << text;
}

/// Mounts a disk of 4 MiB that only this process sees; returns whether that succeeded.
bool mount_small_disk(const std::filesystem::path& folder) {
  const std::string user = fmt::format("0 {} 1", ::geteuid()), group = fmt::format("0 {} 1", ::getegid());
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    write_text("/proc/self/setgroups", "deny");
    write_text("/proc/self/uid_map", user);
    write_text("/proc/self/gid_map", group);
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=4m") == 0;
}

/// Runs the action in a separate process on a small disk. Returns its exit code; empty if the system does not
/// permit such a disk.
template <class Action>
std::optional<int> on_small_disk(const std::filesystem::path& folder, Action act) {
  constexpr int no_disk = 77, has_thrown = 78;
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(folder)) ::_exit(no_disk);
    try {
      ::_exit(act());
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(has_thrown);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == no_disk) return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(FullDisk, an_hdf5_file_holds_the_counted_frames) {
  const test::TemporaryFolder folder;
  const auto code = on_small_disk(folder / "", [&] {
    Hdf5Sink sink({.output = {.path = folder / "a.h5"}}, type_on_disk());
    const std::uint64_t failed_at = fill(sink);
    const std::uint64_t written = test::value_of(sink.counters(), "frames_written");
    const std::uint64_t there = frames_in_hdf5(folder / "a.h5");
    std::fprintf(stderr, "failed at frame %lu, %lu written, %lu in the file\n", failed_at, written, there);
    // 4 MiB hold 128 frames less the tables.
    return written == there && written > 100 && failed_at >= written ? 0 : 1;
  });
  if (!code) GTEST_SKIP() << "no file system of its own for a test";
  EXPECT_EQ(*code, 0);
}

TEST(FullDisk, a_backlog_counts_the_frames_in_the_file_and_drops_the_others) {
  const test::TemporaryFolder folder;
  const auto code = on_small_disk(folder / "", [&] {
    auto own =
        std::make_unique<SigprocSink>(SigprocOptions{.output = {.path = folder / "a.fil"}}, type_on_disk());
    const Sink& file = *own;
    BackloggedSink sink(std::move(own), type_on_disk(), {.policy = BacklogPolicy::block, .depth = 8});
    (void)fill(sink);
    const std::vector<Counter> counters = sink.counters();
    const std::uint64_t given = test::value_of(counters, "backlog_given"),
                        received = test::value_of(counters, "backlog_received"),
                        dropped = test::value_of(counters, "backlog_dropped"),
                        written = test::value_of(file.counters(), "frames_written");
    const std::uint64_t there =
        std::filesystem::file_size(folder / "a.fil") / (values_per_frame * sizeof(float));
    std::fprintf(stderr, "%lu received, %lu given, %lu dropped, %lu written, %lu in the file\n", received,
                 given, dropped, written, there);
    return given == there && written == there && received == given + dropped && there > 100 ? 0 : 1;
  });
  if (!code) GTEST_SKIP() << "no file system of its own for a test";
  EXPECT_EQ(*code, 0);
}

TEST(FullDisk, a_psrfits_file_holds_the_counted_rows_in_whole_blocks) {
  const test::TemporaryFolder folder;
  const auto code = on_small_disk(folder / "", [&] {
    PsrfitsSink sink({.output = {.path = folder / "a.fits"}}, type_on_disk());
    const std::uint64_t failed_at = fill(sink);
    const std::uint64_t written = test::value_of(sink.counters(), "frames_written");
    SampleFileSource source({.pieces = read_psrfits(folder / "a.fits", 1)});
    source.start();
    const std::vector<test::KeptFrame> frames = test::take_all(source);
    bool are_theirs = true;
    for (std::size_t k = 0; k < frames.size(); ++k) {
      float value = 0;
      std::memcpy(&value, frames[k].bytes.data() + frames[k].bytes.size() - sizeof value, sizeof value);
      are_theirs &= value == static_cast<float>(k);
    }
    const std::uint64_t size = std::filesystem::file_size(folder / "a.fits");
    std::fprintf(stderr, "failed at frame %lu, %lu written, %zu in the file of %lu bytes\n", failed_at,
                 written, frames.size(), size);
    // Rows of 8192 x (8 + 4 + 4 + 4 + 4) bytes and 16: 21 in 4 MiB.
    return written == frames.size() && failed_at == written && written > 15 && size % 2880 == 0 && are_theirs
               ? 0
               : 1;
  });
  if (!code) GTEST_SKIP() << "no file system of its own for a test";
  EXPECT_EQ(*code, 0);
}

TEST(FullDisk, a_gap_too_long_for_a_file_begins_another_one) {
  const test::TemporaryFolder folder;
  FrameType type = type_on_disk();
  type.axes[1] = {"channel", 2, {150e6, 151e6}};
  SigprocSink sink({.output = {.path = folder / "a.fil"}}, type);
  sink.open();
  const std::vector<float> values(2, 1);
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{1} << 40,
                                     (std::uint64_t{1} << 40) + 1, std::uint64_t{1} << 63}) {
    const FrameHeader header{.sequence = number, .utc_ns = static_cast<std::int64_t>(number)};
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  sink.close();
  EXPECT_EQ(test::value_of(sink.counters(), "files"), 3U);
  EXPECT_LT(std::filesystem::file_size(folder / "a.fil"), 1000U);
  EXPECT_LT(std::filesystem::file_size(folder / "a-2.fil"), 1000U);
}

}  // namespace files_full_disk_test
}  // namespace takt::sensors
