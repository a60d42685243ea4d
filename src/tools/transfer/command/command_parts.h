#pragma once

#include "client/client.h"
#include "tools/transfer/command/report.h"
#include "tools/transfer/command/transfer_options.h"
#include "tools/transfer/import/importer.h"
#include "tools/transfer/import/service_destination.h"
#include "tools/transfer/progress/state_file.h"
#include "tools/transfer/progress/terminal_watch.h"

#include <chrono>
#include <string>

// What the commands have in common.
namespace partita::tools::transfer {

// A container of a server, and a client that tries again what was refused, for what is asked once.
struct Connection {
  Place place;
  client::Client patient;
  client::ContainerName name;
};
Result<Connection> connect(const Place& place);

// How requests are sent that their sender tries again by itself.
enum class Sending { kBulk, kSingle };
Result<client::Client> plain_client(const Place& place, Sending sending);

std::string_view name_of(WriteMode mode);
// Which container of which server, for people and for the state of a job.
std::string describe(const Place& place);

// What an earlier run of this job left; else how one begins. kInvalidInput when the state is another job's.
Result<Checkpoint> begin_job(const StateFile& state, const std::string& job);

// Writes all documents of a source, and verifies them.
class WriteJob {
 public:
  WriteJob(Connection to, const WriteOptions& write, const CommonOptions& common, std::string_view what)
      : to_(std::move(to)), write_(write), common_(common), watch_(common.is_quiet), what_(what) {}

  // Makes the container if needed and says how it looked before the job began, unless `checkpoint` knows.
  Status prepare(Checkpoint& checkpoint);
  Result<Report> run(RecordSource& source, StateFile& state, Checkpoint checkpoint);
  TerminalWatch& watch() { return watch_; }

 private:
  ImportOptions import_options() const;
  Result<Verification> verify(const Checkpoint& end);

  Connection to_;
  WriteOptions write_;
  CommonOptions common_;
  TerminalWatch watch_;
  std::string_view what_;
  PreparedContainer container_;
};

// Prints the report; the exit code.
int finish(const Result<Report>& report, const CommonOptions& common, const StateFile* state);
int complain(const Error& error);

}  // namespace partita::tools::transfer
