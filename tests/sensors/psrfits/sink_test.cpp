/// Tests the contents of PSRFITS files by CFITSIO and by the reader.

#include "sensors/psrfits/sink.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>

#include <fitsio.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "core/error.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/option_error.hpp"
#include "sensors/psrfits/file.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace psrfits_sink_test {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

/// `date -u -d 2022-06-29T01:30:00 +%s`, and 250 000 001 ns.
constexpr std::int64_t start_ns = 1'656'466'200'250'000'001;

constexpr std::size_t values_per_frame = 4 * 2 * 3;

/// 4 samples, 2 polarisations, 3 unevenly spaced channels in descending order of frequency; 25 frames/s.
FrameType spectra(ElementType element = ElementType::float32) {
  FrameType type;
  type.element = element;
  type.axes = {{"time", 4, {}}, {"polarisation", 2, {}}, {"channel", 3, {1401e6, 1400.5e6, 1399e6}}};
  type.rate_hz = 25;
  return type;
}

std::vector<float> counting_from(float first, std::size_t count = values_per_frame) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

template <class Value>
void write_frame(Sink& sink, FrameHeader header, const std::vector<Value>& values) {
  header.utc_ns = start_ns + static_cast<std::int64_t>(header.sequence) * 40'000'000;
  sink.write({&header, std::as_bytes(std::span(values))});
}

/// A file read by CFITSIO, which verifies every structure.
class Fits {
 public:
  explicit Fits(const std::filesystem::path& path) {
    (void)fits_open_diskfile(&file_, path.c_str(), READONLY, &status_);
    for (const auto& [name, value] : keywords()) primary_[name] = value;
    std::string table = "SUBINT";
    fits_movnam_hdu(file_, BINARY_TBL, table.data(), 0, &status_);
    for (const auto& [name, value] : keywords()) subint_[name] = value;
  }
  Fits(const Fits&) = delete;
  Fits& operator=(const Fits&) = delete;
  ~Fits() {
    int status = 0;
    fits_close_file(file_, &status);
  }

  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const std::map<std::string, std::string>& primary() const { return primary_; }
  [[nodiscard]] const std::map<std::string, std::string>& subint() const { return subint_; }
  [[nodiscard]] long rows() {
    long rows = 0;
    fits_get_num_rows(file_, &rows, &status_);
    return rows;
  }
  /// All values of a column in one row, counted from 1.
  [[nodiscard]] std::vector<double> column(std::string name, long row) {
    int number = 0, type = 0;
    long repeat = 0, width = 0;
    fits_get_colnum(file_, CASESEN, name.data(), &number, &status_);
    fits_get_coltype(file_, number, &type, &repeat, &width, &status_);
    std::vector<double> values(static_cast<std::size_t>(repeat));
    fits_read_col(file_, TDOUBLE, number, row, 1, repeat, nullptr, values.data(), nullptr, &status_);
    return values;
  }

 private:
  std::map<std::string, std::string> keywords() {
    std::map<std::string, std::string> found;
    int count = 0;
    fits_get_hdrspace(file_, &count, nullptr, &status_);
    for (int i = 1; i <= count; ++i) {
      std::array<char, FLEN_KEYWORD> name{};
      std::array<char, FLEN_VALUE> value{};
      fits_read_keyn(file_, i, name.data(), value.data(), nullptr, &status_);
      found[name.data()] = value.data();
    }
    return found;
  }

  fitsfile* file_ = nullptr;
  int status_ = 0;
  std::map<std::string, std::string> primary_, subint_;
};

struct ReadBack {
  FrameType type;
  std::vector<std::string> warnings, description;
  std::vector<test::KeptFrame> frames;

  [[nodiscard]] std::vector<float> values(std::size_t frame) const {
    std::vector<float> values(frames[frame].bytes.size() / sizeof(float));
    std::memcpy(values.data(), frames[frame].bytes.data(), values.size() * sizeof(float));
    return values;
  }
};

ReadBack read_back(const std::filesystem::path& file, std::size_t samples = 4) {
  SampleFileSource source({.pieces = read_psrfits(file, samples)});
  ReadBack back{.type = source.type(), .description = source.description()};
  source.start();
  back.frames = test::take_all(source);
  back.warnings = source.warnings();
  return back;
}

