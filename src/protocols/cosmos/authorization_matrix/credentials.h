#pragma once

#include "protocols/cosmos/authorization/resource_token.h"
#include "protocols/cosmos/authorization_matrix/account.h"
#include "protocols/cosmos/codec/resource_id.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace partita::cosmos::matrix {

// CredentialMaker: makes everything that somebody could show to an account.
class CredentialMaker {
 public:
  explicit CredentialMaker(MatrixAccount& account) : account_(account) {}

  std::vector<Credential> make() {
    credentials_ = {
        {.name = "nobody", .holder = Holder::kNobody},
        {.name = "a wrong key", .holder = Holder::kUnknown, .key = std::string(kWrongKey)},
        {.name = "the key", .holder = Holder::kKey, .key = std::string(InProcessService::kKey)},
        {.name = "the read-only key", .holder = Holder::kReadOnlyKey, .key = std::string(InProcessService::kReadOnlyKey)}};
    const std::string all = permit("dbs/db/colls/c", "", true);
    add_token("an expired token", all, {.name = {}, .holder = Holder::kOutdatedToken}, -1);
    add_token("a token of nothing", "0", {.name = {}, .holder = Holder::kOutdatedToken});
    const std::string gone = permit("dbs/db/colls/c", R"(["gone"])", true);
    EXPECT_EQ(account_.send("DELETE", newest_permission_).status, 204);
    add_token("a token of a deleted permission", gone, {.name = {}, .holder = Holder::kOutdatedToken});
    Credential forged{.name = "a forged token", .holder = Holder::kUnknown, .key = {}, .token = token_of(all)};
    forged.token[forged.token.find("sig=") + 6] ^= 1;
    credentials_.push_back(forged);
    add("container", "dbs/db/colls/c", {.name = {}, .holder = Holder::kToken});
    add("container by rid", "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/", {.name = {}, .holder = Holder::kToken});
    add("another container", "dbs/db/colls/d", {.name = {}, .holder = Holder::kToken, .is_in_container = false});
    add("another database", "dbs/other/colls/c", {.name = {}, .holder = Holder::kToken, .is_in_container = false});
    for (const char* key : {R"(["a"])", R"(["b"])", "[{}]"}) {
      add("container, one key", "dbs/db/colls/c", {.name = {}, .holder = Holder::kToken, .partition_key = key});
    }
    add("item, one key", "dbs/db/colls/c/docs/i",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemById, .partition_key = R"(["a"])"});
    const std::string rid_link = "dbs/AAAAAQ==/colls/AAAAAYAAAAE=/docs/AAAAAYAAAAEBAAAAAAAAAA==/";
    add("item by rid", rid_link, {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemByRid});
    add("item by rid, one key", rid_link,
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemByRid, .partition_key = R"(["a"])"});
    add("item", "dbs/db/colls/c/docs/i", {.name = {}, .holder = Holder::kToken, .granted = Granted::kItemById});
    add("another item", "dbs/db/colls/c/docs/j",
        {.name = {},
         .holder = Holder::kToken,
         .granted = Granted::kItemById,
         .is_for_these = false,
         .partition_key = R"(["a"])"});
    add("attachment", "dbs/db/colls/c/docs/i/attachments/x",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kAttachment, .partition_key = R"(["a"])"});
    add("another attachment", "dbs/db/colls/c/docs/i/attachments/y",
        {.name = {},
         .holder = Holder::kToken,
         .granted = Granted::kAttachment,
         .is_for_these = false,
         .partition_key = R"(["a"])"});
    add("procedure", "dbs/db/colls/c/sprocs/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure});
    add("procedure, one key", "dbs/db/colls/c/sprocs/s",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure, .partition_key = R"(["a"])"});
    add("another procedure", "dbs/db/colls/c/sprocs/t",
        {.name = {}, .holder = Holder::kToken, .granted = Granted::kProcedure, .is_for_these = false});
    add("trigger", "dbs/db/colls/c/triggers/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kTrigger});
    add("function", "dbs/db/colls/c/udfs/s", {.name = {}, .holder = Holder::kToken, .granted = Granted::kFunction});
    return std::move(credentials_);
  }

 private:
  // Both modes of a permission.
  void add(const std::string& name, const std::string& resource, Credential credential) {
    for (const bool may_write : {true, false}) {
      credential.may_write = may_write;
      add_token(fmt::format("{} {} ({})", name, credential.partition_key, may_write ? "All" : "Read"),
                permit(resource, credential.partition_key, may_write), credential);
    }
  }
  void add_token(const std::string& name, const std::string& number, Credential credential, int64_t seconds = 1000) {
    credential.name = name;
    credential.token = make_resource_token(account_.service().keys().keyring(), static_cast<uint32_t>(std::stoul(number)),
                                           kNowSeconds + seconds);
    credentials_.push_back(std::move(credential));
  }
  std::string token_of(const std::string& number) {
    return make_resource_token(account_.service().keys().keyring(), static_cast<uint32_t>(std::stoul(number)),
                               kNowSeconds + 1000);
  }

  // Creates a permission of a new user, and says its number.
  std::string permit(const std::string& resource, const std::string& key, bool may_write) {
    const std::string users = resource.starts_with("dbs/other") ? "/dbs/other/users" : "/dbs/db/users";
    const std::string user = fmt::format("user{}", ++users_);
    account_.create(users, fmt::format(R"({{"id":"{}"}})", user));
    const std::string permissions = users + "/" + user + "/permissions";
    account_.create(permissions,
                    fmt::format(R"({{"id":"p","permissionMode":"{}","resource":"{}"{}}})", may_write ? "All" : "Read", resource,
                                key.empty() ? "" : R"(,"resourcePartitionKey":)" + key));
    newest_permission_ = permissions + "/p";
    const std::string body = account_.send("GET", newest_permission_).body;
    const size_t at = body.find(R"("_rid":")") + 8;
    const auto rid = parse_resource_id_as<PermissionRid>(body.substr(at, body.find('"', at) - at));
    EXPECT_TRUE(rid) << body;
    return std::to_string(rid->ordinal);
  }

  static constexpr std::string_view kWrongKey = "d3Jvbmcga2V5";
  static constexpr int64_t kNowSeconds = 1'700'000'000;

  MatrixAccount& account_;
  std::vector<Credential> credentials_;
  size_t users_ = 0;
  std::string newest_permission_;
};

}  // namespace partita::cosmos::matrix
