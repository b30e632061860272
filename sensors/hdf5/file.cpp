#include "sensors/hdf5/file.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "core/error.hpp"
#include "sensors/files/file_pattern.hpp"

namespace takt::sensors {

namespace {

/// Frames of a column that are contiguous in the file.
constexpr hsize_t column_chunk = 1024;
/// Upper bounds of the file's size before its first frame, with its axes, and of the index per
/// chunk.
constexpr std::uint64_t file_head_bytes = 32 << 10, index_bytes = 256;
/// HDF5's default cache of a dataset's chunks; and the number of datasets: data, mask and flags.
constexpr std::uint64_t chunk_cache_bytes = 1 << 20, datasets_of_frames = 3;
/// RAII ownership of an HDF5 handle.
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

/// A lock against other runs, as in OutputFile.
class FileLock {
 public:
  FileLock() = default;
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  /// Locks the file; returns whether no other process has locked it.
  [[nodiscard]] bool take(const std::string& name) {
    descriptor_ = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
    return descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
  }

 private:
  int descriptor_ = -1;
};

/// Space left free on a disk to complete a file: its tables and HDF5's own.
constexpr std::uint64_t least_room = 64 << 10;

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
    case ElementType::uint16:
      return type_handle(H5T_STD_U16LE);
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
    case ElementType::complex_uint8:
      return complex_handle(H5T_STD_U8LE, 1);
    case ElementType::complex_uint16:
      return complex_handle(H5T_STD_U16LE, 2);
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

/// A dataset that grows along its first axis, one frame at a time.
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

  /// Opens an existing dataset.
  Growing(hid_t parent, const std::string& name, Handle type)
      : type_(std::move(type)), data_(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose) {
    if (!data_.is_open()) return;
    const Handle space(H5Dget_space(data_.id()), H5Sclose);
    size_.resize(static_cast<std::size_t>(std::max(H5Sget_simple_extent_ndims(space.id()), 1)));
    H5Sget_simple_extent_dims(space.id(), size_.data(), nullptr);
  }

  /// Keeps the first `frames` frames. Returns whether there were as many.
  [[nodiscard]] bool cut(hsize_t frames) {
    if (!data_.is_open() || size_[0] < frames) return false;
    size_[0] = frames;
    return H5Dset_extent(data_.id(), size_.data()) >= 0;
  }

  [[nodiscard]] hid_t id() const { return data_.id(); }
  [[nodiscard]] bool is_open() const { return data_.is_open(); }

  /// Returns whether it succeeded.
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

/// All open objects of a file.
class Hdf5File::Datasets {
 public:
  /// `is_open` reports whether it succeeded.
  Datasets(const std::string& name, const Hdf5Layout& layout, bool replaces)
      : type_(layout.type), has_mask_(layout.has_mask) {
    const Handle access = file_access();
    // HDF5 needs a file's real name. An unnamed file, for a trial run of writing, is kept in
    // memory.
    constexpr std::size_t piece = 16 << 20;
    const bool is_nameless = name.starts_with("/proc/self/fd/");
    if (is_nameless) H5Pset_fapl_core(access.id(), piece, false);
    const bool survives = layout.survives && !is_nameless;
    if (survives) H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = {H5Fcreate(name.c_str(), replaces ? H5F_ACC_TRUNC : H5F_ACC_EXCL, H5P_DEFAULT, access.id()),
             H5Fclose};
    if (!file_.is_open()) return;
    put_text(file_.id(), "title", layout.title);
    put_text(file_.id(), "creator", "takt");
    const auto utc = std::chrono::system_clock::now().time_since_epoch();
    put_text(
        file_.id(), "written",
        name_at("%Y-%m-%dT%H:%M:%SZ", std::chrono::duration_cast<std::chrono::nanoseconds>(utc).count()));
    data_ = Growing(file_.id(), "data", element_handle(type_.element), sizes_of(type_), 1, layout.deflate);
    if (!data_.is_open()) return;
    put_text(data_.id(), "unit", type_.unit);
    std::string axes = "frame";
    for (const Axis& axis : type_.axes) axes += ' ' + axis.name;
    put_text(data_.id(), "axes", axes);
    put_number(data_.id(), "rate_hz", type_.rate_hz);
    is_open_ = write_axes();
    make_columns();
    write_side_columns();
    if (!type_.parts.empty())
      flags_ = Growing(file_.id(), "flags", type_handle(H5T_STD_U8LE),
                       {type_.parts.begin(), type_.parts.end()}, flag_rows(), layout.deflate);
    if (layout.has_mask)
      mask_ = Growing(file_.id(), "mask", type_handle(H5T_STD_U8LE), sizes_of(type_), 1, layout.deflate);
    if (survives) is_open_ = is_open_ && open_to_survive(name);
  }

