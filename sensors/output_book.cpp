#include "sensors/output_book.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "core/error.hpp"

namespace takt::sensors {

OutputBook::OutputBook(std::filesystem::path book, const std::vector<std::string>& others, Tell tell)
    : book_(std::move(book)), tell_(std::move(tell)) {
  std::error_code ignored;
  if (book_.has_parent_path()) std::filesystem::create_directories(book_.parent_path(), ignored);
  std::ifstream in(book_);
  for (std::string line; std::getline(in, line);) files_.push_back(line);
  for (const std::string& name : others)
    if (!has(name)) files_.push_back(name);
}

bool OutputBook::has(const std::filesystem::path& file) const {
  return std::ranges::find(files_, file.string()) != files_.end();
}

void OutputBook::add(const std::filesystem::path& file) {
  if (has(file)) return;
  std::ofstream out(book_, std::ios::app);
  out << file.string() + '\n';
  out.close();
  if (!out) throw WorkError(fmt::format("{}: cannot write the list of files of the run", book_.string()));
  files_.push_back(file.string());
  if (tell_) tell_(files_.back());
}

}  // namespace takt::sensors
