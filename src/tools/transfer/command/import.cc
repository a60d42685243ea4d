#include "tools/transfer/command/command_parts.h"

#include <fmt/format.h>

namespace partita::tools::transfer {
namespace {

// A file that was changed meanwhile is another one: its size is in here.
std::string job_of(const ImportCommand& command, const std::vector<InputFile>& files) {
  std::string job = fmt::format("import to {}, {}, of", describe(command.to), name_of(command.write.mode));
  for (const InputFile& file : files) job += fmt::format(" {} ({} bytes)", file.path, file.bytes);
  if (!command.columns.empty()) job += fmt::format(", columns {}", command.columns);
  return job;
}

std::string state_path_of(const ImportCommand& command) {
  if (!command.common.state.empty()) return command.common.state;
  std::string path = command.files.front();
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return fmt::format("{}.partita-import", path == "-" ? "stdin" : path);
}

Result<Report> import(const ImportCommand& command, StateFile& state) {
  TRY_ASSIGN(const std::vector<InputFile> files, list_inputs(command.files, command.format));
  TableOptions table{.delimiter = command.delimiter.empty() ? '\0' : command.delimiter.front()};
  TRY_ASSIGN(table.columns, parse_columns(command.columns));
  TRY_ASSIGN(Checkpoint checkpoint, begin_job(state, job_of(command, files)));
  TRY_ASSIGN(Connection to, connect(command.to));
  WriteJob job(std::move(to), command.write, command.common, "imported");
  TRY(job.prepare(checkpoint));
  if (checkpoint.documents > 0) job.watch().say(fmt::format("resuming behind {} documents", checkpoint.documents));
  TRY_ASSIGN(const std::unique_ptr<FileRecords> source, FileRecords::open(files, std::move(table), checkpoint.position));
  TRY_ASSIGN(Report report, job.run(*source, state, std::move(checkpoint)));
  TRY(state.remove());
  return report;
}

}  // namespace

int run_import(const ImportCommand& command) {
  Result<StateFile> state = StateFile::open(state_path_of(command));
  if (!state) return complain(state.error());
  return finish(import(command, *state), command.common, &*state);
}

}  // namespace partita::tools::transfer