  /// Continues after the first `frames` frames.
  Datasets(const std::string& name, const Hdf5Layout& layout, std::uint64_t frames)
      : type_(layout.type), has_mask_(layout.has_mask) {
    const Handle access = file_access();
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    // As h5clear does: the process that had the file open is gone, and may have extended it without recording
    // its length.
    const hbool_t yes = true;
    H5Pset(access.id(), "clear_status_flags", &yes);
    H5Pset(access.id(), "skip_eof_check", &yes);
    file_ = {H5Fopen(name.c_str(), H5F_ACC_RDWR, access.id()), H5Fclose};
    if (!file_.is_open() || H5Fincrement_filesize(file_.id(), 0) < 0) return;
    open_datasets();
    is_open_ = cut(frames) && open_to_survive(name);
  }

  [[nodiscard]] std::uint64_t frames() const { return frames_; }

  [[nodiscard]] bool is_open() const { return is_open_; }

  /// Returns whether it succeeded.
  [[nodiscard]] bool append(const FrameView& frame, std::span<const std::byte> elements,
                            std::span<const std::byte> mask) {
    const FrameHeader& header = *frame.header;
    const std::array<std::int64_t, column_names.size()> columns{
        header.utc_ns,  static_cast<std::int64_t>(header.sequence),
        header.epoch,   static_cast<std::int64_t>(header.first_sample),
        header.parts,   header.missing_parts,
        header.combined};
    bool is_written = data_.append(elements.data());
    if (mask_.is_open()) is_written = mask_.append(mask.data()) && is_written;
    for (std::size_t i = 0; i < columns.size(); ++i)
      is_written = columns_[i].append(&columns[i]) && is_written;
    for (std::size_t i = 0; i < side_.size(); ++i)
      is_written = side_[i].append(&header.side[i]) && is_written;
    if (flags_.is_open()) is_written = flags_.append(flags_of(frame)) && is_written;
    ++frames_;
    return is_written;
  }

  /// Removes all frames after the first `frames`. Returns whether it succeeded.
  bool cut(std::uint64_t frames) {
    bool is_cut = true;
    for_each_dataset([&](Growing& each) { is_cut = each.cut(frames) && is_cut; });
    frames_ = frames;
    return is_cut;
  }

  [[nodiscard]] bool flush(H5F_scope_t scope) const { return H5Fflush(file_.id(), scope) >= 0; }

  /// Includes chunks in HDF5's caches that are not in the file yet.
  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t columns = (columns_.size() + side_.size()) * column_chunk * sizeof(std::int64_t);
    columns *= 1 + frames_ / column_chunk;
    if (flags_.is_open()) columns += flag_rows() * type_.flag_count();
    std::uint64_t each = type_.size().count + index_bytes;
    if (mask_.is_open()) each += type_.data_size().count + index_bytes;
    const std::uint64_t most = columns + file_head_bytes + frames_ * each;
    hsize_t there = 0;
    if (H5Fget_filesize(file_.id(), &there) < 0) return most;
    // Compressed data are smaller.
    return std::min<std::uint64_t>(most, there + columns + datasets_of_frames * chunk_cache_bytes);
  }

 private:
  static Handle file_access() {
    // The caller reports errors, once.
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    return {H5Pcreate(H5P_FILE_ACCESS), H5Pclose};
  }

  /// Applies to the datasets of this type.
  template <class Action>
  void for_each_dataset(Action&& act) {
    act(data_);
    if (has_mask_) act(mask_);
    for (Growing& each : columns_) act(each);
    for (Growing& each : side_) act(each);
    if (!type_.parts.empty()) act(flags_);
  }

  void open_datasets() {
    data_ = Growing(file_.id(), "data", element_handle(type_.element));
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i] = Growing(file_.id(), std::string("frames/") + column_names[i], type_handle(H5T_STD_I64LE));
    side_.clear();
    for (const SideField& field : type_.side)
      side_.emplace_back(file_.id(), "side/" + field.name, type_handle(H5T_IEEE_F64LE));
    if (!type_.parts.empty()) flags_ = Growing(file_.id(), "flags", type_handle(H5T_STD_U8LE));
    if (has_mask_) mask_ = Growing(file_.id(), "mask", type_handle(H5T_STD_U8LE));
  }

