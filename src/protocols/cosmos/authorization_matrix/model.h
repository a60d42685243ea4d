#pragma once

#include "net/http/http_message.h"
#include "protocols/cosmos/authorization_matrix/rows.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What is asked for, by whom, and what must come of it.
namespace partita::cosmos::matrix {

// How the path of a request names what is on the way.
enum class Addressing { kNames, kResourceIds, kDatabaseById, kContainerById };

// What a token's permission is on.
enum class Granted { kContainer, kItemById, kItemByRid, kAttachment, kProcedure, kTrigger, kFunction };

enum class Holder { kNobody, kUnknown, kKey, kReadOnlyKey, kOutdatedToken, kToken };

struct Credential {
  std::string name;
  Holder holder;
  std::string key = {};  // kKey, kReadOnlyKey, kUnknown
  // kToken:
  std::string token = {};
  Granted granted = Granted::kContainer;
  bool is_for_these = true;  // this container, item, attachment or script; else others
  bool is_in_container = true;
  bool may_write = true;
  std::string partition_key = {};  // JSON, or empty
};

// A request of an operation: what makes it that one.
struct Request {
  const Row* row = nullptr;
  Addressing addressing = Addressing::kNames;
  std::string path;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  void set(const std::string& name, const std::string& value) {
    std::erase_if(headers, [&](const auto& header) { return header.first == name; });
    headers.emplace_back(name, value);
  }
  std::string header(std::string_view name) const {
    for (const auto& [each, value] : headers) {
      if (each == name) return value;
    }
    return {};
  }
};

// What a request means, by the headers that it has.
inline Action expected_action(const Request& request) {
  const auto has = [&](std::string_view name) { return net::equal_without_case(request.header(name), "true"); };
  const Row& row = *request.row;
  const bool is_items = row.kind == ResourceKind::kItem && row.is_feed;
  if (is_items && (row.action == Action::kList || row.action == Action::kListChanges)) {
    return request.header("a-im").empty() ? Action::kList : Action::kListChanges;
  }
  const bool is_posted_to_feed = row.is_feed && row.action != Action::kList;
  if (!is_posted_to_feed) return row.action;
  if (is_items && has("x-ms-cosmos-is-query-plan-request")) return Action::kPlanQuery;
  if (has("x-ms-documentdb-isquery") || request.header("content-type") == "application/query+json") return Action::kQuery;
  if (is_items && has("x-ms-cosmos-is-batch-request")) return has("x-ms-cosmos-batch-atomic") ? Action::kBatch : Action::kBulk;
  const bool can_upsert = row.kind != ResourceKind::kDatabase && row.kind != ResourceKind::kContainer;
  return can_upsert && has("x-ms-documentdb-is-upsert") ? Action::kUpsert : Action::kCreate;
}

inline bool runs_triggers(const Request& request, const Row& meant) {
  const bool has_any = !request.header("x-ms-documentdb-pre-trigger-include").empty() ||
                       !request.header("x-ms-documentdb-post-trigger-include").empty();
  return has_any && meant.kind == ResourceKind::kItem && !meant.is_feed && meant.writes && meant.action != Action::kPatch;
}

inline bool is_by_rid(Addressing addressing) { return addressing == Addressing::kResourceIds; }

inline bool covers(const Credential& token, const Request& request, const Row& meant) {
  const bool is_whole = token.granted == Granted::kContainer;
  const bool is_item_token =
      token.granted == (is_by_rid(request.addressing) ? Granted::kItemByRid : Granted::kItemById) && token.is_for_these;
  const bool is_attachment_token = token.granted == Granted::kAttachment && token.is_for_these && !is_by_rid(request.addressing);
  const bool is_script_token =
      token.is_for_these && ((token.granted == Granted::kProcedure && meant.kind == ResourceKind::kStoredProcedure) ||
                             (token.granted == Granted::kTrigger && meant.kind == ResourceKind::kTrigger) ||
                             (token.granted == Granted::kFunction && meant.kind == ResourceKind::kUserDefinedFunction));
  switch (meant.reach) {
    case Reach::kContainer:
    case Reach::kKey:
    case Reach::kPlan: return is_whole;
    case Reach::kItem: return is_whole || (is_item_token && !runs_triggers(request, meant));
    case Reach::kAttachments: return is_whole || is_item_token;
    case Reach::kAttachment: return is_whole || is_item_token || is_attachment_token;
    case Reach::kScript:
    case Reach::kProcedure: return is_whole || is_script_token;
    default: return false;
  }
}

// Whether what the request says to be its key is the key that the token is for.
inline bool keeps_to_key(const Credential& token, const Request& request, const Row& meant) {
  std::string permitted = token.partition_key;
  const bool is_by_id = token.granted == Granted::kItemById || token.granted == Granted::kAttachment;
  if (permitted.empty() && is_by_id) permitted = "[{}]";  // the document without a key value
  if (permitted.empty()) return true;
  switch (meant.reach) {
    case Reach::kPlan: return true;
    case Reach::kContainer:
    case Reach::kScript: return false;
    default: break;
  }
  const std::string given = request.header("x-ms-documentdb-partitionkey");
  return given == permitted || (given == "[]" && permitted == "[{}]");
}

// The status of a refusal, or 0.
inline int expected_refusal(const Credential& credential, const Request& request) {
  const Row& meant = *find_row(request.row->kind, request.row->is_feed, expected_action(request));
  switch (credential.holder) {
    case Holder::kNobody:
    case Holder::kUnknown: return 401;
    case Holder::kKey: return 0;
    case Holder::kReadOnlyKey: return meant.writes || meant.kind == ResourceKind::kPermission ? 403 : 0;
    case Holder::kOutdatedToken: return 403;
    case Holder::kToken: break;
  }
  if (meant.reach == Reach::kAnyToken) return 0;
  if (meant.reach == Reach::kNobody || (meant.writes && !credential.may_write) || !credential.is_in_container) return 403;
  if (meant.reach == Reach::kMap) return 0;
  return covers(credential, request, meant) && keeps_to_key(credential, request, meant) ? 0 : 403;
}

}  // namespace partita::cosmos::matrix
