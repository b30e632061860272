/// Fuzzed readers of files of samples and of records.

#include <fmt/format.h>

#include "core/error.hpp"
#include "sensors/dada/header.hpp"
#include "sensors/files/sample_file_source.hpp"
#include "sensors/guppi/recording.hpp"
#include "sensors/hdf5/file_source.hpp"
#include "sensors/hdf5/filterbank.hpp"
#include "sensors/hdf5/sink.hpp"
#include "sensors/mseed/file_source.hpp"
#include "sensors/mseed/record_writer.hpp"
#include "sensors/mseed/version3.hpp"
#include "sensors/psrfits/file.hpp"
#include "sensors/sigmf/header.hpp"
#include "sensors/sigproc/header.hpp"
#include "sensors/sigproc/spectrum_summary.hpp"
#include "sensors/wav/header.hpp"
#include "tests/fuzz/mseed_records.hpp"
#include "tests/fuzz/reader.hpp"
#include "tests/sensors/hdf5/made_filterbank.hpp"
#include "tests/sensors/packets/packet_support.hpp"
#include "tests/sensors/pcap/captures.hpp"
#include "tests/sensors/psrfits/hand_made_fits.hpp"
#include "tests/support/compressed.hpp"

namespace takt::test {

using namespace sensors;

namespace {

void read_samples(Reading& reading, const std::filesystem::path& file, SampleLayout layout) {
  SampleFileSource source({.pieces = {{file, std::move(layout)}}});
  source.start();
  reading.note(source.type(), take_all(source));
}

std::string some_values() {
  std::string values(600, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<char>(i * 37);
  return values;
}

std::vector<std::string> filterbanks() {
  std::vector<std::string> files;
  for (const int bits : {1, 4, 8, 16, 32})
    files.push_back(text_of(encode(SigprocHeader{.source_name = "takt",
                                                 .nbits = bits,
                                                 .nchans = 8,
                                                 .nifs = 2,
                                                 .fch1_mhz = 1500,
                                                 .foff_mhz = -0.5,
                                                 .tsamp_s = 1e-3,
                                                 .tstart_mjd = 59759.0625})) +
                    some_values());
  // A table of frequencies, a stated number of samples, and a keyword whose size is inferred.
  std::string rare = text_of(encode(SigprocHeader{.source_name = "",
                                                  .nbits = 8,
                                                  .is_signed = true,
                                                  .nchans = 3,
                                                  .table_mhz = {1500, 1490, 1475},
                                                  .tsamp_s = 1e-3,
                                                  .tstart_mjd = 59759.0625,
                                                  .nsamples = 250}));
  rare.insert(16, std::string("\x0a\0\0\0telescop_x\x07\0\0\0", 18));
  files.push_back(rare + some_values());
  return files;
}

void read_filterbank(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.fil", bytes);
  read_samples(reading, path, layout_of(read_sigproc_header(path), 4));
}

std::vector<std::string> dada_files() {
  std::vector<std::string> files;
  for (const char* what :
       {"NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 4\n", "NBIT 16\nNDIM 1\nNPOL 1\nNCHAN 3\n",
        "NBIT 32\nNDIM 2\nNPOL 1\nNCHAN 1\n", "NBIT 8\nNDIM 2\nNPOL 2\nNCHAN 3\nORDER TPFT\nINNER_T 5\n",
        "NBIT 2\nNDIM 1\nNPOL 1\nNCHAN 3\nENCODING OffsetBinary\n"}) {
    std::string text = std::string(
                           "HDR_SIZE 512\nTSAMP 1\nFREQ 1400\nBW -64\nUTC_START 2013-07-02-01:37:40\n"
                           "OBS_OFFSET 960\nPICOSECONDS 12\nSOURCE J0835-4510\n") +
                       what;
    text.resize(512, '\0');
    files.push_back(text + some_values());
  }
  return files;
}

void read_dada(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.dada", bytes);
  read_samples(reading, path, layout_of(read_dada_header(path), 8));
}

/// Returns files of two blocks, and of one after a gap.
std::vector<std::string> guppi_files() {
  std::vector<std::string> files;
  for (const char* bits : {"8", "16"}) {
    std::string file;
    for (const char* packet : {"0", "1", "5"}) {
      for (const auto& [key, value] :
           std::initializer_list<std::pair<const char*, const char*>>{{"BLOCSIZE", "240"},
                                                                      {"OBSNCHAN", "3"},
                                                                      {"NPOL", "4"},
                                                                      {"NBITS", bits},
                                                                      {"TBIN", "1e-3"},
                                                                      {"OBSFREQ", "1400"},
                                                                      {"OBSBW", "-3"},
                                                                      {"OVERLAP", "4"},
                                                                      {"PIPERBLK", "1"},
                                                                      {"PKTIDX", packet},
                                                                      {"STT_IMJD", "60310"},
                                                                      {"STT_SMJD", "5"},
                                                                      {"TELESCOP", "'GBT'"}}) {
        std::string card = key;
        card.resize(8, ' ');
        card += "= " + std::string(value);
        card.resize(80, ' ');
        file += card;
      }
      file += "END" + std::string(77, ' ') + some_values().substr(0, 240);
    }
    files.push_back(file);
  }
  return files;
}

void read_guppi_file(Reading& reading, const std::string& bytes) {
  SampleFileSource source({.pieces = read_guppi(reading.file("a.raw", bytes), 16)});
  source.start();
  reading.note(source.type(), take_all(source));
}

std::vector<std::string> sigmf_descriptions() {
  return {R"({"global": {"core:datatype": "ci16_be", "core:sample_rate": 1000, "core:num_channels": 2,
    "core:version": "1.0.0"}, "captures": [{"core:sample_start": 1, "core:header_bytes": 3,
    "core:frequency": 433.92e6, "core:datetime": "2023-07-02T01:37:40.5Z"}], "annotations": []})",
          R"({"global": {"core:datatype": "rf32_le", "core:sample_rate": 48000.0, "core:offset": 7,
    "core:version": "1.0.0"}, "captures": [], "annotations": []})",
          R"({"global": {"core:datatype": "cu8", "core:sample_rate": 1e3, "core:trailing_bytes": 5,
    "core:extensions": [{"name": "antenna", "version": "1.0.0", "optional": true}]}, "captures": [
    {"core:sample_start": 0, "core:header_bytes": 4, "core:datetime": "2024-01-01T00:00:00Z"},
    {"core:sample_start": 60, "core:header_bytes": 6, "core:datetime": "2024-01-01T00:00:09Z"},
    {"core:sample_start": 160, "core:global_index": 300}], "annotations": [
    {"core:sample_start": 3, "core:sample_count": 1000, "core:label": "burst"}]})"};
}

