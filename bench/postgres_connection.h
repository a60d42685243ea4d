#pragma once

#include <memory>
#include <string>
#include <vector>

#include <libpq-fe.h>

#include "connection.h"
#include "request_file.h"

namespace partita::bench {

// PostgresConnection: one prepared statement on a table (pk text, id text, doc jsonb), executed asynchronously and
// without pipelining.
class PostgresConnection : public Connection {
 public:
  PostgresConnection(const std::string& connection_string, const std::string& table, Operation operation);
  // kPost: the statement with the parameters that a line of the file has, separated by tabs. The file outlives the connection.
  PostgresConnection(const std::string& connection_string, const std::string& statement, const RequestFile& parameters);

  int socket() const override { return PQsocket(connection_.get()); }
  void start(std::uint64_t number) override;
  bool receive() override;
  std::string_view failure() const override { return failure_; }
  std::string_view document() const override { return document_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
    void operator()(PGresult* result) const { PQclear(result); }
  };
  using Result = std::unique_ptr<PGresult, Finish>;

  void prepare(const std::string& statement);
  void send(const std::vector<std::string>& parameters);
  void judge(Result result);

  Operation operation_;
  const RequestFile* parameters_ = nullptr;
  std::unique_ptr<PGconn, Finish> connection_;
  Result result_;
  std::string_view document_;
  std::string failure_;
};

}  // namespace partita::bench
