#include "sensors/guppi/recording.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/leap_seconds.hpp"
#include "sensors/files/beamlet_order.hpp"
#include "sensors/files/input_stream.hpp"
#include "sensors/option_error.hpp"

namespace takt::sensors {

namespace {

constexpr std::uint64_t direct_io = 512;

/// Number of a block in the file, offset of its samples, number of its first packet, and the time of packet
/// 0.
struct Block {
  std::uint64_t number = 0, offset = 0, packet = 0;
  std::int64_t start_ns = 0;
};

struct Blocks {
  GuppiHeader header;
  GuppiCards first;
  std::vector<Block> all;
  /// Whether `packet` counts blocks, because the headers do not count packets.
  bool is_numbered = false;
  std::vector<std::string> description, warnings;
  /// Why the rest of the file is not read; empty if all is.
  std::string fault;
};

/// Blocks that are left out because their headers are damaged, and why the first one is.
struct DamagedBlocks {
  std::uint64_t count = 0;
  std::string first;
};

/// Packets that recorders report as dropped: the blocks contain invalid samples in their place.
struct DroppedPackets {
  std::uint64_t packets = 0, blocks = 0;

  void add(const GuppiCards& cards, const std::string& place) {
    const auto count = cards.number<std::uint64_t>(place, "NDROP", 0, 0, std::uint64_t{1} << 40);
    const auto share = cards.number<double>(place, "DROPBLK", 0.0, 0.0, 1e6);
    packets += count;
    blocks += count > 0 || share > 0 ? 1 : 0;
  }
};

std::uint64_t padded(std::uint64_t header_bytes, const GuppiHeader& header) {
  return header.is_padded ? (header_bytes + direct_io - 1) / direct_io * direct_io : header_bytes;
}

/// Reports whether this many bytes are available; moves the stream after them.
bool has_bytes(InputStream& stream, std::uint64_t from, std::uint64_t bytes) {
  if (const auto size = stream.size()) {
    if (*size < from + bytes) return false;
    stream.clear();
    stream.seekg(static_cast<std::streamoff>(from + bytes));
    return true;
  }
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(from));
  stream.ignore(static_cast<std::streamsize>(bytes));
  return static_cast<std::uint64_t>(stream.gcount()) == bytes;
}

std::optional<GuppiCards> read_cards(InputStream& stream, std::uint64_t at) {
  stream.clear();
  stream.seekg(static_cast<std::streamoff>(at));
  return GuppiCards::read(stream);
}

/// Returns the time of packet 0.
std::int64_t start_of(const GuppiCards& cards, const std::string& place, const GuppiReading& reading) {
  if (reading.start_ns) return *reading.start_ns;
  constexpr std::int64_t mjd_of_1970 = 40587, day_s = 86400;
  constexpr double ns = 1e9;
  if (!cards.text("STT_IMJD"))
    throw OptionError("start",
                      fmt::format("{}: the GUPPI header has no STT_IMJD: expected it, or the parameter "
                                  "start",
                                  place));
  const auto day = cards.number<std::uint64_t>(place, "STT_IMJD", {}, 1, 140'000),
             second = cards.number<std::uint64_t>(place, "STT_SMJD", {}, 0, 86'400);
  const auto offset = cards.number<double>(place, "STT_OFFS", 0.0, -1e6, 1e6);
  return ((static_cast<std::int64_t>(day) - mjd_of_1970) * day_s + static_cast<std::int64_t>(second)) *
             1'000'000'000 +
         std::llround(offset * ns);
}

/// Records unknown keywords of later blocks, each once.
void note_unknown(const GuppiCards& cards, std::set<std::string>& known, HeaderNotes& notes) {
  for (const auto& [key, value] : cards.values())
    if (guppi_keywords().find(key) == nullptr && known.insert(key).second) (void)notes.take(key, value);
}

/// Numbers the blocks if PKTIDX is absent, or the same in all of them.
void number_blocks(Blocks& blocks, HeaderNotes& notes, const std::string& name) {
  const bool has_packet_index = blocks.first.text("PKTIDX").has_value();
  const bool is_counted =
      blocks.all.size() == 1 || std::ranges::any_of(blocks.all, [&](const Block& block) {
        return block.packet != blocks.all.front().packet || block.start_ns != blocks.all.front().start_ns;
      });
  if (has_packet_index && is_counted) return;
  notes.warn(fmt::format("{}: PKTIDX {}: blocks are taken as contiguous", name,
                         has_packet_index ? "is the same in all blocks" : "is missing"));
  blocks.is_numbered = true;
  for (Block& block : blocks.all) block.packet = block.number;
}

/// Ignores a change of the start time while PKTIDX continues; a start that changes together with a restarted
/// PKTIDX belongs to another observation.
void check_start(Blocks& blocks, HeaderNotes& notes, const std::string& place) {
  if (blocks.all.size() < 2) return;
  Block& block = blocks.all.back();
  const Block& before = blocks.all[blocks.all.size() - 2];
  if (block.start_ns == before.start_ns || block.packet <= before.packet) return;
  notes.warn(
      fmt::format("{}: STT_IMJD, STT_SMJD or STT_OFFS change while PKTIDX continues: the start of the "
                  "previous block is used",
                  place));
  block.start_ns = before.start_ns;
}

/// Reads the header of the block at `at` and adds the block. Returns why its header is damaged; otherwise an
/// empty text. Throws ConfigError if the first block's header is damaged, or this one differs from it.
std::string add_block(const GuppiCards& cards, std::uint64_t at, std::uint64_t number,
                      const GuppiReading& reading, const std::string& place, Blocks& blocks,
                      DroppedPackets& dropped) {
  const auto no_packet = blocks.first.text("PKTIDX") ? std::nullopt : std::optional<std::uint64_t>(0);
  GuppiHeader header;
  Block block{.number = number, .offset = at};
  DroppedPackets with_this = dropped;
  try {
    header = read_guppi_header(cards, place, reading, nullptr);
    block.offset += padded(cards.bytes(), header);
    block.packet = cards.number<std::uint64_t>(place, "PKTIDX", no_packet, 0, std::uint64_t{1} << 60);
    block.start_ns = start_of(cards, place, reading);
    with_this.add(cards, place);
  } catch (const ConfigError& error) {
    if (number == 0) throw;
    return error.what();
  }
  if (header != blocks.header)
    throw ConfigError(
        fmt::format("{} differs from the first one in OBSNCHAN, NPOL, NBITS, BLOCSIZE, OVERLAP, TBIN, "
                    "OBSFREQ, OBSBW, PKTFMT, NANTS or DIRECTIO: use another source for it",
                    place));
  blocks.all.push_back(block);
  dropped = with_this;
  return {};
}

/// Warns of values in the headers that make times or samples uncertain.
void note_uncertain(const Blocks& blocks, const DamagedBlocks& damaged, const DroppedPackets& dropped,
                    HeaderNotes& notes, const std::string& name) {
  if (damaged.count > 0)
    notes.warn(fmt::format("{}: {} blocks with a damaged header were skipped, the first: {}", name,
                           damaged.count, damaged.first));
  if (dropped.blocks > 0)
    notes.warn(
        fmt::format("{}: the recorder reports {} dropped packets (NDROP, DROPBLK) in {} of {} blocks: their "
                    "samples are not valid",
                    name, dropped.packets > 0 ? std::to_string(dropped.packets) : "some", dropped.blocks,
                    blocks.all.size()));
}

/// Reads all headers. Omits an incomplete last block: the reader reports it.
Blocks scan(const std::filesystem::path& path, const GuppiReading& reading) {
  InputStream stream(path);
  stream.require_data();
  const std::string name = path.string();
  Blocks blocks;
  std::optional<GuppiCards> cards = read_cards(stream, 0);
  if (!cards || !cards->text("BLOCSIZE"))
    throw ConfigError(fmt::format(
        "{}: not a GUPPI raw file: expected cards of 80 characters up to END, BLOCSIZE among them", name));
  blocks.first = *cards;
  HeaderNotes notes(guppi_keywords(), name);
  blocks.header = read_guppi_header(*cards, name, reading, &notes);
  if (cards->text("STTVALID").value_or("1") == "0" && !reading.start_ns)
    notes.warn(
        fmt::format("{}: STTVALID is 0: the recorder did not know the start, times may be wrong", name));
  if (!cards->text("STT_OFFS") && !reading.start_ns)
    notes.warn(fmt::format("{}: the GUPPI header has no STT_OFFS: read as 0", name));
  blocks.description = notes.description();
  std::uint64_t at = 0, header_bytes = 0;
  std::set<std::string> known;
  for (const auto& [key, value] : cards->values()) known.insert(key);
  DroppedPackets dropped;
  DamagedBlocks damaged;
  for (std::uint64_t number = 0; cards || has_bytes(stream, at, 1); ++number) {
    const std::string place = fmt::format("{}: block at byte {}", name, at);
    const std::string damage = cards ? add_block(*cards, at, number, reading, place, blocks, dropped)
                                     : fmt::format("{}: no GUPPI header at byte {}", name, at);
    // The length of a header without an end is that of the previous one.
    if (cards) header_bytes = padded(cards->bytes(), blocks.header);
    if (damage.empty()) {
      check_start(blocks, notes, place);
      note_unknown(*cards, known, notes);
    }
    const std::uint64_t samples_at = at + header_bytes;
    at = samples_at + blocks.header.block_bytes;
    const bool is_whole = has_bytes(stream, samples_at, blocks.header.block_bytes);
    if (is_whole) cards = read_cards(stream, at);
    // After a damaged header, only another one proves the block's length.
    if (!damage.empty() && !(is_whole && cards)) {
      blocks.fault = damage;
      break;
    }
    if (!is_whole) break;
    if (!damage.empty() && damaged.count++ == 0) damaged.first = damage;
  }
  note_uncertain(blocks, damaged, dropped, notes, name);
  number_blocks(blocks, notes, name);
  blocks.warnings = notes.warnings();
  return blocks;
}

/// The smallest step of PKTIDX between adjacent blocks; 0 without one.
struct PacketStep {
  std::uint64_t smallest = 0;
  /// Whether most steps, and several, are this one.
  bool is_usual = false;
};

PacketStep packet_step(const std::vector<Block>& blocks) {
  PacketStep step;
  std::size_t all = 0, equal = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    if (blocks[i].packet <= blocks[i - 1].packet || blocks[i].number != blocks[i - 1].number + 1) continue;
    const std::uint64_t now = blocks[i].packet - blocks[i - 1].packet;
    if (step.smallest == 0 || now < step.smallest) {
      step.smallest = now;
      equal = 0;
    }
    equal += now == step.smallest ? 1 : 0;
    ++all;
  }
  step.is_usual = equal > 1 && 2 * equal > all;
  return step;
}

/// Returns the samples per step of PKTIDX.
double samples_per_packet(Blocks& blocks, const std::string& name) {
  const GuppiHeader& header = blocks.header;
  const auto samples = static_cast<double>(header.samples()),
             with_overlap = samples + static_cast<double>(header.overlap);
  if (blocks.is_numbered) return samples;
  const auto most = std::uint64_t{1} << 40;
  const auto a_block = blocks.first.number<std::uint64_t>(name, "PIPERBLK", 0, 0, most);
  const auto bytes = blocks.first.number<std::uint64_t>(name, "PKTSIZE", 0, 0, most);
  double told = 0;
  if (a_block > 0)
    told = samples / static_cast<double>(a_block);
  else if (bytes > 0)
    told = static_cast<double>(bytes) / static_cast<double>(header.sample_bytes());
  const PacketStep step = packet_step(blocks.all);
  // The smallest step is a whole number of blocks: one, unless blocks are missing in each step.
  const double in_blocks = static_cast<double>(step.smallest) * told / samples,
               whole = std::max(1.0, std::round(in_blocks));
  const bool agrees = step.smallest == 0 ||
                      (std::abs(in_blocks - whole) < 1e-9 * in_blocks && (whole == 1 || !step.is_usual));
  if (told > 0 && told <= with_overlap && agrees) return told;
  blocks.warnings.push_back(fmt::format(
      "{}: PKTSIZE and PIPERBLK do not define the samples per step of PKTIDX: {}", name,
      step.smallest > 0 ? fmt::format("its smallest step, {}, is taken as one block", step.smallest)
      : told > 0 ? fmt::format("a packet of {} samples is larger than a block of {}", told, with_overlap)
                 : "it is ignored"));
  return step.smallest > 0 ? samples / static_cast<double>(step.smallest) : told;
}

/// Reads the samples of blocks, [channel][polarisation] each.
class BlockReader final : public RowReader {
 public:
  /// `fault` is why the blocks after these are not read, if there are any.
  BlockReader(const std::filesystem::path& file, const GuppiHeader& header, std::vector<Block> blocks,
              std::string fault)
      : file_(file),
        header_(header),
        blocks_(std::move(blocks)),
        row_(header.sample_bytes()),
        samples_(header.samples()),
        next_(samples_),
        fault_(std::move(fault)) {}

  std::size_t read(std::span<std::byte> rows) override {
    std::size_t count = 0;
    for (const std::size_t wanted = rows.size() / row_;
         count < wanted && (next_ < samples_ || open_block());) {
      const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(wanted - count, samples_ - next_));
      copy(rows.subspan(count * row_, now * row_), now);
      next_ += now;
      count += now;
    }
    return count;
  }

  std::uint64_t skip(std::uint64_t rows) override {
    std::uint64_t count = 0;
    while (count < rows && (next_ < samples_ || open_block())) {
      const std::uint64_t now = std::min(rows - count, samples_ - next_);
      next_ += now;
      count += now;
    }
    return count;
  }

  [[nodiscard]] std::uint64_t bytes_left_over() const override { return left_over_; }
  [[nodiscard]] std::string fault() const override { return fault_; }

 private:
  /// Returns false at the end.
  bool open_block() {
    if (block_ == blocks_.size()) return false;
    bytes_.resize(header_.block_bytes);
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(blocks_[block_].offset));
    file_.read(reinterpret_cast<char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
    if (file_.bad())
      throw WorkError(fmt::format("{}: reading failed: {}", file_.path().string(), std::strerror(errno)));
    if (const auto count = static_cast<std::uint64_t>(file_.gcount()); count < bytes_.size()) {
      left_over_ += count;
      fault_ = fmt::format("{}: the file ends within a block: it has {} of {} bytes and was skipped",
                           file_.path().string(), count, header_.block_bytes);
      block_ = blocks_.size();
      return false;
    }
    ++block_;
    next_ = 0;
    return true;
  }

  void copy(std::span<std::byte> rows, std::size_t count) const {
    const std::byte* from = bytes_.data() + next_ * row_;
    if (header_.is_time_first) {
      std::copy_n(from, rows.size(), rows.begin());
      return;
    }
    const std::size_t run = row_ / header_.channels, in_block = header_.block_bytes / header_.channels;
    for (std::size_t c = 0; c < header_.channels; ++c) {
      from = bytes_.data() + c * in_block + next_ * run;
      for (std::size_t t = 0; t < count; ++t, from += run)
        std::memcpy(rows.data() + t * row_ + c * run, from, run);
    }
  }

  InputStream file_;
  const GuppiHeader header_;
  const std::vector<Block> blocks_;
  const std::size_t row_;
  const std::uint64_t samples_;
  /// The next sample of the current block; and the block after it.
  std::uint64_t next_;
  std::size_t block_ = 0;
  std::vector<std::byte> bytes_;
  std::uint64_t left_over_ = 0;
  std::string fault_;
};

SampleLayout common_layout(const GuppiHeader& header, std::size_t samples) {
  SampleLayout layout;
  check_frame(static_cast<double>(header.values_per_sample()) * static_cast<double>(samples));
  layout.row_bytes = header.sample_bytes();
  layout.rows = samples;
  layout.row_hz = 1 / header.sample_s;
  Axis channel{header.is_complex ? "beamlet" : "channel", header.channels, {}};
  const std::size_t in_band = header.channels / header.antennas;
  const double step = header.bandwidth_hz / static_cast<double>(in_band);
  for (std::size_t i = 0;
       header.bandwidth_hz != 0 && header.frequency_hz != 0 && header.antennas == 1 && i < header.channels;
       ++i)
    channel.coordinates.push_back(header.frequency_hz - header.bandwidth_hz / 2 +
                                  (static_cast<double>(i) + 0.5) * step);
  Axis time{"time", samples, {}};
  for (std::size_t i = 0; i < samples; ++i)
    time.coordinates.push_back(static_cast<double>(i) * header.sample_s);
  const Axis polarisation{"polarisation", header.polarisations, {}};
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.unit = "counts";
  layout.type.element = header.is_complex ? ElementType::complex_float32 : ElementType::float32;
  layout.type.axes =
      header.is_complex ? std::vector{channel, time, polarisation} : std::vector{time, channel, polarisation};
  take_as_floats(layout, static_cast<int>(header.bits), true);
  if (!header.is_complex) return layout;
  layout.convert = [=, to_floats = layout.convert, scratch = std::vector<float>()](
                       std::span<const std::byte> rows, std::span<std::byte> elements) mutable {
    scratch.resize(samples * header.values_per_sample());
    to_floats(rows, std::as_writable_bytes(std::span(scratch)));
    to_beamlets(scratch.data(), reinterpret_cast<float*>(elements.data()), samples, header.channels,
                header.polarisations * 2);
  };
  return layout;
}

}  // namespace