void read_sigmf_pair(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.sigmf-meta", bytes);
  // Readers do not change it.
  if (!std::filesystem::exists(reading.path("a.sigmf-data")))
    (void)reading.file("a.sigmf-data", some_values());
  const SigmfHeader header = read_sigmf(path);
  read_samples(reading, header.data, layout_of(header, {.samples = 16}));
}

/// Returns RIFF of 16 bits with `auxi` before the samples, RF64 of 24 bits with padding, and RIFF with
/// `bext`.
std::vector<std::string> wav_files() {
  const auto bytes_of = [](std::initializer_list<std::pair<std::uint64_t, int>> numbers) {
    std::string bytes;
    for (const auto& [number, size] : numbers) put(bytes, number, size, false);
    return bytes;
  };
  const auto chunk = [&](const std::string& name, const std::string& bytes) {
    return name + bytes_of({{bytes.size(), 4}}) + bytes;
  };
  const std::string auxi = bytes_of({{2024, 2},
                                     {1, 2},
                                     {1, 2},
                                     {2, 2},
                                     {3, 2},
                                     {4, 2},
                                     {5, 2},
                                     {600, 2},
                                     {0, 8},
                                     {0, 8},
                                     {7'100'000, 4}}) +
                           std::string(128, '\0');
  const auto format = [&](std::uint64_t bits) {
    return chunk("fmt ",
                 bytes_of({{1, 2}, {2, 2}, {48000, 4}, {48000 * bits / 4, 4}, {bits / 4, 2}, {bits, 2}}));
  };
  // EBU Tech 3285: texts, date, time, the samples since midnight, version and reserved bytes.
  std::string bext = std::string(256, ' ') + "takt";
  bext.resize(320, '\0');
  bext += "2024-01-0203:04:05" + bytes_of({{530'000'000, 8}, {1, 2}}) + std::string(254, '\0');
  return {"RIFF" + bytes_of({{900, 4}}) + "WAVE" + format(16) + chunk("auxi", auxi) +
              chunk("data", some_values()),
          "RF64" + bytes_of({{0xFFFFFFFF, 4}}) + "WAVE" +
              chunk("ds64", bytes_of({{800, 8}, {600, 8}, {100, 8}, {0, 4}})) + chunk("JUNK", "padding ") +
              format(24) + "data" + bytes_of({{0xFFFFFFFF, 4}}) + some_values(),
          "RIFF" + bytes_of({{1300, 4}}) + "WAVE" + chunk("bext", bext) + format(8) +
              chunk("data", some_values())};
}

