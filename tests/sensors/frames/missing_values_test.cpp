/// Tests that exactly the missing values are replaced. Compares frames of any shape, element type and share
/// of losses with a walk over single elements by index.

#include "sensors/frames/missing_values.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/sink.hpp"
#include "sensors/files/raw_sink.hpp"
#include "sensors/sigproc/sink.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace frames_missing_values_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Shape {
  ElementType element;
  std::vector<std::pair<std::string, std::size_t>> axes;
  /// For integers.
  std::vector<std::size_t> parts;
};

const std::vector<Shape> shapes{
    {ElementType::float32, {{"time", 5}, {"channel", 3}}, {}},
    {ElementType::float32, {{"channel", 4}}, {}},
    {ElementType::float64, {{"beamlet", 3}, {"time", 4}}, {}},
    {ElementType::complex_float32, {{"beamlet", 2}, {"time", 6}, {"polarisation", 2}}, {}},
    {ElementType::complex_float32, {{"time", 1}}, {}},
    {ElementType::uint8, {{"time", 6}, {"channel", 4}}, {6, 4}},
    {ElementType::int16, {{"time", 8}, {"channel", 3}}, {4}},
    {ElementType::complex_int8, {{"packet", 3}, {"beamlet", 6}, {"time", 4}, {"polarisation", 2}}, {3, 2}},
    {ElementType::complex_int16, {{"lane", 2}, {"packet", 2}, {"time", 3}}, {2, 2, 3}},
};

FrameType missing_type(const Shape& shape) {
  FrameType type;
  type.element = shape.element;
  for (const auto& [name, size] : shape.axes) type.axes.push_back({name, size, {}});
  type.parts = shape.parts;
  return type;
}

/// A frame of random bytes without NaN except for missing elements, which it records.
struct LossyFrame {
  FrameHeader header;
  std::vector<std::byte> bytes;
  std::vector<bool> lost;

  LossyFrame(const FrameType& type, double loss, std::mt19937& random)
      : bytes(type.size().count), lost(type.element_count()) {
    const std::size_t size = size_of(type.element), data = type.data_size().count;
    std::bernoulli_distribution is_lost(loss);
    for (std::size_t part = 0; part < type.flag_count(); ++part)
      bytes[data + part] = std::byte{is_lost(random)};
    std::vector<std::size_t> index(type.axes.size());
    for (std::size_t i = 0; i < lost.size(); ++i) {
      std::size_t rest = i, part = 0;
      for (std::size_t axis = index.size(); axis-- > 0; rest /= type.axes[axis].size)
        index[axis] = rest % type.axes[axis].size;
      for (std::size_t axis = 0; axis < type.parts.size(); ++axis)
        part = part * type.parts[axis] + index[axis] * type.parts[axis] / type.axes[axis].size;
      std::byte* const element = bytes.data() + i * size;
      if (!type.parts.empty()) {
        lost[i] = bytes[data + part] != std::byte{0};
        for (std::size_t at = 0; at < size; ++at)
          element[at] = lost[i] ? std::byte{0} : static_cast<std::byte>(random() % 250 + 1);
        continue;
      }
      lost[i] = is_lost(random);
      const float value = lost[i] ? std::nanf("") : static_cast<float>(random() % 1000 + 1);
      const double wide = value;
      if (type.element == ElementType::float64)
        std::memcpy(element, &wide, 8);
      else
        for (std::size_t at = 0; at < size; at += 4) std::memcpy(element + at, &value, 4);
    }
    header.missing_parts = static_cast<std::uint32_t>(std::ranges::count(lost, true));
  }
  [[nodiscard]] FrameView view() const { return {&header, bytes}; }
};

/// Returns the position of an element without its time, as text.
std::string place_without_time(const FrameType& type, std::size_t i) {
  std::string place;
  for (std::size_t axis = type.axes.size(); axis-- > 0; i /= type.axes[axis].size)
    if (type.axes[axis].name != "time" && type.axes[axis].name != "packet")
      place += std::to_string(i % type.axes[axis].size) + ' ';
  return place;
}

TEST(AnyNan, finds_a_nan_at_any_position) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::vector<float> values(count, std::numeric_limits<float>::infinity());
    EXPECT_FALSE(any_nan(values)) << count;
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(any_nan(values)) << i << " of " << count;
      values[i] = -1;
    }
  }
}

