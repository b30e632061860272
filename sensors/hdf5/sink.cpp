#include "sensors/hdf5/sink.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <hdf5.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "sensors/file_pattern.hpp"
#include "sensors/history.hpp"
#include "sensors/output_file.hpp"

namespace takt::sensors {

namespace {

/// Frames of a column that lie together in the file.
constexpr hsize_t column_chunk = 1024;
/// HDF5's chunks are below 4 GiB.
constexpr std::uint64_t largest_chunk = (std::uint64_t{1} << 32) - 1;

/// One of HDF5's handles, given back.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  [[nodiscard]] hid_t id() const { return id_; }
  [[nodiscard]] bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

Handle type_handle(hid_t predefined) {
  return {H5Tcopy(predefined), H5Tclose};
}

Handle complex_handle(hid_t number, std::size_t bytes) {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * bytes), H5Tclose);
  H5Tinsert(type.id(), "r", 0, number);
  H5Tinsert(type.id(), "i", bytes, number);
  return type;
}

Handle element_handle(ElementType element) {
  switch (element) {
    case ElementType::int8:
      return type_handle(H5T_STD_I8LE);
    case ElementType::uint8:
      return type_handle(H5T_STD_U8LE);
    case ElementType::int16:
      return type_handle(H5T_STD_I16LE);
    case ElementType::int32:
      return type_handle(H5T_STD_I32LE);
    case ElementType::float32:
      return type_handle(H5T_IEEE_F32LE);
    case ElementType::float64:
      return type_handle(H5T_IEEE_F64LE);
    case ElementType::complex_int8:
      return complex_handle(H5T_STD_I8LE, 1);
    case ElementType::complex_int16:
      return complex_handle(H5T_STD_I16LE, 2);
    case ElementType::complex_float32:
      break;
  }
  return complex_handle(H5T_IEEE_F32LE, 4);
}

void put_text(hid_t object, const char* name, const std::string& text) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.id(), std::max<std::size_t>(text.size(), 1));
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  H5Awrite(attribute.id(), type.id(), text.empty() ? " " : text.data());
}

void put_number(hid_t object, const char* name, double value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, &value);
}

/// A dataset that grows along its first axis, a frame at a time.
class Growing {
 public:
  Growing() = default;
  Growing(hid_t parent, const char* name, Handle type, std::vector<hsize_t> frame, hsize_t chunk, int deflate)
      : type_(std::move(type)), size_(std::move(frame)) {
    size_.insert(size_.begin(), 0);
    std::vector<hsize_t> most = size_, chunks = size_;
    most[0] = H5S_UNLIMITED;
    chunks[0] = chunk;
    const Handle space(H5Screate_simple(static_cast<int>(size_.size()), size_.data(), most.data()), H5Sclose);
    const Handle options(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(options.id(), static_cast<int>(chunks.size()), chunks.data());
    if (deflate > 0) H5Pset_deflate(options.id(), static_cast<unsigned>(deflate));
    data_ = {H5Dcreate2(parent, name, type_.id(), space.id(), H5P_DEFAULT, options.id(), H5P_DEFAULT),
             H5Dclose};
  }

  [[nodiscard]] hid_t id() const { return data_.id(); }
  [[nodiscard]] bool is_open() const { return data_.is_open(); }

  /// Whether it worked.
  bool append(const void* frame) {
    std::vector<hsize_t> first(size_.size()), count = size_;
    first[0] = size_[0]++;
    count[0] = 1;
    if (H5Dset_extent(data_.id(), size_.data()) < 0) return false;
    const Handle file(H5Dget_space(data_.id()), H5Sclose);
    const Handle memory(H5Screate_simple(static_cast<int>(count.size()), count.data(), nullptr), H5Sclose);
    return H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, first.data(), nullptr, count.data(), nullptr) >=
               0 &&
           H5Dwrite(data_.id(), type_.id(), memory.id(), file.id(), H5P_DEFAULT, frame) >= 0;
  }

 private:
  Handle type_, data_;
  std::vector<hsize_t> size_;
};

std::vector<hsize_t> sizes_of(const FrameType& type) {
  std::vector<hsize_t> sizes;
  for (const Axis& axis : type.axes) sizes.push_back(axis.size);
  return sizes;
}

}  // namespace

