#pragma once
/// Filterbank files of blimpy's layout, by the HDF5 library alone.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hdf5.h>

namespace takt::test {

/// A filterbank file by the HDF5 library alone. Values are 0, 1, 2, ... of [time][IF][channel].
struct MadeFilterbank {
  std::vector<hsize_t> size{5, 2, 3};
  std::vector<std::pair<std::string, double>> numbers{{"fch1", 1500},         {"foff", -0.5},  {"tsamp", 0.5},
                                                      {"tstart", 59759.0625}, {"nchans", 3},   {"nifs", 2},
                                                      {"nbits", 32},          {"data_type", 1}};
  std::string source_name = "Voyager1";
  hid_t stored = H5T_IEEE_F32LE;
  float first = 0;
  /// Masked values.
  std::vector<std::size_t> masked = {};

  void write(const std::filesystem::path& path) const {
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr);
    const hid_t data = H5Dcreate2(file, "data", stored, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    std::vector<float> values(std::accumulate(size.begin(), size.end(), hsize_t{1}, std::multiplies<>()));
    std::iota(values.begin(), values.end(), first);
    H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    put_text(file, "CLASS", "FILTERBANK");
    put_text(file, "VERSION", "1.0");
    put_text(data, "source_name", source_name);
    const hid_t scalar = H5Screate(H5S_SCALAR);
    for (const auto& [name, value] : numbers) {
      const hid_t attribute =
          H5Acreate2(data, name.c_str(), H5T_IEEE_F64LE, scalar, H5P_DEFAULT, H5P_DEFAULT);
      H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value);
      H5Aclose(attribute);
    }
    if (!masked.empty()) {
      std::vector<std::uint8_t> mask(values.size(), 0);
      for (const std::size_t at : masked) mask[at] = 1;
      const hid_t set = H5Dcreate2(file, "mask", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
      H5Dwrite(set, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, mask.data());
      H5Dclose(set);
    }
    H5Sclose(scalar), H5Dclose(data), H5Sclose(space), H5Fclose(file);
  }
  MadeFilterbank with(const std::string& name, std::optional<double> value) const {
    MadeFilterbank other = *this;
    std::erase_if(other.numbers, [&](const auto& each) { return each.first == name; });
    if (value) other.numbers.emplace_back(name, *value);
    return other;
  }

 private:
  static void put_text(hid_t object, const char* name, const std::string& text) {
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    H5Tset_size(type, H5T_VARIABLE);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const char* const start = text.c_str();
    H5Awrite(attribute, type, static_cast<const void*>(&start));
    H5Aclose(attribute), H5Sclose(space), H5Tclose(type);
  }
};

}  // namespace takt::test
