/// Are SigMF recordings read as their metadata says?

#include "sensors/sigmf/header.hpp"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "tests/sensors/packet_support.hpp"

namespace takt::sensors {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<test::KeptFrame> frames_of(const std::filesystem::path& file, std::size_t samples,
                                       FrameType& type) {
  const SigmfHeader header = read_sigmf(file);
  SampleFileSource source({.file = header.data, .layout = layout_of(header, samples)});
  type = source.type();
  source.start();
  return test::take_all(source);
}

TEST(Sigmf, samples_of_several_channels_become_beamlets) {
  const test::TemporaryFolder folder;
  folder.file("a.sigmf-meta",
              R"({"global": {"core:datatype": "ci16_be", "core:sample_rate": 1000, "core:num_channels": 2,
    "core:version": "1.0.0"}, "captures": [{"core:sample_start": 1, "core:header_bytes": 3, "core:frequency": 433.92e6,
    "core:datetime": "2023-07-02T01:37:40.5Z"}], "annotations": []})");
  // 3 bytes of header, one sample before the capture, then 5 samples: [time][channel][real, imaginary].
  std::string bytes = "xyz" + std::string(8, 'q');
  for (int value = -10; value < 10; ++value) {
    bytes += static_cast<char>(value >> 8);
    bytes += static_cast<char>(value);
  }
  folder.file("a.sigmf-data", bytes);
  FrameType type;
  const auto frames = frames_of(folder / "a.sigmf-data", 4, type);
  EXPECT_EQ(type.to_string(), "complex_float32[beamlet=2][time=4][polarisation=1]");
  EXPECT_EQ(type.axes[0].coordinates, (std::vector<double>{433.92e6, 433.92e6}));
  EXPECT_EQ(type.rate_hz, 250);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[0].header.utc_ns, 1'688'261'860'500'000'000);
  const auto* const values = reinterpret_cast<const float*>(frames[0].bytes.data());
  EXPECT_EQ(std::vector(values, values + 8), (std::vector<float>{-10, -9, -6, -5, -2, -1, 2, 3}));
  EXPECT_EQ(std::vector(values + 8, values + 16), (std::vector<float>{-8, -7, -4, -3, 0, 1, 4, 5}));
  EXPECT_EQ(frames[1].header.missing_parts, 3U);
  EXPECT_TRUE(std::isnan(reinterpret_cast<const float*>(frames[1].bytes.data())[2]));
}

TEST(Sigmf, every_type_of_number_is_read) {
  const auto first = [](const std::string& type, const std::string& bytes) {
    const test::TemporaryFolder folder;
    folder.file("b.sigmf-meta", R"({"global": {"core:datatype": ")" + type + R"("}})");
    folder.file("b.sigmf-data", bytes);
    FrameType frame;
    const auto frames = frames_of(folder / "b", 1, frame);
    return frames.empty() ? std::nanf("") : *reinterpret_cast<const float*>(frames[0].bytes.data());
  };
  const auto bytes_of = [](auto value, bool is_big) {
    std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
    if (is_big) std::ranges::reverse(bytes);
    return bytes;
  };
  for (const bool is_big : {false, true}) {
    const std::string order = is_big ? "_be" : "_le";
    EXPECT_EQ(first("rf32" + order, bytes_of(1.5F, is_big)), 1.5F);
    EXPECT_EQ(first("rf64" + order, bytes_of(-2.25, is_big)), -2.25F);
    EXPECT_EQ(first("ri32" + order, bytes_of(std::int32_t{-70000}, is_big)), -70000);
    EXPECT_EQ(first("ru32" + order, bytes_of(std::uint32_t{3000000000U}, is_big)), 3e9F);
    EXPECT_EQ(first("ri16" + order, bytes_of(std::int16_t{-300}, is_big)), -300);
    EXPECT_EQ(first("ru16" + order, bytes_of(std::uint16_t{60000}, is_big)), 60000);
  }
  EXPECT_EQ(first("ri8", "\xFE"), -2);
  EXPECT_EQ(first("ru8", "\xFE"), 254);
}

TEST(Sigmf, metadata_that_cannot_be_is_refused_with_its_key) {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& meta, const std::string& expected) {
    const std::string path = folder.file("c.sigmf-meta", meta);
    EXPECT_THAT([&] { (void)read_sigmf(path); }, ThrowsMessage<ConfigError>(HasSubstr(expected))) << meta;
  };
  refused("no json", "no SigMF metadata");
  refused("[]", "no SigMF metadata");
  refused(R"({"global": {}})", "core:datatype is not there");
  for (const char* type : {"cf32", "xf32_le", "ci12_le", "", "c", "cf32_xx"})
    refused(R"({"global": {"core:datatype": ")" + std::string(type) + R"("}})",
            "expected a type such as cf32_le");
  refused(R"({"global": {"core:datatype": 5}})", "core:datatype is 5, expected a text");
  refused(R"({"global": {"core:datatype": "cu8", "core:sample_rate": -1}})", "core:sample_rate is -1");
  refused(R"({"global": {"core:datatype": "cu8", "core:num_channels": 1e9}})", "core:num_channels");
  refused(R"({"global": {"core:datatype": "cu8"}, "captures": [{"core:datetime": "today"}]})",
          "core:datetime");
  EXPECT_THAT([&] { (void)read_sigmf(folder / "none"); },
              ThrowsMessage<ConfigError>(HasSubstr("cannot read")));
}

}  // namespace
}  // namespace takt::sensors
