/// Tests that h5py reads the written data.

#include "sensors/hdf5/sink.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"
#include "tests/support/program.hpp"

namespace takt::sensors {
namespace hdf5_sink_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* reader = R"(
import sys, h5py, numpy as np
with h5py.File(sys.argv[1] + "spectra.h5", "r") as f:
    d = f["data"]
    assert d.shape == (4, 4, 3), d.shape
    assert d.dtype == np.float32 and d.attrs["unit"] == b"counts^2" and d.attrs["axes"] == b"frame time channel"
    assert d.attrs["rate_hz"] == 2.5 and f.attrs["title"] == "a day".encode() and f.attrs["creator"] == b"takt"
    expected = np.arange(48, dtype=np.float32).reshape(4, 4, 3)
    expected[2, 1, 1] = np.nan
    assert np.array_equal(d[:], expected, equal_nan=True)
    assert list(f["axes/channel"][:]) == [1e8, 2e8, 3e8] and "time" not in f["axes"]
    frames = f["frames"]
    assert list(frames["sequence"][:]) == [0, 1, 2, 4] and list(frames["epoch"][:]) == [0, 0, 0, 0]
    assert list(frames["utc_ns"][:]) == [7, 8, 9, 11] and list(frames["missing_parts"][:]) == [0, 0, 1, 0]
    assert d.compression == "gzip"
with h5py.File(sys.argv[1] + "spectra-2.h5", "r") as f:
    assert list(f["frames/epoch"][:]) == [1] and np.array_equal(f["data"][0].ravel(), np.arange(48, 60))
with h5py.File(sys.argv[1] + "packets.h5", "r") as f:
    assert f["data"].dtype == np.dtype([("r", "i1"), ("i", "i1")]), f["data"].dtype
    assert list(f["data"]["r"][0]) == [0, 2, 4] and list(f["data"]["i"][1]) == [1, 3, 5]
    assert f["flags"][:].tolist() == [[0, 0, 0], [0, 1, 0]]
with h5py.File(sys.argv[1] + "masked.h5", "r") as f:
    masked = np.ma.array(f["data"][:], mask=f["mask"][:])
    assert f["mask"].dtype == np.uint8 and masked.shape == (2, 4, 3)
    assert masked.mask.sum() == 2 and masked.mask[1, 1, 1] and masked.mask[1, 2, 1]
    assert f["data"][1, 1, 1] == f["data"][1, 2, 1] == 2 and not np.isnan(f["data"][:]).any()
with h5py.File(sys.argv[1] + "voltages.h5", "r") as f:
    assert f["data"].dtype == np.complex64 and f["data"][0, 1] == 2 + 3j
)";

TEST(Hdf5Sink, writes_what_h5py_reads) {
  const takt::test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 4, {}}, {"channel", 3, {1e8, 2e8, 3e8}}};
  type.rate_hz = 2.5;
  type.unit = "counts^2";
  Hdf5Sink spectra({.output = {.path = folder / "spectra.h5"}, .deflate = 4, .title = "a day"}, type);
  spectra.open();
  float next = 0;
  for (const auto& [sequence, epoch] : {std::pair(0, 0), {1, 0}, {2, 0}, {4, 0}, {0, 1}}) {
    std::vector<float> values(12);
    for (float& value : values) value = next++;
    FrameHeader header{.sequence = static_cast<std::uint64_t>(sequence),
                       .utc_ns = 7 + sequence,
                       .epoch = static_cast<std::uint16_t>(epoch)};
    if (sequence == 2) values[4] = std::nanf(""), header.missing_parts = 1;
    spectra.write({&header, std::as_bytes(std::span(values))});
  }
  spectra.close();
  EXPECT_EQ(spectra.location(), fmt::format("{} to {} (2 files)", (folder / "spectra.h5").string(),
                                            (folder / "spectra-2.h5").string()));

  Hdf5Sink masked({.output = {.path = folder / "masked.h5"}, .missing = MissingPolicy{Missing::hold, true}},
                  type);
  masked.open();
  for (const std::uint64_t sequence : {0, 1}) {
    std::vector<float> values(12, static_cast<float>(sequence + 1));
    if (sequence == 1) values[1] = 2, values[4] = values[7] = std::nanf("");
    const FrameHeader header{.sequence = sequence, .missing_parts = sequence == 1 ? 1U : 0U};
    masked.write({&header, std::as_bytes(std::span(values))});
  }
  masked.close();

  FrameType packets;
  packets.element = ElementType::complex_int8;
  packets.axes = {{"packet", 3, {}}};
  packets.parts = {3};
  Hdf5Sink raw({.output = {.path = folder / "packets.h5"}}, packets);
  raw.open();
  for (const bool is_missing : {false, true}) {
    // The flags of a whole frame are not filled in.
    const std::vector<std::int8_t> bytes{0, 1, 2, 3, 4, 5, static_cast<std::int8_t>(is_missing ? 0 : 9),
                                         1, 0};
    FrameHeader header{.missing_parts = is_missing ? 1U : 0U};
    raw.write({&header, std::as_bytes(std::span(bytes))});
  }
  raw.close();

  FrameType voltages;
  voltages.element = ElementType::complex_float32;
  voltages.axes = {{"time", 2, {}}};
  Hdf5Sink complex({.output = {.path = folder / "voltages.h5"}}, voltages);
  complex.open();
  const std::vector<float> values{0, 1, 2, 3};
  FrameHeader header;
  complex.write({&header, std::as_bytes(std::span(values))});
  complex.close();

  const takt::test::Result result =
      takt::test::Program({"/usr/bin/python3", "-c", reader, (folder / "").string()}).wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;

  // A second run keeps the file, or replaces it on request.
  Hdf5Sink again({.output = {.path = folder / "voltages.h5"}}, voltages);
  EXPECT_THAT([&] { again.open(); }, ThrowsMessage<ConfigError>(HasSubstr("the file exists")));
  Hdf5Sink replacing({.output = {.path = folder / "voltages.h5", .overwrite = true}}, voltages);
  replacing.open();
  replacing.write({&header, std::as_bytes(std::span(values))});
  replacing.close();
  Hdf5Sink nowhere({.output = {.path = folder / "no" / "such.h5"}}, voltages);
  EXPECT_THAT(
      [&] {
        nowhere.open();
        nowhere.write({&header, std::as_bytes(std::span(values))});
      },
      testing::Throws<std::runtime_error>());
}

