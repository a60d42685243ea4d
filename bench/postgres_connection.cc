#include "postgres_connection.h"

#include <array>

#include "fatal.h"
#include "sample_document.h"

namespace partita::bench {
namespace {
constexpr const char* kStatement = "operation";
}

PostgresConnection::PostgresConnection(const std::string& connection_string, const std::string& table, Operation operation)
    : operation_(operation), connection_(PQconnectdb(connection_string.c_str())) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) fatal("{}", PQerrorMessage(connection_.get()));
  prepare(table);
}

void PostgresConnection::prepare(const std::string& table) {
  const std::string sql = operation_ == Operation::kRead ? fmt::format("SELECT doc FROM {} WHERE pk = $1 AND id = $2", table)
                                                         : fmt::format("INSERT INTO {} (pk, id, doc) VALUES ($1, $2, $3)", table);
  const Result result(PQprepare(connection_.get(), kStatement, sql.c_str(), 0, nullptr));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fatal("{}: {}", sql, PQerrorMessage(connection_.get()));
}

void PostgresConnection::start(std::uint64_t number) {
  failure_.clear();
  document_ = {};
  const std::string partition_key = document_partition_key(number);
  const std::string id = document_id(number);
  const std::string document = operation_ == Operation::kCreate ? sample_document(number) : "";
  const std::array<const char*, 3> values = {partition_key.c_str(), id.c_str(), document.c_str()};
  const int count = operation_ == Operation::kCreate ? 3 : 2;
  if (PQsendQueryPrepared(connection_.get(), kStatement, count, values.data(), nullptr, nullptr, 0) != 1) {
    fatal("{}", PQerrorMessage(connection_.get()));
  }
}

bool PostgresConnection::receive() {
  if (PQconsumeInput(connection_.get()) != 1) fatal("{}", PQerrorMessage(connection_.get()));
  while (PQisBusy(connection_.get()) == 0) {
    Result result(PQgetResult(connection_.get()));
    if (result == nullptr) return true;
    judge(std::move(result));
  }
  return false;
}

void PostgresConnection::judge(Result result) {
  result_ = std::move(result);
  const ExecStatusType status = PQresultStatus(result_.get());
  if (operation_ == Operation::kRead && status == PGRES_TUPLES_OK && PQntuples(result_.get()) == 1) {
    document_ = {PQgetvalue(result_.get(), 0, 0), static_cast<std::size_t>(PQgetlength(result_.get(), 0, 0))};
  } else if (operation_ != Operation::kCreate || std::string_view(PQcmdStatus(result_.get())) != "INSERT 0 1") {
    failure_ = fmt::format("{} {}", PQcmdStatus(result_.get()), PQresultErrorMessage(result_.get()));
  }
}

}  // namespace partita::bench
