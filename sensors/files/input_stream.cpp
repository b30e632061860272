#include "sensors/files/input_stream.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "core/error.hpp"

namespace takt::sensors {

namespace {

using namespace std::string_view_literals;

/// Bytes read and decompressed per call: above the 128 KiB blocks of zstd.
constexpr std::size_t chunk_bytes = 256 << 10;

/// The result of one call of a decoder.
struct Decoded {
  std::size_t consumed = 0, produced = 0;
  /// Whether a stream ended with the bytes consumed.
  bool is_end = false;
  /// Why the bytes cannot be decoded; otherwise empty.
  std::string fault = {};
};

class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;
  virtual void restart() = 0;
  virtual Decoded decode(std::string_view input, char* output, std::size_t room) = 0;
  [[nodiscard]] virtual const char* name() const = 0;
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder() {
    constexpr int gzip_only = 16;
    if (::inflateInit2(&state_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~GzipDecoder() override { ::inflateEnd(&state_); }
  void restart() override { ::inflateReset(&state_); }
  Decoded decode(std::string_view input, char* output, std::size_t room) override {
    // zlib does not modify its input.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    state_.avail_in = static_cast<uInt>(input.size());
    state_.next_out = reinterpret_cast<Bytef*>(output);
    state_.avail_out = static_cast<uInt>(room);
    const int result = ::inflate(&state_, Z_NO_FLUSH);
    Decoded decoded{.consumed = input.size() - state_.avail_in,
                    .produced = room - state_.avail_out,
                    .is_end = result == Z_STREAM_END};
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      decoded.fault = state_.msg != nullptr ? state_.msg : "the data are damaged";
    return decoded;
  }
  [[nodiscard]] const char* name() const override { return "gzip"; }

 private:
  z_stream state_{};
};

/// Refuses frames with a window above 128 MiB, zstd's own memory limit.
class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder() : state_(::ZSTD_createDStream()) {
    if (state_ == nullptr) throw std::bad_alloc();
  }
  ~ZstdDecoder() override { ::ZSTD_freeDStream(state_); }
  void restart() override { ::ZSTD_DCtx_reset(state_, ZSTD_reset_session_only); }
  Decoded decode(std::string_view input, char* output, std::size_t room) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output, room, 0};
    const std::size_t result = ::ZSTD_decompressStream(state_, &out, &in);
    Decoded decoded{.consumed = in.pos, .produced = out.pos, .is_end = result == 0};
    if (::ZSTD_isError(result) != 0) decoded.fault = ::ZSTD_getErrorName(result);
    return decoded;
  }
  [[nodiscard]] const char* name() const override { return "zstd"; }

 private:
  ZSTD_DStream* state_;
};

bool is_gzip(std::string_view head) {
  // Method 8, and none of the reserved flags.
  return head.starts_with("\x1f\x8b\x08"sv) && head.size() > 3 &&
         (static_cast<unsigned char>(head[3]) & 0xE0) == 0;
}

/// Detects a zstd frame without content (RFC 8878, 3.1.2), which pzstd writes before each other frame.
bool is_skippable(std::string_view head) {
  return head.size() >= 4 && (static_cast<unsigned char>(head[0]) & 0xF0) == 0x50 &&
         head.substr(1, 3) == "\x2a\x4d\x18"sv;
}

bool is_zstd(std::string_view head) {
  return head.starts_with("\x28\xb5\x2f\xfd"sv) || is_skippable(head);
}

std::unique_ptr<Decoder> decoder_of(std::string_view head) {
  if (is_gzip(head)) return std::make_unique<GzipDecoder>();
  if (is_zstd(head)) return std::make_unique<ZstdDecoder>();
  return nullptr;
}

/// A compression that takt does not support.
struct OtherCompression {
  std::string_view magic, name, command;
};
constexpr std::array<OtherCompression, 3> other_compressions{{
    {"\xFD"
     "7zXZ\0"sv,
     "xz", "xz -d"},
    {"BZh91AY&SY"sv, "bzip2", "bzip2 -d"},
    {"\x04\x22\x4D\x18"sv, "lz4", "lz4 -d"},
}};

void refuse_other_compressions(const std::filesystem::path& path, std::string_view head) {
  for (const OtherCompression& other : other_compressions)
    if (head.starts_with(other.magic))
      throw ConfigError(fmt::format(
          "{}: the file is compressed with {}: expected plain, gzip or zstd: decompress it ({} {})",
          path.string(), other.name, other.command, path.filename().string()));
}

}  // namespace