TEST(MissingValues, are_replaced_exactly) {
  std::mt19937 random(11);
  for (const Shape& shape : shapes)
    for (const Missing value : {Missing::zero, Missing::hold, Missing::nan})
      for (const double loss : {0.0, 0.05, 0.3, 0.5, 1.0}) {
        const FrameType type = missing_type(shape);
        if (value == Missing::nan && !is_floating(type.element)) continue;
        const std::size_t size = size_of(type.element);
        MissingValues missing(type, value);
        std::map<std::string, std::vector<std::byte>> last;
        for (int k = 0; k < 6; ++k) {
          const LossyFrame frame(type, k == 2 ? 0 : loss, random);
          missing.find(frame.view());
          std::vector<std::byte> filled(
              frame.bytes.begin(), frame.bytes.begin() + static_cast<std::ptrdiff_t>(type.data_size().count));
          missing.fill(filled);
          ASSERT_EQ(missing.count(), static_cast<std::size_t>(std::ranges::count(frame.lost, true)));
          for (std::size_t i = 0; i < frame.lost.size(); ++i) {
            ASSERT_EQ(missing.mask()[i] != std::byte{0}, frame.lost[i]) << type.to_string() << ' ' << i;
            const std::span now = std::span(filled).subspan(i * size, size);
            const std::span before = std::span(frame.bytes).subspan(i * size, size);
            std::vector<std::byte>& held = last.try_emplace(place_without_time(type, i), size).first->second;
            if (!frame.lost[i]) {
              ASSERT_TRUE(std::ranges::equal(now, before));
              held.assign(before.begin(), before.end());
            } else if (value == Missing::nan) {
              if (type.element == ElementType::float64)
                ASSERT_TRUE(std::isnan(*reinterpret_cast<const double*>(now.data())));
              else
                ASSERT_TRUE(std::isnan(*reinterpret_cast<const float*>(now.data())));
            } else if (value == Missing::zero) {
              ASSERT_TRUE(std::ranges::all_of(now, [](std::byte each) { return each == std::byte{0}; }));
            } else {
              ASSERT_TRUE(std::ranges::equal(now, held)) << type.to_string() << " at " << i;
            }
          }
        }
      }
}

TEST(MissingValues, of_integers_cannot_be_nan_and_replacements_are_exclusive) {
  EXPECT_THAT([] { MissingValues(missing_type(shapes[5]), Missing::nan); },
              ThrowsMessage<ConfigError>(HasSubstr("uint8 cannot be NaN")));
  EXPECT_THAT(
      [] {
        (void)parse_missing({"zero", "mask", "hold"}, Missing::nan);
      },
      ThrowsMessage<ConfigError>(HasSubstr("zero and hold exclude each other")));
  EXPECT_THAT([] { (void)parse_missing({"zeros"}, Missing::nan); },
              ThrowsMessage<ConfigError>(HasSubstr("did you mean 'zero'?")));
  for (const char* const name : {"mask", "hold"})
    EXPECT_THAT(
        [&] {
          (void)parse_missing({name, name}, Missing::nan);
        },
        ThrowsMessage<ConfigError>(HasSubstr(std::string("'") + name + "' is given twice")));
  EXPECT_EQ(parse_missing({"mask"}, Missing::nan).value, Missing::nan);
  EXPECT_TRUE(parse_missing({"hold", "mask"}, Missing::nan).mask);
}

/// Codes of `quantise` have flags: their missing elements are masked and replaced. Compares frames of any
/// shape with a walk over single numbers.
TEST(MissingValues, written_as_nan_are_marked_in_the_header) {
  std::mt19937 random(11);
  for (const Shape& shape : shapes) {
    FrameType type;
    type.element = shape.element;
    for (const auto& [name, size] : shape.axes) type.axes.push_back({name, size, {}});
    type.parts = shape.parts;
    const std::size_t count = type.element_count(), rows = shape.axes.front().second;
    const bool is_complex = type.element == ElementType::complex_float32;
    for (const unsigned one_in : {1000000U, 20U, 3U, 1U}) {
      std::vector<double> memory(type.size().count / sizeof(double) + 1);
      const std::span frame = std::as_writable_bytes(std::span(memory)).first(type.size().count);
      auto* const floats = reinterpret_cast<float*>(memory.data());
      std::set<std::size_t> rows_with;
      for (std::size_t i = 0; is_floating(type.element) && i < count; ++i) {
        if (random() % one_in != 0) continue;
        rows_with.insert(i / (count / rows));
        if (type.element == ElementType::float64)
          memory[i] = std::nan("");
        else
          floats[is_complex ? 2 * i + random() % 2 : i] = std::nanf("");
      }
      FrameHeader header{.parts = static_cast<std::uint32_t>(rows)};
      EXPECT_EQ(mark_nan(type, frame, header), !rows_with.empty());
      EXPECT_EQ(header.missing_parts, rows_with.size()) << type.to_string();
      std::uint64_t mask = 0;
      for (const std::size_t row : rows_with) mask |= std::uint64_t{1} << row;
      EXPECT_EQ(header.missing_mask, mask);
      for (std::size_t i = 0; is_complex && i < count; ++i)
        EXPECT_EQ(std::isnan(floats[2 * i]), std::isnan(floats[2 * i + 1]));
    }
  }
}

