#pragma once
/// Compresses bytes for tests.

#include <stdexcept>
#include <string>

#include <zlib.h>
#include <zstd.h>

namespace takt::test {

/// Returns a gzip stream.
inline std::string gzipped(const std::string& text) {
  z_stream state{};
  constexpr int gzip_only = 16, memory = 8;
  if (::deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + gzip_only, memory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("deflateInit2");
  std::string bytes(::deflateBound(&state, text.size()) + 64, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(bytes.data());
  state.avail_out = static_cast<uInt>(bytes.size());
  ::deflate(&state, Z_FINISH);
  bytes.resize(state.total_out);
  ::deflateEnd(&state);
  return bytes;
}

/// Returns a zstd frame with a checksum.
inline std::string zstd_compressed(const std::string& text) {
  ZSTD_CCtx* const context = ::ZSTD_createCCtx();
  ::ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string bytes(::ZSTD_compressBound(text.size()), '\0');
  bytes.resize(::ZSTD_compress2(context, bytes.data(), bytes.size(), text.data(), text.size()));
  ::ZSTD_freeCCtx(context);
  return bytes;
}

}  // namespace takt::test
