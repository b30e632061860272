#pragma once
/// Common parts of the HDF5 readers, for use within `hdf5/` only.

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/error.hpp"
#include "sensors/files/input_stream.hpp"

namespace takt::sensors {

/// RAII ownership of an HDF5 handle.
class ReadHandle {
 public:
  ReadHandle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ReadHandle(const ReadHandle&) = delete;
  ReadHandle& operator=(const ReadHandle&) = delete;
  ~ReadHandle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Opens a file for reading; the handle is invalid on failure. Throws ConfigError for a compressed file: HDF5
/// requires random access.
[[nodiscard]] inline hid_t open_hdf5(const std::filesystem::path& path) {
  if (is_compressed(path))
    throw ConfigError(
        fmt::format("{}: cannot read a compressed HDF5 file: decompress it, or compress its datasets instead "
                    "(h5repack -f GZIP=1)",
                    path.string()));
  // The caller reports errors, once.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  return H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
}

[[nodiscard]] inline std::vector<hsize_t> size_of_dataset(hid_t data) {
  const ReadHandle space(H5Dget_space(data), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  std::vector<hsize_t> size(static_cast<std::size_t>(std::max(rank, 0)));
  if (rank > 0) H5Sget_simple_extent_dims(space.id(), size.data(), nullptr);
  return size;
}

/// Reports whether the size of the dataset's bytes, or of its first chunk, matches its dimensions and
/// elements. HDF5 1.10 does not compare them, and reads memory beyond a chunk of a damaged file. Compressed
/// chunks cannot be checked.
[[nodiscard]] inline bool is_stored_whole(hid_t data) {
  const ReadHandle options(H5Dget_create_plist(data), H5Pclose), type(H5Dget_type(data), H5Tclose);
  hsize_t stored = 0, expected = H5Tget_size(type.id());
  if (H5Pget_layout(options.id()) == H5D_CONTIGUOUS) {
    for (const hsize_t size : size_of_dataset(data)) expected *= size;
    stored = H5Dget_storage_size(data);
  } else if (H5Pget_layout(options.id()) == H5D_CHUNKED && H5Pget_nfilters(options.id()) == 0) {
    std::array<hsize_t, H5S_MAX_RANK> sides{}, origin{};
    const int rank = H5Pget_chunk(options.id(), H5S_MAX_RANK, sides.data());
    for (int i = 0; i < rank; ++i) expected *= sides[static_cast<std::size_t>(i)];
    unsigned filters = 0;
    haddr_t place = 0;
    if (rank < 1 || H5Dget_chunk_info_by_coord(data, origin.data(), &filters, &place, &stored) < 0)
      return false;
  }
  // Unwritten data are not stored.
  return stored == 0 || stored == expected;
}

/// Reports whether a dataset in chunks has them all. HDF5 delivers fill values for the others, without end
/// where a damaged dimension is large.
[[nodiscard]] inline bool has_all_chunks(hid_t data) {
  const ReadHandle options(H5Dget_create_plist(data), H5Pclose);
  if (H5Pget_layout(options.id()) != H5D_CHUNKED) return true;
  std::array<hsize_t, H5S_MAX_RANK> sides{};
  const int rank = H5Pget_chunk(options.id(), H5S_MAX_RANK, sides.data());
  const std::vector<hsize_t> size = size_of_dataset(data);
  if (rank < 1 || size.size() != static_cast<std::size_t>(rank)) return false;
  double needed = 1;
  for (std::size_t i = 0; i < size.size(); ++i)
    needed *= std::ceil(static_cast<double>(size[i]) / static_cast<double>(std::max<hsize_t>(1, sides[i])));
  const ReadHandle space(H5Dget_space(data), H5Sclose);
  hsize_t stored = 0;
  return H5Dget_num_chunks(data, space.id(), &stored) >= 0 && static_cast<double>(stored) >= needed;
}

/// Returns why the dataset cannot be decompressed here; otherwise empty.
[[nodiscard]] inline std::string missing_filter(hid_t data) {
  const ReadHandle options(H5Dget_create_plist(data), H5Pclose);
  const int count = H5Pget_nfilters(options.id());
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0, config = 0;
    std::size_t values = 0;
    char name[64] = "";
    const H5Z_filter_t filter = H5Pget_filter2(options.id(), static_cast<unsigned>(i), &flags, &values,
                                               nullptr, sizeof name, name, &config);
    if (filter >= 0 && H5Zfilter_avail(filter) <= 0)
      return fmt::format(
          "its data are compressed with the HDF5 filter {} ({}), which is not installed here: "
          "expected gzip or none (h5repack -f GZIP=1), or the filter's plug-in (HDF5_PLUGIN_PATH)",
          filter,
          name[0] != '\0'   ? name
          : filter == 32008 ? "bitshuffle"
                            : "unnamed");
  }
  return {};
}

}  // namespace takt::sensors