  /// Reopens the file in SWMR mode. Returns whether it succeeded.
  [[nodiscard]] bool open_to_survive(const std::string& name) {
    for_each_dataset([](Growing& each) { each = Growing(); });
    side_.clear();
    file_ = Handle();
    const Handle access = file_access();
    H5Pset_libver_bounds(access.id(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file_ = {H5Fopen(name.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access.id()), H5Fclose};
    if (!file_.is_open()) return false;
    // HDF5 keeps no lock on a file in SWMR mode.
    if (!lock_.take(name)) return false;
    open_datasets();
    bool are_open = true;
    for_each_dataset([&](const Growing& each) { are_open = each.is_open() && are_open; });
    return are_open;
  }

  static constexpr std::array<const char*, 7> column_names{
      "utc_ns", "sequence", "epoch", "first_sample", "parts", "missing_parts", "combined"};

  [[nodiscard]] hsize_t flag_rows() const { return std::max<hsize_t>(1, 65536 / type_.flag_count()); }

  void make_columns() {
    const Handle frames(H5Gcreate2(file_.id(), "frames", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i] = Growing(frames.id(), column_names[i], type_handle(H5T_STD_I64LE), {}, column_chunk, 0);
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

  /// Returns whether it succeeded.
  [[nodiscard]] bool write_axes() {
    const Handle group(H5Gcreate2(file_.id(), "axes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    for (const Axis& axis : type_.axes) {
      if (axis.coordinates.empty()) continue;
      const hsize_t size = axis.coordinates.size();
      const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
      const Handle data(H5Dcreate2(group.id(), axis.name.c_str(), H5T_IEEE_F64LE, space.id(), H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose);
      if (H5Dwrite(data.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, axis.coordinates.data()) < 0)
        return false;
    }
    return true;
  }

  /// The flags are valid if parts are missing.
  const std::byte* flags_of(const FrameView& frame) {
    if (frame.header->missing_parts > 0) return frame.bytes.data() + type_.data_size().count;
    whole_.assign(type_.flag_count(), std::byte{0});
    return whole_.data();
  }

  const FrameType type_;
  const bool has_mask_;
  bool is_open_ = false;
  /// For a file that survives its process. Released when that is closed.
  FileLock lock_;
  std::uint64_t frames_ = 0;
  /// Closed after the objects in it.
  Handle file_;
  Growing data_, flags_, mask_;
  std::array<Growing, column_names.size()> columns_;
  /// By field of the type's side values.
  std::vector<Growing> side_;
  std::vector<std::byte> whole_;
};

Hdf5File::Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, bool replaces)
    : path_(std::move(path)), datasets_(std::make_unique<Datasets>(path_.string(), layout, replaces)) {
  if (!datasets_->is_open()) fail("creating");
}

Hdf5File::Hdf5File(std::filesystem::path path, const Hdf5Layout& layout, std::uint64_t frames)
    : path_(std::move(path)), datasets_(std::make_unique<Datasets>(path_.string(), layout, frames)) {
  if (!datasets_->is_open()) fail("going on with");
  flushed_ = frames;
}

Hdf5File::~Hdf5File() = default;

std::uint64_t Hdf5File::frames() const {
  return datasets_ ? datasets_->frames() : flushed_;
}

void Hdf5File::append(const FrameView& frame, std::span<const std::byte> elements,
                      std::span<const std::byte> mask) {
  const std::uint64_t bytes = elements.size() + mask.size();
  if (!has_room(bytes)) {
    // The estimate may exceed the available space.
    flush();
    if (!has_room(bytes)) fail("writing");
  }
  fail_if(!datasets_->append(frame, elements, mask), "writing");
}

void Hdf5File::flush() {
  fail_if(!datasets_->flush(H5F_SCOPE_LOCAL), "writing");
  flushed_ = datasets_->frames();
}

void Hdf5File::close() {
  fail_if(!datasets_->flush(H5F_SCOPE_GLOBAL), "closing");
  flushed_ = datasets_->frames();
  datasets_.reset();
}

/// Reports whether the disk has space for this many bytes in addition to the file's unwritten data. Other
/// programs may use the space meanwhile.
bool Hdf5File::has_room(std::uint64_t bytes) const {
  struct stat file {};
  struct statvfs disk {};
  if (::stat(path_.c_str(), &file) != 0 || ::statvfs(path_.c_str(), &disk) != 0) return true;
  const auto written = static_cast<std::uint64_t>(file.st_size);
  const std::uint64_t most = datasets_->size(), room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  return (most > written ? most - written : 0) + bytes + least_room <= room;
}

void Hdf5File::fail_if(bool has_failed, const char* what) {
  if (!has_failed) return;
  // HDF5 would retry to write its caches; without the new frames the file can be completed.
  if (datasets_->cut(flushed_)) (void)datasets_->flush(H5F_SCOPE_GLOBAL);
  fail(what);
}

std::uint64_t Hdf5File::size() const {
  return datasets_->size();
}

void Hdf5File::fail(const char* what) const {
  // HDF5 does not report the system's reason.
  std::error_code error;
  const auto room = std::filesystem::space(std::filesystem::absolute(path_, error).parent_path(), error);
  if (!error && room.available < 4 * least_room)
    throw WorkError(fmt::format("{}: {} the HDF5 file failed: {}", path_.string(), what,
                                std::make_error_code(std::errc::no_space_on_device).message()));
  throw WorkError(fmt::format(
      "{}: {} the HDF5 file failed: another run has it open, its directory is missing, or the disk is full",
      path_.string(), what));
}

}  // namespace takt::sensors
