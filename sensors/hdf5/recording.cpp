#include "sensors/hdf5/recording.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/error.hpp"
#include "sensors/frames/missing_values.hpp"
#include "sensors/hdf5/read_handle.hpp"

namespace takt::sensors {

namespace {

/// HDF5 writes all values of an attribute to the given address, even if only one is expected.
bool is_single(const ReadHandle& attribute) {
  const ReadHandle space(H5Aget_space(attribute.id()), H5Sclose);
  return H5Sget_simple_extent_npoints(space.id()) == 1;
}

std::string text_attribute(hid_t object, const char* name) {
  constexpr std::size_t longest = 1 << 20;
  if (H5Aexists(object, name) <= 0) return {};
  const ReadHandle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const ReadHandle type(H5Aget_type(attribute.id()), H5Tclose);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) > 0 || !is_single(attribute))
    return {};
  std::string text(std::min(H5Tget_size(type.id()), longest + 1), '\0');
  if (text.size() > longest) return {};
  if (H5Aread(attribute.id(), type.id(), text.data()) < 0) return {};
  text.resize(std::min(text.find('\0'), text.size()));
  return text == " " ? "" : text;
}

double number_attribute(hid_t object, const char* name) {
  double value = 0;
  if (H5Aexists(object, name) <= 0) return 0;
  const ReadHandle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  return !is_single(attribute) || H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, &value) < 0 ? 0 : value;
}

/// Returns the type of a pair (r, i); nothing for other compounds.
std::optional<ElementType> complex_element(hid_t compound, std::size_t bytes) {
  if (H5Tget_nmembers(compound) != 2) return {};
  const ReadHandle real(H5Tget_member_type(compound, 0), H5Tclose),
      imaginary(H5Tget_member_type(compound, 1), H5Tclose);
  const H5T_class_t kind = H5Tget_class(real.id());
  if (H5Tequal(real.id(), imaginary.id()) <= 0 || 2 * H5Tget_size(real.id()) != bytes) return {};
  if (kind == H5T_FLOAT) return bytes == 8 ? std::optional(ElementType::complex_float32) : std::nullopt;
  if (kind != H5T_INTEGER) return {};
  const bool is_unsigned = H5Tget_sign(real.id()) == H5T_SGN_NONE;
  if (bytes == 2) return is_unsigned ? ElementType::complex_uint8 : ElementType::complex_int8;
  if (bytes == 4) return is_unsigned ? ElementType::complex_uint16 : ElementType::complex_int16;
  return {};
}

/// Returns the type in which HDF5 delivers a dataset's values.
hid_t native_type(hid_t data) {
  const ReadHandle stored(H5Dget_type(data), H5Tclose);
  return H5Tget_native_type(stored.id(), H5T_DIR_ASCEND);
}
std::size_t native_bytes(hid_t data) {
  const ReadHandle type(native_type(data), H5Tclose);
  return H5Tget_size(type.id());
}

/// Determined by class and size, as the sink writes them.
ElementType element_of(hid_t data, const std::string& path) {
  const ReadHandle type(H5Dget_type(data), H5Tclose);
  const std::size_t bytes = H5Tget_size(type.id());
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
      if (bytes == 1) return H5Tget_sign(type.id()) == H5T_SGN_NONE ? ElementType::uint8 : ElementType::int8;
      if (bytes == 2)
        return H5Tget_sign(type.id()) == H5T_SGN_NONE ? ElementType::uint16 : ElementType::int16;
      if (bytes == 4 && H5Tget_sign(type.id()) != H5T_SGN_NONE) return ElementType::int32;
      break;
    case H5T_FLOAT:
      if (bytes == 4) return ElementType::float32;
      if (bytes == 8) return ElementType::float64;
      break;
    case H5T_COMPOUND:
      if (const auto element = complex_element(type.id(), bytes)) return *element;
      break;
    default:
      break;
  }
  throw ConfigError(fmt::format(
      "{}: its dataset 'data' has an unsupported element type: expected integers of 8 or 16 bits, signed "
      "ones "
      "of 32, floating point numbers of 32 or 64, or pairs (r, i) of them (frames of takt), or a filterbank "
      "(attribute CLASS)",
      path));
}

}  // namespace