void validate(const Hdf5Options& options) {
  if (options.path.empty()) throw ConfigError("the output has no name, expected that of a file");
  (void)name_at(options.path.string(), 0);
  if (options.deflate < 0 || options.deflate > 9)
    throw ConfigError(fmt::format("a compression of {} cannot be, expected 0 to 9", options.deflate));
}

class Hdf5Sink::Impl {
 public:
  Impl(Hdf5Options options, const FrameType& type)
      : options_((validate(options), std::move(options))), type_(type) {
    if (type.data_size().count > largest_chunk)
      throw ConfigError(fmt::format("frames {} of {} cannot be in an HDF5 file: expected less than 4 GiB",
                                    type.to_string(), to_string(type.data_size())));
    if (!options_.missing) return;
    missing_.emplace(type, options_.missing->value);
    filled_.resize(type.data_size().count);
  }

  void open() {
    // Its errors are told once, by us.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    const std::string path = options_.path.string();
    if (!is_pattern(path)) refuse_claimed(path);
  }

  void write(const FrameView& frame) {
    if (!file_.is_open()) begin(*frame.header);
    const FrameHeader& header = *frame.header;
    const std::array<std::int64_t, 7> columns{header.utc_ns,  static_cast<std::int64_t>(header.sequence),
                                              header.epoch,   static_cast<std::int64_t>(header.first_sample),
                                              header.parts,   header.missing_parts,
                                              header.combined};
    bool is_written = append_data(frame);
    for (std::size_t i = 0; i < columns.size(); ++i)
      is_written = columns_[i].append(&columns[i]) && is_written;
    for (std::size_t i = 0; i < side_.size(); ++i)
      is_written = side_[i].append(&header.side[i]) && is_written;
    if (flags_.is_open()) is_written = flags_.append(flags_of(frame)) && is_written;
    if (!is_written) fail("writing");
    frames_.add();
    if (options_.sync == Time(0) || now_ns() - synchronised_ns_ < options_.sync.count()) return;
    if (H5Fflush(file_.id(), H5F_SCOPE_LOCAL) < 0) fail("writing");
    synchronised_ns_ = now_ns();
  }

  void note(const std::string& line) { history_.note(line); }

  void close() {
    if (!file_.is_open()) return;
    const bool is_flushed = H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0;
    data_ = {};
    flags_ = {};
    mask_ = {};
    for (Growing& column : columns_) column = {};
    side_.clear();
    file_ = {};
    if (!is_flushed) fail("closing");
  }

  [[nodiscard]] std::string location() const {
    const std::lock_guard lock(mutex_);
    return name_.empty() ? options_.path.string() : name_;
  }

  Tally frames_;

 private:
  /// The elements, with what stands for missing ones, and the mask.
  bool append_data(const FrameView& frame) {
    if (!missing_) return data_.append(frame.bytes.data());
    missing_->find(frame);
    std::ranges::copy(frame.bytes.first(filled_.size()), filled_.begin());
    missing_->fill(filled_);
    const bool is_written = data_.append(filled_.data());
    return (!mask_.is_open() || mask_.append(missing_->mask().data())) && is_written;
  }

  static constexpr std::array<const char*, 7> column_names{
      "utc_ns", "sequence", "epoch", "first_sample", "parts", "missing_parts", "combined"};

  void refuse_claimed(const std::string& path) const {
    if (const std::string claim = claim_on(path, options_.overwrite ? OldFile::replace : OldFile::keep);
        !claim.empty())
      throw ConfigError(claim);
  }