std::vector<SamplePiece> read_guppi(const std::filesystem::path& file, std::size_t samples,
                                    const GuppiReading& reading) {
  const std::string name = file.string();
  Blocks blocks = scan(file, reading);
  const double unit = samples_per_packet(blocks, name);
  const GuppiHeader& header = blocks.header;
  SampleLayout layout = common_layout(header, samples);
  layout.description = blocks.description;
  layout.warnings = blocks.warnings;
  if (header.antennas > 1)
    layout.warnings.push_back(fmt::format(
        "{}: NANTS {}: the beamlets are the channels of one antenna after the other", name, header.antennas));
  std::vector<SamplePiece> pieces;
  std::vector<Block> run;
  std::uint64_t first = 0;
  long double rounded = 0;
  const auto place_of = [&](const Block& block) {
    const long double exact = static_cast<long double>(block.packet) * unit;
    rounded = std::max(rounded, std::abs(exact - std::round(exact)));
    return static_cast<std::uint64_t>(std::llround(exact));
  };
  const auto end_run = [&](const std::string& fault = {}) {
    const long double since = static_cast<long double>(first) * static_cast<long double>(header.sample_s);
    if (since > 1e9L)
      throw ConfigError(fmt::format("{}: PKTIDX {} is {:.3g} s after the start: expected at most 1e9 s", name,
                                    run.front().packet, static_cast<double>(since)));
    layout.counted_from_ns = run.front().start_ns;
    layout.utc_ns = leap_seconds().utc_ns_after(run.front().start_ns, std::llround(since * 1e9L));
    layout.first_sample = first;
    layout.time_rounded_ns = static_cast<std::uint64_t>(std::llround(rounded * header.sample_s * 1e9L));
    layout.open = [header, run, fault](const std::filesystem::path& path) {
      return std::make_unique<BlockReader>(path, header, run, fault);
    };
    pieces.push_back({file, layout});
    // The first piece contains them.
    layout.warnings.clear();
    run.clear();
  };
  for (const Block& block : blocks.all) {
    const std::uint64_t place = place_of(block);
    if (!run.empty() &&
        (place != first + run.size() * header.samples() || block.start_ns != run.front().start_ns))
      end_run();
    if (run.empty()) first = place;
    run.push_back(block);
  }
  end_run(blocks.fault);
  return pieces;
}

bool begins_as_guppi(std::string_view text) {
  // Two cards, and not a FITS file.
  return text.size() > 160 && text[8] == '=' && text[88] == '=' && !text.starts_with("SIMPLE  =");
}

}  // namespace takt::sensors