class InputStream::Decompressor final : public std::streambuf {
 public:
  Decompressor(std::filebuf&& file, std::unique_ptr<Decoder> decoder)
      : file_(std::move(file)), decoder_(std::move(decoder)), input_(chunk_bytes), output_(chunk_bytes) {}

  /// Thread-safe.
  [[nodiscard]] std::string fault() const { return has_fault_.load(std::memory_order_acquire) ? fault_ : ""; }

 protected:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    begins_at_ += static_cast<std::uint64_t>(egptr() - eback());
    setg(output_.data(), output_.data(), output_.data());
    while (!is_over_) {
      if (in_ == end_ && !has_more_ && !refill()) break;
      const Decoded decoded =
          decoder_->decode({input_.data() + in_, end_ - in_}, output_.data(), output_.size());
      in_ += decoded.consumed;
      has_more_ = decoded.produced == output_.size() && !decoded.is_end;
      if (!decoded.fault.empty())
        give_up(fmt::format("is damaged ({})", decoded.fault));
      else if (decoded.is_end)
        begin_next_stream();
      else
        is_within_stream_ = true;
      if (decoded.produced == 0) continue;
      setg(output_.data(), output_.data(), output_.data() + decoded.produced);
      return traits_type::to_int_type(*gptr());
    }
    return traits_type::eof();
  }

  pos_type seekoff(off_type offset, std::ios_base::seekdir direction,
                   std::ios_base::openmode which) override {
    const auto here = static_cast<off_type>(begins_at_) + (gptr() - eback());
    if (direction == std::ios_base::end) return pos_type(off_type(-1));
    return seekpos(pos_type(direction == std::ios_base::cur ? here + offset : offset), which);
  }

  /// A position beyond the end is the end, as in a file.
  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    if (off_type(position) < 0) return pos_type(off_type(-1));
    const auto wanted = static_cast<std::uint64_t>(off_type(position));
    if (wanted < begins_at_) restart();
    for (;;) {
      const auto held = static_cast<std::uint64_t>(egptr() - eback());
      if (wanted <= begins_at_ + held) {
        setg(eback(), eback() + (wanted - begins_at_), egptr());
        return position;
      }
      setg(eback(), egptr(), egptr());
      if (traits_type::eq_int_type(underflow(), traits_type::eof())) return position;
    }
  }

 private:
  bool refill() {
    compressed_at_ += end_;
    in_ = 0;
    end_ = static_cast<std::size_t>(file_.sgetn(input_.data(), static_cast<std::streamsize>(input_.size())));
    if (end_ > 0) return true;
    if (is_within_stream_) give_up("is cut short");
    is_over_ = true;
    return false;
  }

  /// Another stream of the same kind may follow; zeros after it are padding.
  void begin_next_stream() {
    is_within_stream_ = false;
    while (in_ < end_ || refill()) {
      if (input_[in_] == '\0') {
        ++in_;
        continue;
      }
      // Its header must not be split by the end of the input buffer.
      if (end_ - in_ < head_bytes) {
        std::copy(input_.begin() + static_cast<std::ptrdiff_t>(in_),
                  input_.begin() + static_cast<std::ptrdiff_t>(end_), input_.begin());
        compressed_at_ += in_;
        end_ -= in_;
        in_ = 0;
        end_ += static_cast<std::size_t>(
            file_.sgetn(input_.data() + end_, static_cast<std::streamsize>(input_.size() - end_)));
      }
      const std::string_view head(input_.data() + in_, end_ - in_);
      const std::string_view name = decoder_->name();
      if (name == "gzip" ? !is_gzip(head) : !is_zstd(head)) return give_up("is followed by other data");
      decoder_->restart();
      is_within_stream_ = true;
      return;
    }
  }

  void give_up(const std::string& why) {
    is_over_ = true;
    // A second reading of the stream has the same fault.
    if (has_fault_.load(std::memory_order_relaxed)) return;
    fault_ = fmt::format("the {} stream {} at byte {}", decoder_->name(), why, compressed_at_ + in_);
    has_fault_.store(true, std::memory_order_release);
  }

  void restart() {
    file_.pubseekpos(0);
    decoder_->restart();
    in_ = end_ = 0;
    compressed_at_ = begins_at_ = 0;
    is_over_ = is_within_stream_ = has_more_ = false;
    setg(output_.data(), output_.data(), output_.data());
  }

  static constexpr std::size_t head_bytes = 4;
  std::filebuf file_;
  std::unique_ptr<Decoder> decoder_;
  std::vector<char> input_, output_;
  /// Unused input, and the position of the input in the file.
  std::size_t in_ = 0, end_ = 0;
  std::uint64_t compressed_at_ = 0;
  /// Position of the held output in the decompressed stream.
  std::uint64_t begins_at_ = 0;
  bool is_over_ = false, is_within_stream_ = false;
  /// Whether the decoder may hold output of input that it has consumed.
  bool has_more_ = false;
  std::string fault_;
  std::atomic<bool> has_fault_{false};
};

