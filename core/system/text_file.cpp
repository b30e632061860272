#include "core/system/text_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"

namespace takt {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_read(const fs::path& path, const std::string& reason) {
  throw ConfigError(fmt::format("{}: cannot read the file: {}", path.string(), reason));
}

std::ifstream open_to_read(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) fail_to_read(path, "it is a directory");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) fail_to_read(path, std::strerror(errno));
  return file;
}

/// Reads `size` characters; fewer only at the end of the file.
std::size_t read_some(std::ifstream& file, const fs::path& path, char* letters, std::size_t size) {
  file.read(letters, static_cast<std::streamsize>(size));
  if (file.bad()) fail_to_read(path, std::strerror(errno == 0 ? EIO : errno));
  return static_cast<std::size_t>(file.gcount());
}

/// Returns the length of the text's byte order mark. Refuses UTF-16.
std::size_t byte_order_mark(std::string_view beginning, const fs::path& path) {
  if (beginning.starts_with("\xff\xfe") || beginning.starts_with("\xfe\xff"))
    fail_to_read(path, "it is UTF-16: expected UTF-8");
  constexpr std::string_view mark = "\xef\xbb\xbf";
  return beginning.starts_with(mark) ? mark.size() : 0;
}

[[noreturn]] void fail_to_write(const fs::path& path, const std::string& reason) {
  throw WorkError(fmt::format("{}: cannot write the file: {}", path.string(), reason));
}

/// Returns the system's error number, or 0.
int write_through(const fs::path& path, std::string_view text) {
  errno = 0;
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return file ? 0 : errno == 0 ? EIO : errno;
}

/// Resolves a path's links; a dangling link stays a link.
fs::path target_of(const fs::path& path) {
  std::error_code none;
  const fs::path target = fs::canonical(path, none);
  return none ? path : target;
}

}  // namespace

std::string read_text_file(const fs::path& path) {
  std::ifstream file = open_to_read(path);
  // The size is an estimate, so that a large file is read once: pipes have no size, other files may grow.
  constexpr std::size_t at_least = 4096;
  std::error_code none;
  const std::uintmax_t size = fs::file_size(path, none);
  std::string content(none ? at_least : std::max<std::size_t>(size + 1, at_least), '\0');
  std::size_t length = 0;
  for (;;) {
    length += read_some(file, path, content.data() + length, content.size() - length);
    if (!file) break;
    content.resize(2 * content.size());
  }
  content.resize(length);
  content.erase(0, byte_order_mark(content, path));
  return content;
}

TextParts::TextParts(fs::path path, std::size_t size)
    : path_(std::move(path)), size_(std::max<std::size_t>(size, 1)), file_(open_to_read(path_)) {
  constexpr std::size_t longest_mark = 3;
  while (end_ < longest_mark && fill()) {
  }
  returned_ = byte_order_mark(std::string_view(buffer_).substr(0, end_), path_);
}

bool TextParts::fill() {
  if (!file_) return false;
  if (buffer_.size() < end_ + size_) buffer_.resize(std::max(end_ + size_, 2 * end_));
  end_ += read_some(file_, path_, buffer_.data() + end_, size_);
  return true;
}

std::string_view TextParts::next() {
  // The beginning of a line that was not complete in the data read.
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(returned_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= returned_;
  for (returned_ = 0; returned_ == 0;) {
    const std::size_t before = end_;
    if (!fill()) {
      returned_ = end_;
      break;
    }
    const std::size_t last = std::string_view(buffer_).substr(before, end_ - before).rfind('\n');
    if (last != std::string_view::npos) returned_ = before + last + 1;
  }
  return std::string_view(buffer_).substr(0, returned_);
}

std::size_t TextParts::size() const {
  std::error_code unknown;
  const std::uintmax_t size = fs::file_size(path_, unknown);
  return unknown ? 0 : static_cast<std::size_t>(size);
}

void write_text_file(const fs::path& path, std::string_view text) {
  std::error_code error;
  const fs::path target = target_of(path);
  const fs::file_status before = fs::status(target, error);
  if (fs::is_directory(before)) fail_to_write(path, "it is a directory");
  if (fs::exists(before) && !fs::is_regular_file(before)) {
    if (const int reason = write_through(target, text)) fail_to_write(path, std::strerror(reason));
    return;
  }
  const fs::path partial = target.string() + fmt::format(".part{}", ::getpid());
  if (const int reason = write_through(partial, text)) {
    fs::remove(partial, error);
    fail_to_write(path, std::strerror(reason));
  }
  if (fs::exists(before)) fs::permissions(partial, before.permissions(), error);
  fs::rename(partial, target, error);
  if (!error) return;
  const std::string reason = error.message();
  fs::remove(partial, error);
  fail_to_write(path, reason);
}

void expect_writable(const fs::path& path) {
  if (path.empty()) return;
  const fs::path target = target_of(path);
  std::error_code none;
  const fs::file_status before = fs::status(target, none);
  const auto refuse = [&](std::string_view reason) {
    throw ConfigError(fmt::format("{}: cannot write the file: {}", path.string(), reason));
  };
  if (fs::is_directory(before)) refuse("it is a directory");
  // A regular file is replaced, which requires write permission for its folder.
  const bool is_replaced = !fs::exists(before) || fs::is_regular_file(before);
  const fs::path asked = is_replaced ? fs::absolute(target).parent_path() : target;
  if (::access(asked.c_str(), is_replaced ? W_OK | X_OK : W_OK) != 0) refuse(std::strerror(errno));
}

}  // namespace takt