TEST(PsrfitsSink, headers_and_columns_are_read_by_cfitsio) {
  const test::TemporaryFolder folder;
  PsrfitsSink sink({.output = {.path = folder / "a.fits"}, .source_name = "B0329+54", .telescope = "GBT"},
                   spectra());
  sink.open();
  write_frame(sink, {.sequence = 5}, counting_from(0.5F));
  write_frame(sink, {.sequence = 6}, counting_from(100));
  const std::string before = test::read_file(folder / "a.fits");
  sink.close();
  EXPECT_EQ(before, test::read_file(folder / "a.fits")) << "the file is whole before it is closed";
  EXPECT_EQ(before.size() % 2880, 0U);

  Fits fits(folder / "a.fits");
  ASSERT_EQ(fits.status(), 0);
  const std::map<std::string, std::string> primary{{"SIMPLE", "T"},
                                                   {"BITPIX", "8"},
                                                   {"NAXIS", "0"},
                                                   {"EXTEND", "T"},
                                                   {"FITSTYPE", "'PSRFITS '"},
                                                   {"HDRVER", "'6.1     '"},
                                                   {"TELESCOP", "'GBT     '"},
                                                   {"BACKEND", "'takt    '"},
                                                   {"OBS_MODE", "'SEARCH  '"},
                                                   // Five frames of 40 ms after the start.
                                                   {"DATE-OBS", "'2022-06-29T01:30:00.450'"},
                                                   {"OBSFREQ", "1400.0"},
                                                   {"OBSBW", "-3.0"},
                                                   {"OBSNCHAN", "3"},
                                                   {"SRC_NAME", "'B0329+54'"},
                                                   // 2022-06-29 is day 59759.
                                                   {"STT_IMJD", "59759"},
                                                   {"STT_SMJD", "5400"},
                                                   {"STT_OFFS", "0.450000001"}};
  EXPECT_EQ(fits.primary(), primary);
  const std::map<std::string, std::string> subint{{"XTENSION", "'BINTABLE'"},
                                                  {"BITPIX", "8"},
                                                  {"NAXIS", "2"},
                                                  // 2 x 8 and 3 x (8 + 4), 2 x 6 x 4, 24 x 4.
                                                  {"NAXIS1", "196"},
                                                  {"NAXIS2", "2"},
                                                  {"PCOUNT", "0"},
                                                  {"GCOUNT", "1"},
                                                  {"TFIELDS", "7"},
                                                  {"EXTNAME", "'SUBINT  '"},
                                                  {"TTYPE1", "'TSUBINT '"},
                                                  {"TFORM1", "'1D      '"},
                                                  {"TUNIT1", "'s       '"},
                                                  {"TTYPE2", "'OFFS_SUB'"},
                                                  {"TFORM2", "'1D      '"},
                                                  {"TUNIT2", "'s       '"},
                                                  {"TTYPE3", "'DAT_FREQ'"},
                                                  {"TFORM3", "'3D      '"},
                                                  {"TUNIT3", "'MHz     '"},
                                                  {"TTYPE4", "'DAT_WTS '"},
                                                  {"TFORM4", "'3E      '"},
                                                  {"TTYPE5", "'DAT_OFFS'"},
                                                  {"TFORM5", "'6E      '"},
                                                  {"TTYPE6", "'DAT_SCL '"},
                                                  {"TFORM6", "'6E      '"},
                                                  {"TTYPE7", "'DATA    '"},
                                                  {"TFORM7", "'24E     '"},
                                                  {"TDIM7", "'(3,2,4) '"},
                                                  {"INT_TYPE", "'TIME    '"},
                                                  {"INT_UNIT", "'SEC     '"},
                                                  {"POL_TYPE", "'AABB    '"},
                                                  {"NPOL", "2"},
                                                  {"TBIN", "0.01"},
                                                  {"NBIN", "1"},
                                                  {"NBITS", "32"},
                                                  {"ZERO_OFF", "0.0"},
                                                  {"SIGNINT", "0"},
                                                  {"NSUBOFFS", "0"},
                                                  {"NCHAN", "3"},
                                                  {"CHAN_BW", "-1.0"},
                                                  {"NCHNOFFS", "0"},
                                                  {"NSBLK", "4"}};
  EXPECT_EQ(fits.subint(), subint);
  EXPECT_EQ(fits.rows(), 2);
  EXPECT_THAT(fits.column("TSUBINT", 2), ElementsAre(0.04));
  EXPECT_THAT(fits.column("OFFS_SUB", 1), ElementsAre(0.02));
  EXPECT_THAT(fits.column("OFFS_SUB", 2), ElementsAre(0.06));
  EXPECT_THAT(fits.column("DAT_FREQ", 2), ElementsAre(1401, 1400.5, 1399));
  EXPECT_THAT(fits.column("DAT_WTS", 1), Each(1));
  EXPECT_THAT(fits.column("DAT_OFFS", 1), Each(0));
  EXPECT_THAT(fits.column("DAT_SCL", 1), Each(1));
  const std::vector<double> data = fits.column("DATA", 1);
  ASSERT_EQ(data.size(), values_per_frame);
  for (std::size_t i = 0; i < data.size(); ++i) EXPECT_EQ(data[i], static_cast<double>(i) + 0.5);
  EXPECT_EQ(fits.column("DATA", 2)[23], 123);
  EXPECT_EQ(fits.status(), 0);
}

