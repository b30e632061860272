#include "sensors/hdf5/filterbank.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "sensors/hdf5/read_handle.hpp"
#include "sensors/sigproc/header.hpp"

namespace takt::sensors {

namespace {

using enum KeywordUse;

constexpr auto keyword_rows = std::to_array<HeaderKeyword>({
    {"CLASS", obeyed, "FILTERBANK: the file is one"},
    {"VERSION", carried, "of the layout"},
    {"DIMENSION_LABELS", refused, "any other than time, feed_id (or IF, polarization), frequency"},
    {"DIMENSION_LIST", unused, "links of HDF5's dimension scales"},
    {"fch1", obeyed, "centre of the first channel, MHz"},
    {"foff", obeyed, "step to the next channel, MHz"},
    {"tsamp", obeyed, "seconds per sample"},
    {"tstart", obeyed, "of the first sample, MJD, UTC; 0 with a warning"},
    {"nchans", obeyed, "channels: must be those of the data"},
    {"nifs", obeyed, "IFs: must be those of the data"},
    {"nbits", obeyed, "bits of a value: a warning where the data have others, which are read"},
    {"data_type", refused, "any other than 1, a filterbank (or 0)"},
    {"nfpc", carried, "fine channels of a coarse one"},
    {"source_name", carried, ""},
    {"rawdatafile", carried, ""},
    {"telescope_id", carried, ""},
    {"machine_id", carried, ""},
    {"src_raj", carried, ""},
    {"src_dej", carried, ""},
    {"az_start", carried, ""},
    {"za_start", carried, ""},
    {"ibeam", carried, ""},
    {"nbeams", carried, ""},
    {"nsamples", carried, "the data have their own number"},
    {"barycentric", obeyed, "1: times are barycentric, a warning"},
    {"pulsarcentric", obeyed, "1: times are those at the pulsar, a warning"},
    {"refdm", carried, "DM, pc/cm^3"},
    {"period", carried, ""},
});

/// Returns the texts and numbers of an object's attributes, by name.
std::map<std::string, std::string> attributes_of(hid_t object) {
  std::map<std::string, std::string> all;
  const auto note = [](hid_t location, const char* name, const H5A_info_t*, void* to) -> herr_t {
    auto& values = *static_cast<std::map<std::string, std::string>*>(to);
    const ReadHandle attribute(H5Aopen(location, name, H5P_DEFAULT), H5Aclose);
    const ReadHandle type(H5Aget_type(attribute.id()), H5Tclose),
        space(H5Aget_space(attribute.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    constexpr hssize_t most_values = 64;
    std::string& text = values[name];
    const H5T_class_t kind = H5Tget_class(type.id());
    if (count < 1 || count > most_values) return 0;
    const auto points = static_cast<std::size_t>(count);
    if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
      std::vector<double> numbers(points);
      if (H5Aread(attribute.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) return 0;
      for (const double number : numbers) text += (text.empty() ? "" : " ") + fmt::format("{}", number);
    } else if (kind == H5T_STRING && H5Tis_variable_str(type.id()) > 0) {
      std::vector<char*> texts(points, nullptr);
      if (H5Aread(attribute.id(), type.id(), static_cast<void*>(texts.data())) < 0) return 0;
      for (const char* each : texts)
        text += (text.empty() ? "" : " ") + std::string(each == nullptr ? "" : each);
      H5Dvlen_reclaim(type.id(), space.id(), H5P_DEFAULT, static_cast<void*>(texts.data()));
    } else if (kind == H5T_STRING) {
      const std::size_t bytes = H5Tget_size(type.id());
      constexpr std::size_t most_text = 1 << 16;
      if (bytes > most_text) return 0;
      std::string block(bytes * points, '\0');
      if (H5Aread(attribute.id(), type.id(), block.data()) < 0) return 0;
      for (std::size_t i = 0; i < points; ++i)
        text += (text.empty() ? "" : " ") + std::string(block.substr(i * bytes, bytes).c_str());
    }
    return 0;
  };
  hsize_t from = 0;
  H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, &from, note, &all);
  return all;
}

class FilterbankFile {
 public:
  explicit FilterbankFile(const std::filesystem::path& path)
      : path_(path.string()), file_(open_hdf5(path), H5Fclose) {
    if (!file_.is_open()) refuse("cannot be read as an HDF5 file");
    if (H5Lexists(file_.id(), "data", H5P_DEFAULT) <= 0) refuse("it has no dataset 'data'");
    data_.emplace(H5Dopen2(file_.id(), "data", H5P_DEFAULT), H5Dclose);
    if (!data_->is_open()) refuse("its dataset 'data' cannot be opened");
    if (!is_stored_whole(data_->id())) refuse("the size of its dataset 'data' contradicts its dimensions");
    if (!has_all_chunks(data_->id())) refuse("its dataset 'data' has fewer chunks than its dimensions need");
    if (H5Lexists(file_.id(), "mask", H5P_DEFAULT) > 0) {
      mask_.emplace(H5Dopen2(file_.id(), "mask", H5P_DEFAULT), H5Dclose);
      if (!mask_->is_open() || size_of_dataset(mask_->id()) != size_of_dataset(data_->id()) ||
          !is_stored_whole(mask_->id()))
        refuse("its dataset 'mask' does not fit its dataset 'data'");
    }
    attributes_ = attributes_of(file_.id());
    for (auto& [name, value] : attributes_of(data_->id())) attributes_[name] = value;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw ConfigError(fmt::format("{}: {}", path_, what));
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] hid_t data() const { return data_->id(); }
  /// Returns the mask of missing values, of the same dimensions; null if the file has none.
  [[nodiscard]] const ReadHandle* mask() const { return mask_ ? &*mask_ : nullptr; }
  [[nodiscard]] const std::map<std::string, std::string>& attributes() const { return attributes_; }
  [[nodiscard]] bool has(const char* name) const { return attributes_.contains(name); }

  [[nodiscard]] double number(const char* name) const {
    const auto found = attributes_.find(name);
    if (found == attributes_.end())
      refuse(fmt::format(
          "it has no attribute {}: expected the keywords of a SIGPROC header at its dataset 'data'", name));
    char* end = nullptr;
    const double value = std::strtod(found->second.c_str(), &end);
    if (end == found->second.c_str() || *end != '\0' || !std::isfinite(value))
      refuse(fmt::format("its attribute {} is '{}': expected a number", name, excerpt(found->second)));
    return value;
  }

 private:
  std::string path_;
  ReadHandle file_;
  std::optional<ReadHandle> data_, mask_;
  std::map<std::string, std::string> attributes_;
};

/// Reads rows of the dataset as float32, with NaN for masked values.
class Hdf5Rows final : public RowReader {
 public:
  explicit Hdf5Rows(const std::filesystem::path& path) : file_(path), size_(size_of_dataset(file_.data())) {}

  std::size_t read(std::span<std::byte> rows) override {
    const auto values = static_cast<std::size_t>(size_[1] * size_[2]);
    const std::size_t count =
        std::min<std::uint64_t>(rows.size() / (values * sizeof(float)), size_[0] - next_);
    if (count == 0) return 0;
    auto* const to = reinterpret_cast<float*>(rows.data());
    read_rows(file_.data(), count, H5T_NATIVE_FLOAT, to);
    if (const ReadHandle* const mask = file_.mask()) {
      masked_.resize(count * values);
      read_rows(mask->id(), count, H5T_NATIVE_UINT8, masked_.data());
      for (std::size_t i = 0; i < masked_.size(); ++i)
        if (masked_[i] != 0) to[i] = std::numeric_limits<float>::quiet_NaN();
    }
    next_ += count;
    return count;
  }

  std::uint64_t skip(std::uint64_t rows) override {
    const std::uint64_t skipped = std::min<std::uint64_t>(rows, size_[0] - next_);
    next_ += skipped;
    return skipped;
  }

 private:
  void read_rows(hid_t data, std::size_t count, hid_t type, void* to) const {
    const std::array<hsize_t, 3> first{next_, 0, 0}, many{count, size_[1], size_[2]};
    const ReadHandle in_file(H5Dget_space(data), H5Sclose),
        memory(H5Screate_simple(3, many.data(), nullptr), H5Sclose);
    if (H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, first.data(), nullptr, many.data(), nullptr) < 0 ||
        H5Dread(data, type, memory.id(), in_file.id(), H5P_DEFAULT, to) < 0)
      throw WorkError(fmt::format("{}: reading rows {} to {} failed: the file is damaged", file_.path(),
                                  next_, next_ + count - 1));
  }

  FilterbankFile file_;
  std::vector<hsize_t> size_;
  std::uint64_t next_ = 0;
  std::vector<std::uint8_t> masked_;
};

/// Throws if attributes and data contradict each other.
void check_attributes(const FilterbankFile& file, const std::vector<hsize_t>& size, HeaderNotes& notes) {
  if (size.size() != 3 || size[1] == 0 || size[2] == 0)
    file.refuse(
        fmt::format("its dataset 'data' has {} dimensions: expected [time][IF][channel]", size.size()));
  if (std::string why = missing_filter(file.data()); !why.empty()) file.refuse(why);
  for (const auto& [name, dimension] : {std::pair("nchans", size[2]), std::pair("nifs", size[1])})
    if (file.has(name) && file.number(name) != static_cast<double>(dimension))
      file.refuse(fmt::format("its attribute {} is {}, but its dataset 'data' has {}", name,
                              file.number(name), dimension));
  if (file.has("data_type") && file.number("data_type") != 1 && file.number("data_type") != 0)
    file.refuse(
        fmt::format("its attribute data_type is {}: expected 1, a filterbank", file.number("data_type")));
  if (file.has("DIMENSION_LABELS")) {
    const std::string& labels = file.attributes().at("DIMENSION_LABELS");
    if (!labels.empty() && (!labels.starts_with("time ") || !labels.ends_with(" frequency")))
      file.refuse(
          fmt::format("its DIMENSION_LABELS are '{}': expected time, feed_id, frequency", excerpt(labels)));
  }
  const ReadHandle type(H5Dget_type(file.data()), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  const auto bits = static_cast<double>(H5Tget_size(type.id()) * 8);
  if (kind != H5T_INTEGER && kind != H5T_FLOAT)
    file.refuse("its dataset 'data' is of neither integers nor floats");
  if (file.has("nbits") && file.number("nbits") != bits)
    notes.warn(fmt::format("{}: nbits is {}, but the values have {} bits: nbits is ignored", file.path(),
                           file.number("nbits"), bits));
  if (kind == H5T_INTEGER && bits > 24)
    notes.warn(fmt::format("{}: integers of {} bits above 2^24 are rounded in float32", file.path(), bits));
  if (kind == H5T_FLOAT && bits > 32)
    notes.warn(fmt::format("{}: numbers of {} bits become float32, those beyond 3.4e38 infinite", file.path(),
                           bits));
}

}  // namespace

const HeaderKeywords& hdf5_filterbank_keywords() {
  static constexpr HeaderKeywords keywords{"HDF5 filterbank", "hdf5.md", keyword_rows};
  return keywords;
}

bool is_hdf5_filterbank(const std::filesystem::path& path) {
  const ReadHandle file(open_hdf5(path), H5Fclose);
  if (!file.is_open() || H5Lexists(file.id(), "data", H5P_DEFAULT) <= 0) return false;
  const ReadHandle data(H5Dopen2(file.id(), "data", H5P_DEFAULT), H5Dclose);
  return data.is_open() && (H5Aexists(data.id(), "fch1") > 0 || H5Aexists(file.id(), "fch1") > 0 ||
                            H5Aexists(file.id(), "CLASS") > 0);
}

SamplePiece read_hdf5_filterbank(const std::filesystem::path& path, std::size_t samples) {
  const FilterbankFile file(path);
  HeaderNotes notes(hdf5_filterbank_keywords(), file.path());
  for (const auto& [name, value] : file.attributes()) (void)notes.take(name, value);
  const std::vector<hsize_t> size = size_of_dataset(file.data());
  check_attributes(file, size, notes);
  const double sample_s = file.number("tsamp"), start_mjd = file.number("tstart"),
               first_mhz = file.number("fch1"), step_mhz = file.number("foff");
  if (!(sample_s > 1e-12 && sample_s < 1e9) || std::abs(start_mjd) > 1e5)
    file.refuse(fmt::format("samples every {} s from MJD {} on are not valid", sample_s, start_mjd));
  if (step_mhz == 0 && size[2] > 1) file.refuse("its attribute foff is 0: all channels have one frequency");
  if (start_mjd == 0) notes.warn(fmt::format("{}: tstart is 0: times count from 1858-11-17", file.path()));
  for (const char* keyword : {"barycentric", "pulsarcentric"})
    if (file.has(keyword) && file.number(keyword) != 0)
      notes.warn(fmt::format("{}: {} is {}: times are not those of the telescope in UTC", file.path(),
                             keyword, file.number(keyword)));
  const auto stokes = static_cast<std::size_t>(size[1]), channels = static_cast<std::size_t>(size[2]);
  check_frame(static_cast<double>(size[1]) * static_cast<double>(size[2]) * static_cast<double>(samples));
  SampleLayout layout;
  layout.row_bytes = stokes * channels * sizeof(float);
  layout.rows = samples;
  layout.row_hz = 1 / sample_s;
  layout.utc_ns = utc_of_mjd(start_mjd);
  Axis time{"time", samples, {}}, channel{"channel", channels, {}};
  for (std::size_t i = 0; i < samples; ++i) time.coordinates.push_back(static_cast<double>(i) * sample_s);
  for (std::size_t i = 0; i < channels; ++i)
    channel.coordinates.push_back((first_mhz + static_cast<double>(i) * step_mhz) * 1e6);
  layout.type.element = ElementType::float32;
  layout.type.rate_hz = layout.row_hz / static_cast<double>(samples);
  layout.type.axes = {std::move(time)};
  if (stokes > 1) layout.type.axes.push_back({"stokes", stokes, {}});
  layout.type.axes.push_back(std::move(channel));
  take_as_they_are(layout, false);
  layout.open = [](const std::filesystem::path& at) { return std::make_unique<Hdf5Rows>(at); };
  layout.description = notes.description();
  layout.warnings = notes.warnings();
  return {path, std::move(layout)};
}

}  // namespace takt::sensors