TEST(Hdf5Sink, begins_files_by_size_time_and_request_and_loses_no_frame) {
  const takt::test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 50'000, {}}};
  constexpr std::uint64_t most = 1 << 20;
  const auto write = [&](Hdf5Sink& sink, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t k = from; k < to; ++k) {
      const std::vector<float> values(50'000, static_cast<float>(k));
      const FrameHeader header{.sequence = k, .utc_ns = static_cast<std::int64_t>(k) * 100'000'000};
      sink.write({&header, std::as_bytes(std::span(values))});
    }
  };
  Hdf5Sink by_size({.output = {.path = folder / "size.h5", .rotate_size = Bytes{most}}}, type);
  by_size.open();
  write(by_size, 0, 20);
  by_size.close();
  // A frame is 200 kB: four in each file of a mebibyte, none of which is larger.
  EXPECT_THAT(by_size.counters()[1].value, 5U);
  for (std::uint64_t i = 1; i <= by_size.counters()[1].value; ++i)
    EXPECT_LE(std::filesystem::file_size(numbered(folder / "size.h5", i)), most);
  Hdf5Sink by_time({.output = {.path = folder / "%H%M%S.h5", .rotate_every = Time(1'000'000'000)}}, type);
  by_time.open();
  write(by_time, 5, 15);
  by_time.begin_file();
  write(by_time, 15, 17);
  by_time.close();
  const takt::test::Result result =
      takt::test::Program(
          {"/usr/bin/python3", "-c",
           "import sys, glob, h5py\n"
           "def frames(name): f = h5py.File(sys.argv[1] + name, 'r'); return [int(x) for x in f['data'][:, "
           "7]]\n"
           "assert frames('000000.h5') == [5, 6, 7, 8, 9], frames('000000.h5')\n"
           "assert frames('000001.h5') == [10, 11, 12, 13, 14] and frames('000001-2.h5') == [15, 16]\n"
           "names = sorted(glob.glob(sys.argv[1] + 'size*.h5'), key=len)\n"
           "all = sorted(sum((frames(n[len(sys.argv[1]):]) for n in names), []))\n"
           "assert all == list(range(20)), all\n",
           (folder / "").string()})
          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  // Another run with that pattern leaves them unchanged.
  Hdf5Sink again({.output = {.path = folder / "%H%M%S.h5"}}, type);
  again.open();
  write(again, 10, 11);
  again.close();
  EXPECT_EQ(again.location(), (folder / "000001-3.h5").string());
}

TEST(Hdf5Sink, an_unfinished_file_is_readable_up_to_the_last_sync) {
  const takt::test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", 8, {}}};
  Hdf5Sink sink({.output = {.path = folder / "a.h5", .sync = Time(1)}}, type);
  sink.open();
  const std::vector<float> values(8, 3);
  for (std::uint64_t k = 0; k < 10; ++k) {
    FrameHeader header{.sequence = k};
    sink.write({&header, std::as_bytes(std::span(values))});
  }
  // In its present state, without closing it.
  std::filesystem::copy_file(folder / "a.h5", folder / "b.h5");
  const takt::test::Result result =
      takt::test::Program(
          {"/usr/bin/python3", "-c",
           "import sys, h5py; d = h5py.File(sys.argv[1], 'r')['data']; assert d.shape == (10, 8) and "
           "(d[:] == 3).all()",
           (folder / "b.h5").string()})
          .wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

}  // namespace hdf5_sink_test
}  // namespace takt::sensors