TEST(PsrfitsSink, the_reader_finds_values_times_and_frequencies_again) {
  const test::TemporaryFolder folder;
  PsrfitsSink sink({.output = {.path = folder / "a.fits"}}, spectra());
  sink.open();
  for (std::uint64_t k = 0; k < 40; ++k)
    write_frame(sink, {.sequence = k}, counting_from(static_cast<float>(k) - 0.25F));
  sink.close();
  const ReadBack back = read_back(folder / "a.fits");
  EXPECT_THAT(back.warnings, IsEmpty());
  EXPECT_EQ(back.type.to_string(), "float32[time=4][polarisation=2][channel=3]");
  EXPECT_DOUBLE_EQ(back.type.rate_hz, 25);
  EXPECT_EQ(back.type.axes[2].coordinates, spectra().axes[2].coordinates);
  ASSERT_EQ(back.frames.size(), 40U);
  for (std::uint64_t k = 0; k < 40; ++k) {
    EXPECT_EQ(back.frames[k].header.utc_ns, start_ns + static_cast<std::int64_t>(k) * 40'000'000);
    EXPECT_EQ(back.values(k), counting_from(static_cast<float>(k) - 0.25F));
  }
  EXPECT_THAT(back.description, Contains("SRC_NAME: takt"));
}

TEST(PsrfitsSink, uint8_values_and_omitted_axes_are_kept) {
  const test::TemporaryFolder folder;
  const auto write = [&](std::vector<Axis> axes) {
    FrameType type = spectra(ElementType::uint8);
    type.axes = std::move(axes);
    PsrfitsSink sink({.output = {.path = folder / "a.fits", .overwrite = true}}, type);
    sink.open();
    std::vector<std::uint8_t> codes(type.element_count());
    std::iota(codes.begin(), codes.end(), std::uint8_t{250});
    write_frame(sink, {}, codes);
    write_frame(sink, {.sequence = 1}, codes);
    sink.close();
    const ReadBack back = read_back(folder / "a.fits", type.axes[0].name == "time" ? 4 : 1);
    EXPECT_THAT(back.warnings, IsEmpty());
    EXPECT_EQ(back.frames.size(), 2U);
    for (std::size_t i = 0; i < codes.size(); ++i) EXPECT_EQ(back.values(1)[i], codes[i]);
    return back.type.to_string();
  };
  const Axis channel = spectra().axes[2];
  EXPECT_EQ(write({{"time", 4, {}}, {"stokes", 4, {}}, channel}), "float32[time=4][stokes=4][channel=3]");
  EXPECT_EQ(write({{"time", 4, {}}, {"stokes", 1, {}}, channel}), "float32[time=4][channel=3]");
  EXPECT_EQ(write({channel}), "float32[time=1][channel=3]");
  Fits fits(folder / "a.fits");
  EXPECT_EQ(fits.subint().at("NBITS") + fits.subint().at("TFORM7"), "8'3B      '");
  EXPECT_EQ(fits.subint().at("POL_TYPE"), "'AA+BB   '");
  EXPECT_THAT(fits.column("DATA", 1), ElementsAre(250, 251, 252));
}

