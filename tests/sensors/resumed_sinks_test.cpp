/// A sink's process dies at a random time, and another one continues from any earlier state. Tests that the
/// files equal those of an undisturbed sink.

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <random>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "sensors/dada/sink.hpp"
#include "sensors/files/raw_sink.hpp"
#include "sensors/files/table_sink.hpp"
#include "sensors/guppi/sink.hpp"
#include "sensors/mseed/sink.hpp"
#include "sensors/psrfits/sink.hpp"
#include "sensors/sigproc/sink.hpp"
#include "sensors/vdif/sink.hpp"
#include "sensors/wav/sink.hpp"
#include "tests/sensors/packets/packet_support.hpp"

namespace takt::sensors {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Sample {
  FrameHeader header;
  std::vector<float> values;
};

constexpr std::size_t rows = 64, channels = 4;

FrameType spectra() {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"time", rows, {}}, {"channel", channels, {1e6, 2e6, 3e6, 4e6}}};
  type.rate_hz = 2;
  return type;
}

FrameType voltages() {
  FrameType type;
  type.element = ElementType::float32;
  type.axes = {{"beamlet", 2, {}}, {"time", 64, {}}, {"polarisation", 2, {}}};
  type.rate_hz = 2;
  return type;
}

/// With the same number of floats as the others.
FrameType complex_voltages() {
  FrameType type;
  type.element = ElementType::complex_float32;
  type.axes = {{"beamlet", 4, {}}, {"time", 16, {}}, {"polarisation", 2, {}}};
  type.rate_hz = 2;
  return type;
}

/// Frames with gaps between them and missing values in them, and occasional new epochs.
std::vector<Sample> stream(std::mt19937& random, std::size_t count) {
  std::vector<Sample> frames(count);
  std::uint64_t sequence = 0;
  std::uint16_t epoch = 0;
  std::int64_t start_ns = 1'577'836'800'000'000'000;
  for (Sample& frame : frames) {
    if (random() % 12 == 0) {
      ++epoch;
      start_ns += 1'000'000'000'000;
      sequence = 0;
    }
    frame.header = {.sequence = sequence,
                    .utc_ns = start_ns + static_cast<std::int64_t>(sequence) * 500'000'000,
                    .epoch = epoch};
    frame.values.resize(rows * channels);
    for (float& value : frame.values) value = static_cast<float>(random() % 2000) - 1000;
    if (random() % 4 == 0) {
      frame.header.missing_parts = 1;
      frame.values[random() % frame.values.size()] = std::numeric_limits<float>::quiet_NaN();
    }
    sequence += random() % 5 == 0 ? 1 + random() % 3 : 1;
  }
  return frames;
}

using Make =
    std::function<std::unique_ptr<Sink>(const std::filesystem::path& file, const OutputOptions& how)>;

const std::map<std::string, Make>& kinds() {
  static const std::map<std::string, Make> all{
      {"raw",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<RawSink>(
             RawOptions{.output = how, .headers = true, .missing = MissingPolicy{Missing::hold, true}},
             spectra());
       }},
      {"sigproc",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<SigprocSink>(SigprocOptions{.output = how, .missing = {Missing::hold, true}},
                                              spectra());
       }},
      {"dada",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<DadaSink>(DadaOptions{.output = how, .missing = {Missing::hold, true}},
                                           spectra());
       }},
      {"guppi",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<GuppiSink>(
             GuppiSinkOptions{.output = how, .missing = {Missing::hold, true}, .scale = 0.1},
             complex_voltages());
       }},
      {"psrfits",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<PsrfitsSink>(
             PsrfitsSinkOptions{.output = how, .missing = {Missing::hold, true}, .bits = 8}, spectra());
       }},
      {"wav",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<WavSink>(WavSinkOptions{.output = how, .missing = {Missing::hold, true}},
                                          spectra());
       }},
      {"table",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<TableSink>(TableOptions{.output = how}, spectra());
       }},
      {"vdif",
       [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<VdifSink>(VdifSinkOptions{.output = how, .packets = {.bits = 8}},
                                           voltages());
       }},
      {"mseed", [](const auto& file, OutputOptions how) {
         how.path = file;
         return std::make_unique<MseedSink>(MseedSinkOptions{.output = how,
                                                             .channels = {"NL.HGN.00.BHZ", "NL.HGN.00.BHN",
                                                                          "NL.HGN.00.BHE", "NL.OPL.00.BHZ"},
                                                             .encoding = TraceEncoding::steim2},
                                            spectra());
       }}};
  return all;
}

/// Contents of all files in a folder except books, by name.
std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() != ".book") files[entry.path().filename()] = test::read_file(entry.path());
  return files;
}

void write(Sink& sink, const Sample& frame) {
  sink.write({&frame.header, std::as_bytes(std::span(frame.values))});
}

class Resumed : public testing::TestWithParam<std::string> {};

