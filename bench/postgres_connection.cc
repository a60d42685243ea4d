#include "postgres_connection.h"

#include <ranges>

#include "fatal.h"
#include "sample_document.h"

namespace partita::bench {
namespace {
constexpr const char* kStatement = "operation";

std::string statement_for(Operation operation, const std::string& table) {
  return operation == Operation::kRead ? fmt::format("SELECT doc FROM {} WHERE pk = $1 AND id = $2", table)
                                       : fmt::format("INSERT INTO {} (pk, id, doc) VALUES ($1, $2, $3)", table);
}

std::vector<std::string> split_at_tabs(std::string_view line) {
  std::vector<std::string> parts;
  if (line.empty()) return parts;
  for (const auto part : std::views::split(line, '\t')) parts.emplace_back(part.begin(), part.end());
  return parts;
}

}  // namespace

PostgresConnection::PostgresConnection(const std::string& connection_string, const std::string& table, Operation operation)
    : operation_(operation), connection_(PQconnectdb(connection_string.c_str())) {
  prepare(statement_for(operation, table));
}

PostgresConnection::PostgresConnection(const std::string& connection_string, const std::string& statement,
                                       const RequestFile& parameters)
    : operation_(Operation::kPost), parameters_(&parameters), connection_(PQconnectdb(connection_string.c_str())) {
  prepare(statement);
}

void PostgresConnection::prepare(const std::string& statement) {
  if (PQstatus(connection_.get()) != CONNECTION_OK) fatal("{}", PQerrorMessage(connection_.get()));
  const Result result(PQprepare(connection_.get(), kStatement, statement.c_str(), 0, nullptr));
  if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) fatal("{}: {}", statement, PQerrorMessage(connection_.get()));
}

void PostgresConnection::start(std::uint64_t number) {
  failure_.clear();
  document_ = {};
  switch (operation_) {
    case Operation::kRead: return send({document_partition_key(number), document_id(number)});
    case Operation::kCreate: return send({document_partition_key(number), document_id(number), sample_document(number)});
    case Operation::kPost: return send(split_at_tabs(parameters_->line(number)));
  }
}

void PostgresConnection::send(const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  if (PQsendQueryPrepared(connection_.get(), kStatement, static_cast<int>(values.size()), values.data(), nullptr, nullptr, 0) !=
      1) {
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
  } else if (operation_ == Operation::kPost && status == PGRES_TUPLES_OK) {
    return;
  } else if (operation_ != Operation::kCreate || std::string_view(PQcmdStatus(result_.get())) != "INSERT 0 1") {
    failure_ = fmt::format("{} {}", PQcmdStatus(result_.get()), PQresultErrorMessage(result_.get()));
  }
}

}  // namespace partita::bench