TEST(MissingValues, in_quantised_filterbanks_are_replaced_like_floats) {
  const test::TemporaryFolder folder;
  FrameType type = missing_type(shapes[5]);
  type.axes[1].coordinates = {1e8, 1.01e8, 1.02e8, 1.03e8};
  type.rate_hz = 10;
  SigprocSink sink({.output = {.path = folder / "a"}, .missing = {Missing::hold, true}}, type);
  std::mt19937 random(3);
  sink.open();
  std::string mask, values;
  std::array<char, 4> last{};
  for (std::uint64_t k = 0; k < 5; ++k) {
    LossyFrame frame(type, 0.4, random);
    frame.header.sequence = k;
    sink.write(frame.view());
    for (std::size_t t = 0; t < 6; ++t)
      for (std::size_t c = 4; c-- > 0;) {
        const std::size_t i = t * 4 + c;
        if (!frame.lost[i]) last[c] = static_cast<char>(frame.bytes[i]);
        mask += frame.lost[i] ? '\1' : '\0';
        values += last[c];
      }
  }
  sink.close();
  EXPECT_EQ(test::read_file(folder / "a.mask"), mask);
  const std::string file = test::read_file(folder / "a");
  EXPECT_EQ(file.substr(file.size() - values.size()), values);
}

/// The replacement is not the lowest code, but the type's blank value, for lost frames too.
TEST(MissingValues, of_integers_have_the_blank_value_by_default) {
  const test::TemporaryFolder folder;
  FrameType type = missing_type(shapes[5]);
  type.axes[1].coordinates = {1e8, 1.01e8, 1.02e8, 1.03e8};
  type.rate_hz = 10;
  type.blank = 7;
  std::mt19937 random(3);
  SigprocSink sink({.output = {.path = folder / "a"}, .missing = {Missing::blank, false}}, type);
  RawSink raw(
      {.output = {.path = folder / "b"}, .missing = MissingPolicy{missing_as_received(type.element), true}},
      type);
  sink.open();
  raw.open();
  std::string codes, as_they_came;
  // The second of three is lost.
  for (const std::uint64_t k : {0, 2}) {
    if (k == 2) codes += std::string(24, '\7');
    LossyFrame frame(type, 0.4, random);
    frame.header.sequence = k;
    sink.write(frame.view());
    raw.write(frame.view());
    for (std::size_t t = 0; t < 6; ++t) {
      for (std::size_t c = 4; c-- > 0;)
        codes += frame.lost[t * 4 + c] ? '\7' : static_cast<char>(frame.bytes[t * 4 + c]);
      for (std::size_t c = 0; c < 4; ++c)
        as_they_came += frame.lost[t * 4 + c] ? '\7' : static_cast<char>(frame.bytes[t * 4 + c]);
    }
  }
  sink.close();
  raw.close();
  const std::string file = test::read_file(folder / "a");
  EXPECT_EQ(file.substr(file.size() - codes.size()), codes);
  EXPECT_EQ(test::read_file(folder / "b"), as_they_came);
  type.element = ElementType::complex_int16;
  type.blank = -2;
  MissingValues missing(type, Missing::blank);
  missing.find_lost();
  std::vector<std::int16_t> values(2 * type.element_count(), 5);
  missing.fill(std::as_writable_bytes(std::span(values)));
  EXPECT_THAT(values, ::testing::Each(-2));
}

TEST(MissingValues, of_raw_and_dada_files_have_separate_masks) {
  const test::TemporaryFolder folder;
  FrameType type = missing_type(shapes[3]);
  type.rate_hz = 10;
  type.axes[0].coordinates = {1e8, 2e8};
  std::mt19937 random(5);
  for (const Missing value : {Missing::zero, Missing::nan}) {
    RawSink raw(
        {.output = {.path = folder / "raw", .overwrite = true}, .missing = MissingPolicy{value, true}}, type);
    DadaSink dada({.output = {.path = folder / "dada", .overwrite = true}, .missing = {value, true}}, type);
    raw.open();
    dada.open();
    std::string raw_mask, dada_mask;
    for (std::uint64_t k = 0; k < 3; ++k) {
      LossyFrame frame(type, 0.3, random);
      frame.header.sequence = k == 2 ? 3 : k;
      if (k == 2) dada_mask += std::string(24, '\1');
      raw.write(frame.view());
      dada.write(frame.view());
      for (const bool lost : frame.lost) raw_mask += lost ? '\1' : '\0';
      // [time][beamlet][polarisation]
      for (std::size_t t = 0; t < 6; ++t)
        for (std::size_t b = 0; b < 2; ++b)
          for (std::size_t p = 0; p < 2; ++p) dada_mask += frame.lost[(b * 6 + t) * 2 + p] ? '\1' : '\0';
    }
    raw.close();
    dada.close();
    EXPECT_EQ(test::read_file(folder / "raw.mask"), raw_mask);
    EXPECT_EQ(test::read_file(folder / "dada.mask"), dada_mask);
    // Each value is NaN or 0 if the mask is set.
    const std::string file = test::read_file(folder / "dada").substr(4096);
    ASSERT_EQ(file.size(), dada_mask.size() * 8);
    for (std::size_t i = 0; i < dada_mask.size(); ++i) {
      float number = 0;
      std::memcpy(&number, file.data() + i * 8, 4);
      if (dada_mask[i] != '\0')
        EXPECT_TRUE(value == Missing::nan ? std::isnan(number) : number == 0);
      else
        EXPECT_FALSE(std::isnan(number));
    }
  }
}

}  // namespace frames_missing_values_test
}  // namespace takt::sensors