bool is_compressed(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return false;
  std::array<char, 4> bytes{};
  std::ifstream stream(file, std::ios::binary);
  stream.read(bytes.data(), bytes.size());
  const std::string_view head(bytes.data(), static_cast<std::size_t>(stream.gcount()));
  return is_gzip(head) || is_zstd(head);
}

InputStream::InputStream(const std::filesystem::path& path, Compression compression)
    : std::istream(nullptr), path_(path) {
  auto file = std::make_unique<std::filebuf>();
  std::error_code error;
  const bool is_folder = std::filesystem::is_directory(path, error);
  if (is_folder || file->open(path, std::ios::in | std::ios::binary) == nullptr)
    throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(),
                                  std::strerror(is_folder ? EISDIR : errno)));
  std::array<char, 16> bytes{};
  // A pipe cannot be read twice: its bytes are read unchanged.
  if (compression == Compression::detect && std::filesystem::is_regular_file(path, error)) {
    const auto read = static_cast<std::size_t>(file->sgetn(bytes.data(), bytes.size()));
    file->pubseekpos(0);
    const std::string_view head(bytes.data(), read);
    refuse_other_compressions(path, head);
    if (std::unique_ptr<Decoder> decoder = decoder_of(head)) {
      auto decompressor = std::make_unique<Decompressor>(std::move(*file), std::move(decoder));
      decompressor_ = decompressor.get();
      buffer_ = std::move(decompressor);
      is_compressed_ = true;
    }
  }
  if (!buffer_) buffer_ = std::move(file);
  rdbuf(buffer_.get());
}

InputStream::~InputStream() {
  rdbuf(nullptr);
}

std::optional<std::uint64_t> InputStream::size() const {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path_, error);
  return is_compressed_ || error ? std::nullopt : std::optional(size);
}

void InputStream::require_data() {
  if (!is_compressed_ || peek() != traits_type::eof()) return;
  const std::string why = fault();
  throw ConfigError(why.empty() ? fmt::format("{}: the compressed stream has no data", path_.string())
                                : why + ": no data before it");
}

void InputStream::append_to(std::string& bytes, std::size_t most) {
  constexpr std::size_t first_piece = 64 << 10;
  for (std::size_t piece = first_piece; most > 0 && *this; piece *= 2) {
    const std::size_t had = bytes.size(), wanted = std::min(piece, most);
    bytes.resize(had + wanted);
    read(bytes.data() + had, static_cast<std::streamsize>(wanted));
    bytes.resize(had + static_cast<std::size_t>(gcount()));
    most -= wanted;
  }
}

std::string InputStream::fault() const {
  const std::string fault = decompressor_ == nullptr ? "" : decompressor_->fault();
  return fault.empty() ? fault : fmt::format("{}: {}", path_.string(), fault);
}

std::string stream_fault(const std::filesystem::path& file) {
  InputStream stream(file);
  if (!stream.is_compressed()) return {};
  stream.ignore(std::numeric_limits<std::streamsize>::max());
  const std::string fault = stream.fault();
  return fault.empty() ? fault : fault.substr(file.string().size() + 2);
}

}  // namespace takt::sensors