void read_wav_file(Reading& reading, const std::string& bytes) {
  const std::filesystem::path path = reading.file("a.wav", bytes);
  read_samples(reading, path, layout_of(read_wav(path), {.samples = 16}));
}

/// Returns archives with some 1,000 bytes of metadata, and samples, in the format of POSIX tar.
std::vector<std::string> sigmf_archives() {
  const auto member = [](const std::string& name, std::string bytes) {
    std::string head(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { head.replace(at, text.size(), text); };
    put(0, name);
    put(124, fmt::format("{:011o}", bytes.size()));
    put(156, "0");
    put(257, "ustar");
    put(148, "        ");
    unsigned sum = 0;
    for (const char letter : head) sum += static_cast<unsigned char>(letter);
    put(148, fmt::format("{:06o}", sum) + '\0');
    bytes.resize((bytes.size() + 511) / 512 * 512);
    return head + bytes;
  };
  std::vector<std::string> archives;
  for (const std::string& metadata : sigmf_descriptions())
    archives.push_back(member("a.sigmf-meta", metadata) + member("a.sigmf-data", some_values()) +
                       std::string(1024, '\0'));
  return archives;
}

void read_sigmf_archive(Reading& reading, const std::string& bytes) {
  const SigmfHeader header = read_sigmf(reading.file("a.sigmf", bytes));
  read_samples(reading, header.data, layout_of(header, {.samples = 16}));
}

std::vector<std::string> miniseed_files() {
  return {records_of(MseedVersion::two), records_of(MseedVersion::three)};
}

void read_miniseed(Reading& reading, const std::string& bytes) {
  MseedFileSource source({.files = {reading.file("a.mseed", bytes)}, .rows = 25});
  source.start();
  reading.note(source.type(), take_all(source));
}
/// Returns the CRC-32C (RFC 3309), bit by bit.
std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82F63B78U : crc >> 1;
  }
  return ~crc;
}

/// Reads damaged records of version 3 with corrected checksums, since readers skip all others.
void read_sealed_miniseed(Reading& reading, const std::string& bytes) {
  constexpr std::size_t crc_at = 28;
  std::string sealed = bytes;
  for (std::size_t at = 0; at < sealed.size();) {
    const std::size_t length = version3_length(bytes_of(sealed).subspan(at));
    if (length == 0 || length > sealed.size() - at) {
      ++at;
      continue;
    }
    sealed.replace(at + crc_at, 4, 4, '\0');
    std::string crc;
    put(crc, checksum(std::string_view(sealed).substr(at, length)), 4, false);
    sealed.replace(at + crc_at, 4, crc);
    at += length;
  }
  read_miniseed(reading, sealed);
}

std::vector<std::string> compressed_files() {
  std::vector<std::string> files;
  for (const std::string& file : filterbanks()) {
    files.push_back(gzipped(file));
    files.push_back(zstd_compressed(file));
  }
  return files;
}

