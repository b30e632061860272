#include "core/pictures/graph_svg.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/formats/dot.hpp"
#include "core/pictures/palette.hpp"
#include "core/text_file.hpp"

namespace takt {

namespace {

/// A file in the system's folder for such, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "takt-XXXXXX").string();
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) throw WorkError(fmt::format("{}: cannot make a temporary file", path_));
    ::close(descriptor);
    write_text_file(path_, text);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// Graphviz knows light paper only. Names cannot be mistaken for attributes: their quotes are escaped.
std::string in_our_colours(std::string svg) {
  replace_all(svg, R"(<polygon fill="white")", R"(<polygon fill="none")");
  replace_all(svg, R"(fill="black" stroke="black")", R"(class="f-muted s-muted")");
  replace_all(svg, R"(fill="none" stroke="black")", R"(fill="none" class="s-muted")");
  replace_all(svg, "<text ", R"(<text class="f-ink" )");
  return picture_file(svg);
}

}  // namespace

std::string graph_to_svg(const TaskGraph& graph) {
  const TemporaryFile dot(graph_to_dot(graph));
  // The path is our own; quotes guard against a folder for temporary files with blanks in its name.
  std::FILE* const pipe = ::popen(
      fmt::format("dot -Tsvg -Nfontname=sans-serif -Efontname=sans-serif '{}'", dot.path()).c_str(), "r");
  if (pipe == nullptr) throw WorkError("cannot start Graphviz' program 'dot'");
  std::string svg;
  std::array<char, 65536> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    svg.append(buffer.data(), count);
  const int status = ::pclose(pipe);
  constexpr int not_found = 127;
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_found)
    throw WorkError(
        "Graphviz' program 'dot' is not installed (Debian: apt install graphviz); --format dot needs no "
        "program");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw WorkError("Graphviz' program 'dot' failed");
  return in_our_colours(std::move(svg));
}

}  // namespace takt
