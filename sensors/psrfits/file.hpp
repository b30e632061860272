#pragma once
/// PSRFITS search-mode files.
///
/// A FITS file whose binary table SUBINT has NSBLK samples in each row: DATA [sample][polarisation][channel]
/// of NBITS, and for the row DAT_SCL and DAT_OFFS (for each polarisation and channel), DAT_WTS and DAT_FREQ
/// (for each channel) and OFFS_SUB, the time from the observation's start to the row's middle. A value is (x
/// - ZERO_OFF) * DAT_SCL + DAT_OFFS, times the channel's weight; one of weight 0 is missing. Source: Hotan,
/// van Straten, Manchester 2004 (PASA 21, 302), and the PSRFITS definition 6.1 (ATNF).

#include <cstddef>
#include <filesystem>
#include <vector>

#include "sensors/files/sample_layout.hpp"

namespace takt::sensors {

/// Returns the runs of contiguous rows: `float32 [time][channel]`, or `[time][polarisation][channel]` with
/// several. Reads headers and the rows' times. Throws ConfigError if the file is no PSRFITS search-mode file,
/// or has a property that the keyword table refuses.
[[nodiscard]] std::vector<SamplePiece> read_psrfits(const std::filesystem::path& file,
                                                    std::size_t samples_per_frame);

}  // namespace takt::sensors
