#include "tools/transfer/command/command_parts.h"
#include "tools/transfer/source/container_records.h"

#include <fmt/format.h>

namespace partita::tools::transfer {
namespace {

std::string state_path_of(const CopyCommand& command) {
  if (!command.common.state.empty()) return command.common.state;
  return fmt::format("{}.{}.partita-copy", command.to.database, command.to.container);
}

Result<Report> copy(const CopyCommand& command, StateFile& state) {
  const std::string job =
      fmt::format("copy from {} to {}, {}", describe(command.from), describe(command.to), name_of(command.write.mode));
  TRY_ASSIGN(Checkpoint checkpoint, begin_job(state, job));
  TRY_ASSIGN(Connection from, connect(command.from));
  TRY_ASSIGN(Connection to, connect(command.to));
  const std::chrono::seconds patience(command.common.patience_seconds);
  TRY(find_container(from.patient, from.name));
  TRY_ASSIGN(const ContentSum source_size, measure_container(from.patient, from.name, Verify::kCount, {}, patience));
  WriteJob writes(std::move(to), command.write, command.common, "copied");
  TRY(writes.prepare(checkpoint));
  if (checkpoint.documents > 0) writes.watch().say(fmt::format("resuming behind {} documents", checkpoint.documents));
  TRY_ASSIGN(client::Client pages, plain_client(from.place, Sending::kBulk));
  TRY_ASSIGN(std::unique_ptr<ContainerFeed> feed,
             ContainerFeed::open(std::move(pages), from.name, {.patience = patience}, checkpoint.position));
  ContainerRecords records(std::move(feed), source_size.documents, checkpoint.documents);
  TRY_ASSIGN(Report report, writes.run(records, state, std::move(checkpoint)));
  TRY(state.remove());
  return report;
}

}  // namespace

int run_copy(const CopyCommand& command) {
  Result<StateFile> state = StateFile::open(state_path_of(command));
  if (!state) return complain(state.error());
  return finish(copy(command, *state), command.common, &*state);
}

}  // namespace partita::tools::transfer