std::vector<std::string> psrfits_files() {
  HandMadeFits few = counting(3);
  few.subint["NBITS"] = "2";
  few.data_form = "4B";
  for (std::string& row : few.rows) row.resize(4);
  few.scales = {1, 2, 3, 0.5};
  return {counting(3).bytes(), few.bytes()};
}

void read_psrfits_file(Reading& reading, const std::string& bytes) {
  SampleFileSource source({.pieces = read_psrfits(reading.file("a.fits", bytes), 4)});
  source.start();
  reading.note(source.type(), take_all(source));
}

std::vector<std::string> filterbanks_in_hdf5() {
  const TemporaryFolder folder;
  MadeFilterbank().write(folder / "a.h5");
  MadeFilterbank masked;
  masked.masked = {7};
  masked.stored = H5T_STD_U8LE;
  masked.with("nbits", 8).write(folder / "b.h5");
  return {read_file(folder / "a.h5"), read_file(folder / "b.h5")};
}

std::vector<std::string> frames_in_hdf5() {
  const TemporaryFolder folder;
  FrameType type;
  type.element = ElementType::uint8;
  type.axes = {{"time", 4, {}}, {"channel", 2, {1e6, 2e6}}};
  type.rate_hz = 1;
  type.parts = {4};
  Hdf5Sink sink({.output = {.path = folder / "a.h5"}}, type);
  sink.open();
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<std::byte> frame(type.size().count, std::byte{0});
    std::fill_n(frame.begin(), type.data_size().count, static_cast<std::byte>(k + 1));
    const FrameHeader header{.sequence = k,
                             .utc_ns = 1'000'000'000 * static_cast<std::int64_t>(k + 1),
                             .first_sample = 4 * k,
                             .parts = 4};
    sink.write({&header, frame});
  }
  sink.close();
  return {read_file(folder / "a.h5")};
}

void read_hdf5(Reading& reading, const std::string& bytes) {
  // The library keeps its tables of half a megabyte for the next file, since their page faults take most of
  // the time.
  constexpr int all = 1 << 24;
  H5set_free_list_limits(all, all, all, all, all, all);
  const std::filesystem::path path = reading.file("a.h5", bytes);
  if (is_hdf5_filterbank(path)) {
    SampleFileSource source({.pieces = {read_hdf5_filterbank(path, 2)}});
    source.start();
    reading.note(source.type(), take_all(source));
    return;
  }
  Hdf5FileSource source({.files = {path}});
  source.start();
  reading.note(source.type(), take_all(source));
}

/// Summarises a filterbank as `takt view` does.
void summarise_filterbank(Reading& reading, const std::string& bytes) {
  reading.note(describe(read_sigproc(reading.file("a.fil", bytes))));
}

}  // namespace

std::vector<FuzzedReader> sample_file_readers() {
  return {
      {"filterbanks", filterbanks, 200, read_filterbank},
      {"filterbank_summaries", filterbanks, 200, summarise_filterbank},
      {"compressed_filterbanks", compressed_files, 40, read_filterbank},
      {"dada_files", dada_files, 200, read_dada},
      {"guppi_files", guppi_files, 1100, read_guppi_file},
      {"sigmf_descriptions", sigmf_descriptions, 400, read_sigmf_pair},
      {"sigmf_archives", sigmf_archives, 1200, read_sigmf_archive},
      {"wav_files", wav_files, 400, read_wav_file},
      {"miniseed_files", miniseed_files, 64, read_miniseed, 2},
      {"sealed_miniseed_files", [] { return std::vector{records_of(MseedVersion::three)}; }, 64,
       read_sealed_miniseed, 2},
      {"psrfits_files", psrfits_files, 5700, read_psrfits_file, 1, "libcfitsio"},
      {"hdf5_filterbanks", filterbanks_in_hdf5, 4000, read_hdf5, 5, "libhdf5"},
      {"hdf5_frames", frames_in_hdf5, 4000, read_hdf5, 5, "libhdf5"},
  };
}

}  // namespace takt::test