TEST_P(Resumed, files_equal_those_of_an_undisturbed_sink) {
  const Make& make = kinds().at(GetParam());
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<Sample> frames = stream(random, 30);
    OutputOptions how;
    if (seed % 3 == 1) how.rotate_size = Bytes{3000};
    if (seed % 3 == 2) how.rotate_every = Time{4'000'000'000};
    const std::string name = seed % 2 == 0 ? "out" : "out-%H%M%S";

    const test::TemporaryFolder whole, broken;
    const auto undisturbed = make(whole / name, how);
    undisturbed->open();
    for (const Sample& frame : frames) write(*undisturbed, frame);
    undisturbed->close();

    std::vector<std::byte> state;
    std::size_t at = 0;
    for (int life = 0; at < frames.size(); ++life) {
      const auto sink = make(broken / name, how);
      sink->use_output_book(OutputBook(broken / "sink.book"));
      if (state.empty())
        sink->open();
      else
        sink->resume(state);
      if (state.empty() && random() % 2 == 0) state = sink->save().value();
      // Up to five deaths, after each of which the frames since the last state are written again.
      const std::size_t end = life < 5 ? std::min(frames.size(), at + random() % 20) : frames.size();
      std::size_t saved_at = at;
      for (std::size_t i = at; i < end; ++i) {
        write(*sink, frames[i]);
        if (random() % 4 != 0) continue;
        state = sink->save().value();
        saved_at = i + 1;
      }
      at = end == frames.size() && life >= 5 ? end : saved_at;
      if (at == frames.size()) sink->close();
    }
    auto files = contents(broken / "");
    const auto expected = contents(whole / "");
    ASSERT_EQ(files.size(), expected.size());
    for (const auto& [file, bytes] : expected) {
      ASSERT_TRUE(files.contains(file)) << file;
      EXPECT_TRUE(files[file] == bytes) << file << ": " << files[file].size() << " of " << bytes.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Resumed,
                         testing::Values("raw", "sigproc", "dada", "table", "vdif", "mseed", "wav", "guppi",
                                         "psrfits"),
                         [](const auto& info) { return info.param; });

TEST(ResumedSinks, a_running_sink_keeps_its_file) {
  std::mt19937 random(7);
  const std::vector<Sample> frames = stream(random, 10);
  const test::TemporaryFolder folder;
  const Make& make = kinds().at("sigproc");
  const auto first = make(folder / "a.fil", {});
  first->open();
  for (std::size_t i = 0; i < 6; ++i) write(*first, frames[i]);
  const std::vector<std::byte> state = first->save().value();
  write(*first, frames[6]);
  const auto second = make(folder / "a.fil", {});
  EXPECT_THAT([&] { second->resume(state); },
              ThrowsMessage<WorkError>(HasSubstr("another run is writing it")));
}

/// As on another host, which has the dead sink's directory but not its output book.
TEST(ResumedSinks, files_begun_on_another_host_are_removed_too) {
  std::mt19937 random(7);
  const std::vector<Sample> frames = stream(random, 30);
  OutputOptions how;
  how.rotate_size = Bytes{3000};
  const test::TemporaryFolder folder, books;
  const Make& make = kinds().at("raw");
  std::vector<std::string> told;
  const auto tell = [&](const std::string& name) { told.push_back(name); };
  std::vector<std::byte> state;
  {
    const auto first = make(folder / "a.raw", how);
    first->use_output_book(OutputBook(books / "there", {}, tell));
    first->open();
    for (std::size_t i = 0; i < 10; ++i) write(*first, frames[i]);
    state = first->save().value();
    for (std::size_t i = 10; i < 30; ++i) write(*first, frames[i]);
  }
  const auto before = contents(folder / "");
  EXPECT_EQ(told.size(), before.size());
  const std::string foreign = folder.file("a-99.raw", "somebody else's");
  const auto second = make(folder / "a.raw", how);
  second->use_output_book(OutputBook(books / "here", told));
  second->resume(state);
  EXPECT_LT(contents(folder / "").size(), before.size());
  for (std::size_t i = 10; i < 30; ++i) write(*second, frames[i]);
  second->close();
  EXPECT_EQ(test::read_file(foreign), "somebody else's");
  std::filesystem::remove(foreign);
  EXPECT_TRUE(contents(folder / "") == before);
}

TEST(ResumedSinks, a_shortened_file_is_refused) {
  std::mt19937 random(7);
  const std::vector<Sample> frames = stream(random, 4);
  const test::TemporaryFolder folder;
  std::vector<std::byte> state;
  {
    const auto first = kinds().at("raw")(folder / "a.raw", {});
    first->open();
    write(*first, frames[0]);
    state = first->save().value();
  }
  std::filesystem::resize_file(folder / "a.raw", 100);
  const auto second = kinds().at("raw")(folder / "a.raw", {});
  EXPECT_THAT([&] { second->resume(state); }, ThrowsMessage<WorkError>(HasSubstr("the file has 100 B")));
}

TEST(ResumedSinks, other_files_are_kept_if_the_first_attempt_wrote_nothing) {
  const test::TemporaryFolder folder;
  const std::string foreign = folder.file("out", "somebody else's");
  const auto sink = kinds().at("raw")(foreign, {});
  sink->use_output_book(OutputBook(folder / "sink.book"));
  EXPECT_THROW(sink->open(), ConfigError);
  EXPECT_EQ(test::read_file(foreign), "somebody else's");
}

}  // namespace
}  // namespace takt::sensors