class Hdf5Recording::Impl {
 public:
  explicit Impl(const std::filesystem::path& path)
      : path_(path.string()), file_(open_hdf5(path), H5Fclose), data_(open_data(), H5Dclose) {
    const std::vector<hsize_t> size = size_of_dataset(data_.id());
    if (size.empty()) refuse("its dataset 'data' is a single value");
    frames_ = size.front();
    double values = 1;
    for (std::size_t i = 1; i < size.size(); ++i) {
      if (size[i] == 0) refuse(fmt::format("dimension {} of its dataset 'data' is 0", i));
      values *= static_cast<double>(size[i]);
    }
    check_fits_file("data", values);
    if (!is_stored_whole(data_.id())) refuse("the size of its dataset 'data' contradicts its dimensions");
    if (!has_all_chunks(data_.id())) refuse("its dataset 'data' has fewer chunks than its dimensions need");
    type_.element = element_of(data_.id(), path_);
    if (native_bytes(data_.id()) != size_of(type_.element))
      refuse("the elements of its dataset 'data' have unused bits");
    type_.rate_hz = number_attribute(data_.id(), "rate_hz");
    if (!std::isfinite(type_.rate_hz) || type_.rate_hz < 0)
      refuse(fmt::format("its attribute rate_hz is {}", type_.rate_hz));
    type_.unit = text_attribute(data_.id(), "unit");
    std::istringstream names(text_attribute(data_.id(), "axes"));
    std::string name;
    names >> name;
    for (std::size_t i = 1; i < size.size(); ++i) {
      Axis axis{.name = names >> name ? name : fmt::format("axis{}", i), .size = size[i], .coordinates = {}};
      axis.coordinates = coordinates_of(axis);
      type_.axes.push_back(std::move(axis));
    }
    for (std::size_t i = 0; i < column_names.size(); ++i) columns_[i] = column(column_names[i]);
    if (std::string why = missing_filter(data_.id()); !why.empty()) refuse(why);
    find_flags(size);
    bytes_.resize(type_.size().count);
  }

  SourceState poll(FrameView& frame) {
    if (next_ == frames_) return SourceState::ended;
    read_frame(data_.id(), bytes_.data());
    const std::size_t data = type_.data_size().count;
    if (flags_ && !type_.parts.empty()) {
      read_frame(flags_->id(), bytes_.data() + data);
    } else if (flags_) {
      masked_.resize(type_.element_count());
      read_frame(flags_->id(), masked_.data());
      put_nan(std::span(bytes_).first(data));
    }
    const auto value = [&](std::size_t column) {
      return next_ < columns_[column].size() ? columns_[column][next_] : 0;
    };
    header_ = {.sequence = columns_[1].empty() ? next_ : static_cast<std::uint64_t>(value(1)),
               .utc_ns = value(0),
               .first_sample = static_cast<std::uint64_t>(value(4)),
               .parts = static_cast<std::uint32_t>(value(5)),
               .missing_parts = static_cast<std::uint32_t>(value(3)),
               .combined = columns_[6].empty() ? 1U : static_cast<std::uint32_t>(value(6)),
               .epoch = static_cast<std::uint16_t>(value(2))};
    if (columns_[5].empty()) header_.parts = header_.missing_parts;
    if (header_.missing_parts > header_.parts)
      throw WorkError(fmt::format("{}: frame {} misses {} of {} parts: the file is damaged", path_, next_,
                                  header_.missing_parts, header_.parts));
    frame = {&header_, bytes_};
    ++next_;
    return SourceState::frame;
  }

  [[nodiscard]] std::int64_t first_utc_ns() const { return columns_[0].empty() ? 0 : columns_[0].front(); }
  [[nodiscard]] std::vector<std::string> description() const {
    std::vector<std::string> lines;
    for (const char* const name : {"title", "creator", "written"})
      if (std::string text = text_attribute(file_.id(), name); !text.empty())
        lines.push_back(fmt::format("{}: {}", name, text));
    return lines;
  }

  void resume_after(std::uint64_t frames) { next_ = std::min<hsize_t>(frames, frames_); }

  FrameType type_;
  hsize_t next_ = 0;

 private:
  static constexpr std::array<const char*, 7> column_names{
      "utc_ns", "sequence", "epoch", "missing_parts", "first_sample", "parts", "combined"};

