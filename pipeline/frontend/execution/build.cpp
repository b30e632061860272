#include "pipeline/frontend/execution/build.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/system/allowed_processors.hpp"
#include "core/system/text_file.hpp"

namespace takt::frontend {

namespace {

void compile(const std::filesystem::path& source, const std::string& compiler) {
  const TemporaryFolder messages;
  const std::filesystem::path errors = messages.path() / "errors.txt";
  const std::filesystem::path folder = source.parent_path();
  const int code = run_command({compiler, "-O2", "-w", "-ffp-contract=off", "-I" + folder.string(), "-o",
                                (folder / source.stem()).string(), source.string(), "-lm"},
                               {.output = messages.path() / "output.txt", .errors = errors});
  if (code == 127) throw WorkError(fmt::format("{} is not installed: it compiles the program", compiler));
  if (code != 0)
    throw WorkError(
        fmt::format("{} cannot be compiled:\n{}", source.filename().string(), read_text_file(errors)));
}

}  // namespace

void write_files(const std::vector<GeneratedFile>& files, const std::filesystem::path& folder,
                 bool overwrites) {
  for (const GeneratedFile& file : files)
    if (!overwrites && std::filesystem::exists(folder / file.name))
      throw ConfigError(
          fmt::format("{} exists: choose another folder, or --overwrite", (folder / file.name).string()));
  for (const GeneratedFile& file : files) {
    std::filesystem::create_directories((folder / file.name).parent_path());
    write_text_file(folder / file.name, file.text);
  }
}

void build_program(const std::filesystem::path& folder) {
  const TemporaryFolder messages;
  const std::filesystem::path errors = messages.path() / "errors.txt";
  const int code = run_command({"make", "-C", folder.string()},
                               {.output = messages.path() / "output.txt", .errors = errors});
  if (code == 127) throw WorkError("make is not installed: it builds the generated program");
  if (code != 0)
    throw WorkError(fmt::format("the generated program in {} cannot be compiled:\n{}", folder.string(),
                                read_text_file(errors)));
}

void build_sequential(const std::filesystem::path& source) {
  compile(source, source.extension() == ".c" ? "cc" : "c++");
}

void build_with_mpi(const std::filesystem::path& source) {
  compile(source, source.extension() == ".c" ? "mpicc" : "mpicxx");
}

int run_program(const std::filesystem::path& folder, const std::string& name, std::size_t ranks,
                const CommandFiles& files, const std::vector<std::string>& arguments) {
  // Linux may leave two ranks that wake each other on one processor for milliseconds.
  const bool have_processors = ranks <= allowed_processors().size();
  std::vector<std::string> words{
      "mpirun",          "-n",        fmt::format("{}", ranks),
      "--oversubscribe", "--bind-to", have_processors ? "core:if-supported" : "none"};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  words.push_back((folder / name).string());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int code = run_command(words, files);
  if (code == 127) throw WorkError("mpirun is not installed: it runs the generated program");
  return code;
}

}  // namespace takt::frontend