TEST(PsrfitsSink, floats_of_8_bits_are_within_half_a_step_of_their_scale) {
  const test::TemporaryFolder folder;
  PsrfitsSink sink({.output = {.path = folder / "a.fits"}, .bits = 8}, spectra());
  sink.open();
  std::vector<float> values = counting_from(-3);
  values[7] = 1e6F;
  values[20] = std::numeric_limits<float>::infinity();
  // One channel without variation.
  for (std::size_t i = 5; i < values.size(); i += 6) values[i] = 4.5F;
  write_frame(sink, {}, values);
  sink.close();
  EXPECT_EQ(test::value_of(sink.counters(), "values_clipped"), 1U) << "infinity";
  Fits fits(folder / "a.fits");
  const std::vector<double> scales = fits.column("DAT_SCL", 1), offsets = fits.column("DAT_OFFS", 1),
                            codes = fits.column("DATA", 1);
  EXPECT_EQ(fits.subint().at("TFORM7"), "'24B     '");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 20) continue;
    const double step = scales[i % 6];
    EXPECT_NEAR(codes[i] * step + offsets[i % 6], static_cast<double>(values[i]), step * 0.5001) << i;
  }
  // From -2 to 1e6, divided into 255 steps.
  EXPECT_NEAR(scales[1], (1e6 + 2) / 255, 1e-3);
  EXPECT_EQ(codes[7], 255);
  EXPECT_EQ(offsets[5], 4.5);
  EXPECT_EQ(codes[5], 0);
  EXPECT_THAT(read_back(folder / "a.fits").warnings, IsEmpty());
}

TEST(PsrfitsSink, missing_channels_have_no_weight_and_an_epoch_has_its_own_file) {
  const test::TemporaryFolder folder;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Missing value : {Missing::zero, Missing::hold, Missing::nan}) {
    PsrfitsSink sink({.output = {.path = folder / "a.fits", .overwrite = true}, .missing = {value, true}},
                     spectra());
    sink.open();
    write_frame(sink, {}, counting_from(1));
    std::vector<float> holed = counting_from(101);
    // All of channel 1, and one value of channel 2.
    for (std::size_t i = 1; i < holed.size(); i += 3) holed[i] = nan;
    holed[2] = nan;
    write_frame(sink, {.sequence = 2, .parts = 4, .missing_parts = 4}, holed);
    write_frame(sink, {.sequence = 0, .epoch = 1}, counting_from(201));
    sink.close();
    Fits fits(folder / "a.fits");
    ASSERT_EQ(fits.rows(), 3);
    EXPECT_THAT(fits.column("OFFS_SUB", 3), ElementsAre(testing::DoubleEq(0.1)));
    EXPECT_THAT(fits.column("DAT_WTS", 1), Each(1));
    const std::vector<double> lost = fits.column("DATA", 2), data = fits.column("DATA", 3);
    if (value == Missing::hold) {
      EXPECT_THAT(fits.column("DAT_WTS", 2), Each(1));
      EXPECT_THAT(fits.column("DAT_WTS", 3), Each(1));
      // The last sample was 19 to 24.
      EXPECT_EQ(lost[0], 19);
      EXPECT_EQ(data[1], 20);
    } else {
      EXPECT_THAT(fits.column("DAT_WTS", 2), Each(0));
      EXPECT_THAT(fits.column("DAT_WTS", 3), ElementsAre(1, 0, 1));
      EXPECT_EQ(std::isnan(data[2]), value == Missing::nan);
    }
    EXPECT_EQ(data[0], 101);
    const ReadBack back = read_back(folder / "a.fits");
    ASSERT_EQ(back.frames.size(), value == Missing::hold ? 3U : back.frames.size());
    const test::KeptFrame& last = back.frames.back();
    EXPECT_EQ(last.header.utc_ns, start_ns + 80'000'000);
    if (value == Missing::nan) {
      const std::vector<float> values = back.values(back.frames.size() - 1);
      for (std::size_t i = 0; i < holed.size(); ++i)
        EXPECT_TRUE(std::isnan(holed[i]) ? std::isnan(values[i]) : values[i] == holed[i]) << i;
    }
    EXPECT_EQ(test::read_file(folder / "a.fits.mask").substr(0, 52),
              std::string(24, '\0') + std::string(24, '\1') + std::string("\0\1\1\0", 4));
    EXPECT_EQ(test::value_of(sink.counters(), "frames_filled"), 1U);
    EXPECT_EQ(test::value_of(sink.counters(), "values_missing"), 9U);
    EXPECT_EQ(read_back(folder / "a-2.fits").values(0), counting_from(201));
  }
}