  /// Reads one frame of a dataset of frames.
  void read_frame(hid_t data, void* to) const {
    std::vector<hsize_t> first = size_of_dataset(data), count = first;
    std::ranges::fill(first, 0);
    first[0] = next_;
    count[0] = 1;
    const ReadHandle in_file(H5Dget_space(data), H5Sclose);
    const ReadHandle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr),
                            H5Sclose);
    const ReadHandle type(native_type(data), H5Tclose);
    if (H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) < 0 ||
        H5Dread(data, type.id(), memory.id(), in_file.id(), H5P_DEFAULT, to) < 0)
      throw WorkError(fmt::format("{}: reading frame {} of {} failed", path_, next_, frames_));
  }

  /// Finds the flags of missing parts, or the mask of missing elements.
  void find_flags(const std::vector<hsize_t>& size) {
    for (const char* const name : {"flags", "mask"}) {
      if (flags_ || H5Lexists(file_.id(), name, H5P_DEFAULT) <= 0) continue;
      flags_.emplace(H5Dopen2(file_.id(), name, H5P_DEFAULT), H5Dclose);
      const std::vector<hsize_t> parts =
          flags_->is_open() ? size_of_dataset(flags_->id()) : std::vector<hsize_t>();
      const ReadHandle stored(H5Dget_type(flags_->id()), H5Tclose);
      bool fits = is_stored_whole(flags_->id()) && parts.size() >= 2 && parts.size() <= size.size() &&
                  parts[0] == size[0] && H5Tget_class(stored.id()) == H5T_INTEGER &&
                  native_bytes(flags_->id()) == 1;
      for (std::size_t i = 1; fits && i < parts.size(); ++i) fits = parts[i] > 0 && size[i] % parts[i] == 0;
      const bool is_mask = std::string_view(name) == "mask";
      if (!fits || (is_mask && parts != size))
        refuse(fmt::format("its dataset '{}' does not fit its dataset 'data'", name));
      // Masked floating-point elements become NaN.
      if (!is_mask || !is_floating(type_.element)) type_.parts.assign(parts.begin() + 1, parts.end());
    }
  }

  void put_nan(std::span<std::byte> elements) {
    const std::size_t bytes = elements.size() / masked_.size();
    for (std::size_t i = 0; i < masked_.size(); ++i)
      if (masked_[i] != 0) fill_with_nan(type_.element, elements.subspan(i * bytes, bytes));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw ConfigError(
        fmt::format("{}: {}: expected an HDF5 file as takt's sink 'hdf5' writes it", path_, why));
  }

  /// Compares with the capacity of the file, before anything of a dataset's size is allocated.
  void check_fits_file(const std::string& name, double values) const {
    // A byte of gzip expands to at most 1032.
    constexpr double most_per_byte = 1032;
    if (values > most_per_byte * static_cast<double>(std::filesystem::file_size(path_)))
      refuse(fmt::format("its dataset '{}' has {:.0f} values, which exceeds the file's size", name, values));
  }

  hid_t open_data() const {
    if (!file_.is_open())
      throw ConfigError(fmt::format("{}: cannot be read: expected a whole HDF5 file", path_));
    if (H5Lexists(file_.id(), "data", H5P_DEFAULT) <= 0) refuse("it has no dataset 'data'");
    return H5Dopen2(file_.id(), "data", H5P_DEFAULT);
  }

  [[nodiscard]] bool has(const std::string& group, const std::string& name) const {
    return H5Lexists(file_.id(), group.c_str(), H5P_DEFAULT) > 0 &&
           H5Lexists(file_.id(), (group + '/' + name).c_str(), H5P_DEFAULT) > 0;
  }
  [[nodiscard]] std::vector<double> coordinates_of(const Axis& axis) const {
    if (!has("axes", axis.name)) return {};
    const ReadHandle data(H5Dopen2(file_.id(), ("axes/" + axis.name).c_str(), H5P_DEFAULT), H5Dclose);
    if (size_of_dataset(data.id()) != std::vector<hsize_t>{axis.size} || !is_stored_whole(data.id()))
      return {};
    std::vector<double> values(axis.size);
    if (H5Dread(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) return {};
    if (!std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
      refuse(fmt::format("a coordinate of its axis '{}' is not finite", axis.name));
    return values;
  }
  /// Returns the column's entries of existing frames; empty if it is absent or damaged.
  [[nodiscard]] std::vector<std::int64_t> column(const std::string& name) const {
    if (!has("frames", name)) return {};
    const ReadHandle data(H5Dopen2(file_.id(), ("frames/" + name).c_str(), H5P_DEFAULT), H5Dclose);
    const std::vector<hsize_t> size = size_of_dataset(data.id());
    if (size.size() != 1 || !is_stored_whole(data.id())) return {};
    check_fits_file("frames/" + name, static_cast<double>(size[0]));
    const hsize_t begin = 0, count = std::min(size[0], frames_);
    if (count == 0) return {};
    std::vector<std::int64_t> values(count);
    const ReadHandle from(H5Dget_space(data.id()), H5Sclose),
        to(H5Screate_simple(1, &count, nullptr), H5Sclose);
    if (H5Sselect_hyperslab(from.id(), H5S_SELECT_SET, &begin, nullptr, &count, nullptr) < 0 ||
        H5Dread(data.id(), H5T_NATIVE_INT64, to.id(), from.id(), H5P_DEFAULT, values.data()) < 0)
      return {};
    return values;
  }

  const std::string path_;
  const ReadHandle file_, data_;
  hsize_t frames_ = 0;
  std::array<std::vector<std::int64_t>, column_names.size()> columns_;
  /// Flags of parts after the elements, or of elements.
  std::optional<ReadHandle> flags_;
  std::vector<std::uint8_t> masked_;
  std::vector<std::byte> bytes_;
  FrameHeader header_;
};

Hdf5Recording::Hdf5Recording(const std::filesystem::path& path) : impl_(std::make_unique<Impl>(path)) {}
Hdf5Recording::~Hdf5Recording() = default;

const FrameType& Hdf5Recording::type() const {
  return impl_->type_;
}
bool Hdf5Recording::resume_after(const StreamPlace& place) {
  impl_->resume_after(place.frames);
  return true;
}
SourceState Hdf5Recording::poll(FrameView& frame) {
  return impl_->poll(frame);
}
std::int64_t Hdf5Recording::first_utc_ns() const {
  return impl_->first_utc_ns();
}
std::vector<std::string> Hdf5Recording::description() const {
  return impl_->description();
}
SourceCounters Hdf5Recording::counters() const {
  return {.ingested = impl_->next_};
}

}  // namespace takt::sensors
