/// Tests that HDF5 files are read back unchanged: takt's frames, and filterbanks of blimpy's layout.

#include "sensors/hdf5/file_source.hpp"

#include <cmath>
#include <cstring>
#include <numeric>

#include <gmock/gmock.h>
#include <hdf5.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/hdf5/filterbank.hpp"
#include "sensors/hdf5/sink.hpp"
#include "tests/sensors/hdf5/made_filterbank.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/support/compressed.hpp"

namespace takt::sensors {
namespace hdf5_file_source_test {

using test::KeptFrame;
using test::MadeFilterbank;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<float> floats(const KeptFrame& frame) {
  std::vector<float> values(frame.bytes.size() / sizeof(float));
  std::memcpy(values.data(), frame.bytes.data(), frame.bytes.size());
  return values;
}

TEST(Hdf5Filterbank, has_its_times_frequencies_and_values) {
  const test::TemporaryFolder folder;
  for (const hid_t stored : {H5T_IEEE_F32LE, H5T_STD_U8LE, H5T_STD_U16BE}) {
    MadeFilterbank made;
    made.stored = stored;
    made.with("nbits", static_cast<double>(H5Tget_size(stored) * 8)).write(folder / "a.h5");
    ASSERT_TRUE(is_hdf5_filterbank(folder / "a.h5"));
    SampleFileSource source({.pieces = {read_hdf5_filterbank(folder / "a.h5", 2)}});
    EXPECT_EQ(source.type().to_string(), "float32[time=2][stokes=2][channel=3]");
    EXPECT_THAT(source.type().axes[2].coordinates, ElementsAre(1500e6, 1499.5e6, 1499e6));
    EXPECT_THAT(source.description(), Contains("source_name: Voyager1"));
    source.start();
    const std::vector<KeptFrame> frames = test::take_all(source);
    ASSERT_EQ(frames.size(), 3U);
    // MJD 59759.0625 is 2022-06-29T01:30:00.
    EXPECT_EQ(frames[1].header.utc_ns, 1656466201'000'000'000);
    for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(floats(frames[i / 12])[i % 12], static_cast<float>(i));
    EXPECT_EQ(frames[2].header.missing_parts, 1U);
    EXPECT_THAT(source.warnings(), ElementsAre());
  }
}

TEST(Hdf5Filterbank, files_that_follow_each_other_are_one_stream) {
  const test::TemporaryFolder folder;
  MadeFilterbank().write(folder / "a.h5");
  MadeFilterbank second = MadeFilterbank().with("tstart", 59759.0625 + 2.5 / 86400);
  second.first = 30;
  second.write(folder / "b.h5");
  SampleFileSource source(
      {.pieces = {read_hdf5_filterbank(folder / "b.h5", 2), read_hdf5_filterbank(folder / "a.h5", 2)}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  ASSERT_EQ(frames.size(), 5U);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(floats(frames[i / 12])[i % 12], static_cast<float>(i));
}

TEST(Hdf5Filterbank, barycentric_times_cause_a_warning_and_equal_frequencies_an_error) {
  const test::TemporaryFolder folder;
  MadeFilterbank().with("barycentric", 1).write(folder / "a.h5");
  const SampleFileSource source({.pieces = {read_hdf5_filterbank(folder / "a.h5", 2)}});
  EXPECT_THAT(source.warnings(), ElementsAre(HasSubstr("barycentric is 1")));
  MadeFilterbank().with("foff", 0).write(folder / "b.h5");
  EXPECT_THAT([&] { (void)read_hdf5_filterbank(folder / "b.h5", 2); },
              ThrowsMessage<ConfigError>(HasSubstr("foff is 0: all channels have one frequency")));
}

TEST(Hdf5Filterbank, a_start_of_0_and_doubles_cause_warnings) {
  const test::TemporaryFolder folder;
  MadeFilterbank made = MadeFilterbank().with("tstart", 0).with("nbits", 64);
  made.stored = H5T_IEEE_F64LE;
  made.write(folder / "a.h5");
  const SampleFileSource source({.pieces = {read_hdf5_filterbank(folder / "a.h5", 2)}});
  EXPECT_THAT(source.warnings(),
              testing::UnorderedElementsAre(HasSubstr("tstart is 0: times count from 1858"),
                                            HasSubstr("numbers of 64 bits become float32")));
}

TEST(Hdf5Filterbank, masked_values_are_missing) {
  const test::TemporaryFolder folder;
  MadeFilterbank made;
  made.masked = {7};
  made.write(folder / "a.h5");
  SampleFileSource source({.pieces = {read_hdf5_filterbank(folder / "a.h5", 2)}});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  EXPECT_TRUE(std::isnan(floats(frames[0])[7]));
  EXPECT_EQ(floats(frames[0])[8], 8);
  EXPECT_EQ(frames[0].header.missing_parts, 1U);
}

TEST(Hdf5Filterbank, a_mask_of_other_dimensions_is_refused) {
  const test::TemporaryFolder folder;
  MadeFilterbank().write(folder / "a.h5");
  const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const std::vector<hsize_t> size{5, 2, 3, 1};
  const hid_t space = H5Screate_simple(4, size.data(), nullptr);
  H5Dclose(H5Dcreate2(file, "mask", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space), H5Fclose(file);
  EXPECT_THAT([&] { (void)read_hdf5_filterbank(folder / "a.h5", 2); },
              ThrowsMessage<ConfigError>(HasSubstr("'mask' does not fit")));
}

TEST(Hdf5Filterbank, attributes_that_are_missing_or_contradict_the_data_are_refused_by_name) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](const MadeFilterbank& made) -> std::string {
    made.write(folder / "a.h5");
    try {
      (void)read_hdf5_filterbank(folder / "a.h5", 2);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  for (const char* name : {"fch1", "foff", "tsamp", "tstart"})
    EXPECT_THAT(refusal(MadeFilterbank().with(name, {})),
                HasSubstr(std::string("it has no attribute ") + name));
  EXPECT_THAT(refusal(MadeFilterbank().with("nchans", 4)),
              HasSubstr("nchans is 4, but its dataset 'data' has 3"));
  EXPECT_THAT(refusal(MadeFilterbank().with("nifs", 1)), HasSubstr("nifs is 1"));
  EXPECT_THAT(refusal(MadeFilterbank().with("data_type", 2)), HasSubstr("data_type is 2: expected 1"));
  EXPECT_THAT(refusal(MadeFilterbank().with("tsamp", -1)), HasSubstr("samples every -1 s"));
  MadeFilterbank flat;
  flat.size = {5, 6};
  EXPECT_THAT(refusal(flat), HasSubstr("2 dimensions: expected [time][IF][channel]"));
  MadeFilterbank().with("nbits", 8).write(folder / "a.h5");
  EXPECT_THAT(read_hdf5_filterbank(folder / "a.h5", 2).layout.warnings,
              ElementsAre(HasSubstr("nbits is 8, but the values have 32 bits")));
  MadeFilterbank().with("mine", 8).write(folder / "a.h5");
  EXPECT_THAT(read_hdf5_filterbank(folder / "a.h5", 2).layout.warnings, ElementsAre(HasSubstr("'mine'")));
  EXPECT_THAT([&] { (void)is_hdf5_filterbank(folder.file("a.h5.gz", test::gzipped("x"))); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read a compressed HDF5 file")));
}

/// Writes frames with these numbers as the sink does.
void write_frames(const std::filesystem::path& path, const FrameType& type, std::size_t first,
                  std::size_t end, std::size_t left_out) {
  Hdf5Sink sink({.output = {.path = path}}, type);
  sink.open();
  for (std::size_t k = first; k < end; ++k) {
    if (k == left_out) continue;
    std::vector<std::byte> bytes(type.size().count, static_cast<std::byte>(k));
    FrameHeader header{.sequence = k,
                       .utc_ns = 1'000'000'000 * static_cast<std::int64_t>(k + 1),
                       .first_sample = 4 * k,
                       .parts = 4,
                       .missing_parts = k == first ? 1U : 0U};
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(type.data_size().count), bytes.end(), std::byte{0});
    if (k == first) bytes.back() = std::byte{1};
    sink.write({&header, bytes});
  }
  sink.close();
}

TEST(Hdf5FileSource, frames_of_several_files_have_their_numbers_times_and_flags) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"time", 4, {}}};
  type.rate_hz = 1;
  type.parts = {4};
  write_frames(folder / "b.h5", type, 4, 9, 6);
  write_frames(folder / "a.h5", type, 0, 5, 99);
  const Hdf5FileOptions options{.files = {folder / "b.h5", folder / "a.h5"}, .source = 3};
  Hdf5FileSource source(options);
  EXPECT_EQ(source.type().parts, std::vector<std::size_t>{4});
  source.start();
  const std::vector<KeptFrame> frames = test::take_all(source);
  std::vector<std::uint64_t> numbers;
  for (const KeptFrame& frame : frames) {
    numbers.push_back(frame.header.sequence);
    EXPECT_EQ(frame.header.utc_ns, 1'000'000'000 * static_cast<std::int64_t>(frame.header.sequence + 1));
    EXPECT_EQ(frame.header.first_sample, 4 * frame.header.sequence);
    EXPECT_EQ(std::to_integer<std::uint64_t>(frame.bytes[0]), frame.header.sequence);
    EXPECT_EQ(frame.header.source, 3);
  }
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 4, 5, 7, 8));
  EXPECT_EQ(std::to_integer<int>(frames[0].bytes[7]), 1) << "the flag of the part that is missing";
  EXPECT_EQ(source.counters().lost, 1U);
  EXPECT_EQ(test::value_of(source.counters().details, "frames_duplicate"), 1U);
  for (std::size_t taken = 0; taken <= frames.size(); ++taken) {
    Hdf5FileSource rest(options);
    ASSERT_TRUE(rest.resume_after({.frames = taken, .last = {}}));
    rest.start();
    ASSERT_EQ(test::take_all(rest).size(), frames.size() - taken);
    EXPECT_EQ(rest.counters().ingested, frames.size());
  }
}

/// A file by the HDF5 library alone: `data` with these elements and dimensions, without values, and an
/// attribute `rate_hz` with this many values.
void write_bare(const std::filesystem::path& path, hid_t element, const std::vector<hsize_t>& size,
                hsize_t rates = 1, hsize_t numbers = 0) {
  const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
  const hid_t data = H5Dcreate2(file, "data", element, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t many = H5Screate_simple(1, &rates, nullptr);
  const hid_t rate = H5Acreate2(data, "rate_hz", H5T_IEEE_F64LE, many, H5P_DEFAULT, H5P_DEFAULT);
  H5Awrite(rate, H5T_NATIVE_DOUBLE, std::vector<double>(rates, 8).data());
  const hid_t frames = H5Gcreate2(file, "frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (numbers > 0) {
    const hid_t long_space = H5Screate_simple(1, &numbers, nullptr);
    H5Dclose(
        H5Dcreate2(frames, "sequence", H5T_STD_U64LE, long_space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(long_space);
  }
  H5Gclose(frames), H5Aclose(rate), H5Sclose(many), H5Dclose(data), H5Sclose(space), H5Fclose(file);
}

TEST(Hdf5FileSource, a_frame_that_misses_more_parts_than_it_has_is_an_error) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"time", 4, {}}, {"channel", 2, {}}};
  type.rate_hz = 1;
  type.parts = {4};
  Hdf5Sink sink({.output = {.path = folder / "a.h5"}}, type);
  sink.open();
  const std::vector<std::byte> bytes(type.size().count);
  for (const std::uint32_t missing : {4U, 5U}) {
    const FrameHeader header{.sequence = missing, .parts = 4, .missing_parts = missing};
    sink.write({&header, bytes});
  }
  sink.close();
  Hdf5FileSource source({.files = {folder / "a.h5"}});
  source.start();
  FrameView frame;
  ASSERT_EQ(source.poll(frame), SourceState::frame);
  EXPECT_EQ(frame.header->missing_parts, 4U);
  EXPECT_THAT([&] { (void)source.poll(frame); },
              ThrowsMessage<WorkError>(HasSubstr("a.h5: frame 1 misses 5 of 4 parts: the file is damaged")));
}

TEST(Hdf5FileSource, an_attribute_with_several_values_is_ignored) {
  const test::TemporaryFolder folder;
  for (const auto& [rates, expected] : {std::pair(1, 8.0), std::pair(1000, 0.0)}) {
    write_bare(folder / "a.h5", H5T_STD_U8LE, {2, 4}, static_cast<hsize_t>(rates));
    EXPECT_EQ(Hdf5FileSource({.files = {folder / "a.h5"}}).type().rate_hz, expected);
  }
}

TEST(Hdf5FileSource, elements_and_dimensions_that_no_frame_has_are_refused) {
  const test::TemporaryFolder folder;
  const auto refusal = [&](hid_t element, const std::vector<hsize_t>& size,
                           hsize_t numbers = 0) -> std::string {
    write_bare(folder / "a.h5", element, size, 1, numbers);
    try {
      (void)Hdf5FileSource({.files = {folder / "a.h5"}});
    } catch (const ConfigError& error) {
      return error.what();
    }
    return {};
  };
  const auto pair = [](hid_t first, hid_t second, std::size_t bytes) {
    const hid_t type = H5Tcreate(H5T_COMPOUND, bytes);
    H5Tinsert(type, "r", 0, first);
    H5Tinsert(type, "i", H5Tget_size(first), second);
    return type;
  };
  EXPECT_EQ(refusal(pair(H5T_STD_I16LE, H5T_STD_I16LE, 4), {2, 4}), "");
  for (const hid_t other : {pair(H5T_STD_I8LE, H5T_STD_I16LE, 4), pair(H5T_STD_I32LE, H5T_STD_I32LE, 8),
                            pair(H5T_STD_I8LE, H5T_STD_I8LE, 8), H5T_STD_U32LE, H5T_STD_I64LE})
    EXPECT_THAT(refusal(other, {2, 4}), HasSubstr("an unsupported element type"));
  EXPECT_THAT(refusal(H5T_STD_U8LE, {2, 0}), HasSubstr("dimension 1 of its dataset 'data' is 0"));
  EXPECT_THAT(refusal(H5T_STD_U8LE, {2, 1ULL << 40}), HasSubstr("which exceeds the file's size"));
  EXPECT_THAT(refusal(H5T_STD_U8LE, {2, 4}, 1ULL << 40),
              HasSubstr("'frames/sequence' has 1099511627776 values, which exceeds the file's size"));
}

TEST(Hdf5FileSource, elements_that_contradict_the_stored_size_are_refused) {
  const test::TemporaryFolder folder;
  write_bare(folder / "a.h5", H5T_STD_U8LE, {2, 4});
  {
    const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
    H5Dwrite(data, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, "12345678");
    H5Dclose(data), H5Fclose(file);
  }
  EXPECT_NO_THROW((void)Hdf5FileSource({.files = {folder / "a.h5"}}));
  // Changes the datatype message of unsigned integers from 8 to 16 bits: HDF5 file format, IV.A.2.d.
  std::string bytes = test::read_file(folder / "a.h5");
  const std::string narrow("\x10\0\0\0\1\0\0\0\0\0\x08\0", 12), wide("\x10\0\0\0\2\0\0\0\0\0\x10\0", 12);
  ASSERT_NE(bytes.find(narrow), std::string::npos);
  bytes.replace(bytes.find(narrow), narrow.size(), wide);
  EXPECT_THAT([&] { (void)Hdf5FileSource({.files = {folder.file("b.h5", bytes)}}); },
              ThrowsMessage<ConfigError>(HasSubstr("contradicts its dimensions")));
}

/// HDF5 would deliver a trillion frames of zeros.
TEST(Hdf5FileSource, more_frames_than_are_stored_are_refused) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"time", 4, {}}};
  write_frames(folder / "a.h5", type, 0, 3, 99);
  EXPECT_NO_THROW((void)Hdf5FileSource({.files = {folder / "a.h5"}}));
  const hid_t file = H5Fopen((folder / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t data = H5Dopen2(file, "data", H5P_DEFAULT);
  const std::vector<hsize_t> size{hsize_t{1} << 40, 4};
  ASSERT_GE(H5Dset_extent(data, size.data()), 0);
  H5Dclose(data), H5Fclose(file);
  EXPECT_THAT([&] { (void)Hdf5FileSource({.files = {folder / "a.h5"}}); },
              ThrowsMessage<ConfigError>(HasSubstr("'data' has fewer chunks than its dimensions need")));
}

TEST(Hdf5FileSource, files_of_other_frames_are_refused_by_name) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"time", 4, {}}};
  write_frames(folder / "a.h5", type, 0, 2, 99);
  type.axes = {{"time", 5, {}}};
  write_frames(folder / "b.h5", type, 2, 3, 99);
  EXPECT_THAT(
      [&] {
        Hdf5FileSource({.files = {folder / "a.h5", folder / "b.h5"}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("b.h5: frames uint8[time=5], but")));
}

TEST(Hdf5FileSource, a_rate_or_a_coordinate_that_is_not_finite_is_refused) {
  const test::TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"channel", 2, {1e6, std::nan("")}}};
  write_frames(folder / "a.h5", type, 0, 2, 99);
  EXPECT_THAT(
      [&] { (void)Hdf5FileSource({.files = {folder / "a.h5"}}); },
      ThrowsMessage<ConfigError>(HasSubstr("a.h5: a coordinate of its axis 'channel' is not finite")));
  type.axes = {{"channel", 2, {}}};
  type.rate_hz = std::nan("");
  write_frames(folder / "b.h5", type, 0, 2, 99);
  EXPECT_THAT([&] { (void)Hdf5FileSource({.files = {folder / "b.h5"}}); },
              ThrowsMessage<ConfigError>(HasSubstr("b.h5: its attribute rate_hz is nan")));
}

}  // namespace hdf5_file_source_test
}  // namespace takt::sensors