TEST(PsrfitsSink, files_are_rotated_by_size) {
  const test::TemporaryFolder folder;
  PsrfitsSink sink({.output = {.path = folder / "a.fits", .rotate_size = Bytes{5 * 2880}}}, spectra());
  sink.open();
  std::uint64_t frames = 0;
  for (; test::value_of(sink.counters(), "files") < 3; ++frames)
    write_frame(sink, {.sequence = frames}, counting_from(static_cast<float>(frames)));
  sink.close();
  std::vector<SamplePiece> pieces;
  for (const char* name : {"a.fits", "a-2.fits", "a-3.fits"}) {
    EXPECT_LE(std::filesystem::file_size(folder / name), 5U * 2880U);
    for (SamplePiece& piece : read_psrfits(folder / name, 4)) pieces.push_back(std::move(piece));
  }
  SampleFileSource source({.pieces = pieces});
  source.start();
  EXPECT_EQ(test::take_all(source).size(), frames);
}

TEST(PsrfitsSink, unsupported_frames_are_refused_with_the_reason) {
  const auto refusal = [](auto change, PsrfitsSinkOptions options = {}) -> std::string {
    FrameType type = spectra();
    change(type);
    options.output.path = "unused";
    try {
      const PsrfitsSink sink(options, type);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  const auto nothing = [](FrameType&) {};
  EXPECT_EQ(refusal(nothing), "");
  EXPECT_THAT(refusal([](FrameType& t) { t.element = ElementType::complex_float32; }),
              HasSubstr("its elements are complex_float32: expected float32 or uint8"));
  EXPECT_THAT(refusal([](FrameType& t) { std::swap(t.axes[0], t.axes[1]); }),
              HasSubstr("expected the axes [time][stokes or polarisation][channel]"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes.pop_back(); }), HasSubstr("expected the axes"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes[2].coordinates.clear(); }), HasSubstr("have no frequencies"));
  EXPECT_THAT(refusal([](FrameType& t) { t.rate_hz = 0; }), HasSubstr("its rate is not known"));
  EXPECT_THAT(refusal([](FrameType& t) { t.has_gaps = true; }), HasSubstr("expected contiguous frames"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes[1].size = 3; }),
              HasSubstr("has 3 indices: expected 1, 2 or 4"));
  EXPECT_THAT(refusal([](FrameType& t) { t.axes[1].name = "stokes"; }), HasSubstr("expected 1 or 4"));
  const auto option = [](PsrfitsSinkOptions options, ElementType element = ElementType::float32) {
    options.output.path = "unused";
    try {
      const PsrfitsSink sink(options, spectra(element));
    } catch (const OptionError& error) {
      return error.option();
    }
    return std::string();
  };
  EXPECT_EQ(option({.bits = 16}), "bits");
  EXPECT_EQ(option({.missing = {Missing::nan, false}, .bits = 8}), "flags");
  EXPECT_EQ(option({.missing = {Missing::nan, false}}, ElementType::uint8), "flags");
  EXPECT_EQ(option({.bits = 32}, ElementType::uint8), "bits");
  EXPECT_EQ(option({.source_name = "Barnard's star"}), "source_name");
  EXPECT_EQ(option({.telescope = std::string(68, 'a')}), "telescope");
  EXPECT_EQ(option({.backend = "a\nb"}), "backend");
}

TEST(PsrfitsSink, an_existing_file_is_kept_and_pipes_and_a_full_disk_reported) {
  const test::TemporaryFolder folder;
  const std::string there = folder.file("a.fits", "somebody else's");
  PsrfitsSink sink({.output = {.path = there}}, spectra());
  EXPECT_THAT([&] { sink.open(); }, ThrowsMessage<ConfigError>(HasSubstr("the file exists")));
  EXPECT_EQ(test::read_file(there), "somebody else's");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  PsrfitsSink pipe({.output = {.path = folder / "pipe"}}, spectra());
  EXPECT_THAT([&] { pipe.open(); }, ThrowsMessage<ConfigError>(HasSubstr("cannot go into a pipe")));
  PsrfitsSink full({.output = {.path = "/dev/full"}}, spectra());
  full.open();
  EXPECT_THAT([&] { write_frame(full, {}, counting_from(0)); },
              ThrowsMessage<WorkError>(HasSubstr("No space left on device")));
}

}  // namespace psrfits_sink_test
}  // namespace takt::sensors
