#pragma once
/// Filterbanks in HDF5 files, in blimpy's format.
///
/// The file's attribute CLASS is FILTERBANK. The dataset `data` [time][IF][channel], of integers or
/// floats, has the keywords of a SIGPROC header as attributes (fch1, foff, tsamp, tstart, ...); a dataset
/// `mask` of the same shape is not 0 for invalid values. Source: blimpy's documentation of its HDF5
/// format.

#include <cstddef>
#include <filesystem>

#include "sensors/files/header_keywords.hpp"
#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

/// Returns all attributes of such a file and of its dataset.
[[nodiscard]] const HeaderKeywords& hdf5_filterbank_keywords();

/// Reports whether it is an HDF5 file with a dataset `data` that has a filterbank's attributes, or a CLASS of
/// that name. Throws ConfigError for a compressed file.
[[nodiscard]] bool is_hdf5_filterbank(const std::filesystem::path& file);

/// `float32 [time][channel]`, or `[time][stokes][channel]` with several IFs. Throws ConfigError if an
/// attribute is missing or contradicts the data.
[[nodiscard]] SamplePiece read_hdf5_filterbank(const std::filesystem::path& file,
                                               std::size_t samples_per_frame);

}  // namespace takt::sensors