  void begin(const FrameHeader& header) {
    const std::string path = options_.path.string();
    const std::string name = is_pattern(path) ? name_at(path, header.utc_ns) : path;
    if (is_pattern(path)) refuse_claimed(name);
    {
      const std::lock_guard lock(mutex_);
      name_ = name;
    }
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // HDF5 wants to know a file's real name. One without, for a trial of what writing costs, is kept in
    // memory.
    constexpr std::size_t piece = 16 << 20;
    if (name.starts_with("/proc/self/fd/")) H5Pset_fapl_core(access.id(), piece, false);
    file_ = {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose};
    if (!file_.is_open()) fail("creating");
    put_text(file_.id(), "title", options_.title);
    put_text(file_.id(), "creator", "takt");
    const auto utc = std::chrono::system_clock::now().time_since_epoch();
    put_text(
        file_.id(), "written",
        name_at("%Y-%m-%dT%H:%M:%SZ", std::chrono::duration_cast<std::chrono::nanoseconds>(utc).count()));
    data_ = Growing(file_.id(), "data", element_handle(type_.element), sizes_of(type_), 1, options_.deflate);
    if (!data_.is_open()) fail("creating");
    put_text(data_.id(), "unit", type_.unit);
    std::string axes = "frame";
    for (const Axis& axis : type_.axes) axes += ' ' + axis.name;
    put_text(data_.id(), "axes", axes);
    put_number(data_.id(), "rate_hz", type_.rate_hz);
    write_axes();
    const Handle frames(H5Gcreate2(file_.id(), "frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i] = Growing(frames.id(), column_names[i], type_handle(H5T_STD_I64LE), {}, column_chunk, 0);
    write_side_columns();
    history_.begin(name);
    if (!type_.parts.empty())
      flags_ =
          Growing(file_.id(), "flags", type_handle(H5T_STD_U8LE), {type_.parts.begin(), type_.parts.end()},
                  std::max<hsize_t>(1, 65536 / type_.flag_count()), options_.deflate);
    if (options_.missing && options_.missing->mask)
      mask_ = Growing(file_.id(), "mask", type_handle(H5T_STD_U8LE), sizes_of(type_), 1, options_.deflate);
    synchronised_ns_ = 0;
  }

  void write_side_columns() {
    if (type_.side.empty()) return;
    const Handle group(H5Gcreate2(file_.id(), "side", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (const SideField& field : type_.side) {
      side_.emplace_back(group.id(), field.name.c_str(), type_handle(H5T_IEEE_F64LE), std::vector<hsize_t>{},
                         column_chunk, 0);
      put_text(side_.back().id(), "unit", field.unit);
    }
  }

  void write_axes() {
    const Handle group(H5Gcreate2(file_.id(), "axes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (const Axis& axis : type_.axes) {
      if (axis.coordinates.empty()) continue;
      const hsize_t size = axis.coordinates.size();
      const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const Handle data(H5Dcreate2(group.id(), axis.name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose);
      if (H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis.coordinates.data()) < 0)
        fail("writing");
    }
  }

  /// They are filled in where something is missing.
  const std::byte* flags_of(const FrameView& frame) {
    if (frame.header->missing_parts > 0) return frame.bytes.data() + type_.data_size().count;
    whole_.assign(type_.flag_count(), std::byte{0});
    return whole_.data();
  }

  [[noreturn]] void fail(const char* what) const {
    throw WorkError(
        fmt::format("{}: {} the HDF5 file failed: another run has it open, the folder is not there, or the "
                    "disk is full",
                    location(), what));
  }

  const Hdf5Options options_;
  const FrameType type_;
  mutable std::mutex mutex_;
  std::string name_;
  Handle file_;
  Growing data_, flags_, mask_;
  /// Where elements are not written as they come.
  std::optional<MissingValues> missing_;
  std::vector<std::byte> filled_;
  std::array<Growing, column_names.size()> columns_;
  /// By field of the type's side values.
  std::vector<Growing> side_;
  History history_;
  std::vector<std::byte> whole_;
  std::int64_t synchronised_ns_ = 0;
};

Hdf5Sink::Hdf5Sink(Hdf5Options options, const FrameType& type)
    : impl_(std::make_unique<Impl>(std::move(options), type)) {}
Hdf5Sink::~Hdf5Sink() = default;

void Hdf5Sink::open() {
  impl_->open();
}
void Hdf5Sink::write(const FrameView& frame) {
  impl_->write(frame);
}
void Hdf5Sink::close() {
  impl_->close();
}
void Hdf5Sink::note(const std::string& line) {
  impl_->note(line);
}
std::string Hdf5Sink::location() const {
  return impl_->location();
}
std::vector<Counter> Hdf5Sink::counters() const {
  return {{"frames_written", "frames", impl_->frames_.value()}};
}

}  // namespace takt::sensors
