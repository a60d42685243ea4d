#pragma once

#include "base/encodings.h"
#include "cluster/test_account.h"
#include "protocols/cosmos/authorization_matrix/model.h"
#include "protocols/cosmos/codec/resource_id.h"
#include "protocols/cosmos/in_process_service.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace partita::cosmos::matrix {

// MatrixAccount: an account with two databases, and in each what the other has.
class MatrixAccount {
 public:
  using Answer = InProcessService::Answer;
  using Headers = InProcessService::Headers;

  MatrixAccount() {
    for (const std::string database : {"db", "other"}) {
      stored_.catalog->create_database(database, std::nullopt).value();
      for (const std::string container : {"c", "d"}) make_container(database, container);
      create("/dbs/" + database + "/users", R"({"id":"u"})");
      create("/dbs/" + database + "/clientencryptionkeys", R"({"id":"k"})");
    }
    create("/dbs/db/users/u/permissions", R"({"id":"p","permissionMode":"All","resource":"dbs/db/colls/d"})");
  }

  InProcessService& service() { return served_; }
  Catalog& catalog() { return *stored_.catalog; }
  const Clock& clock() const { return stored_.clock; }

  // As the owner of the account's key.
  Answer send(std::string_view method, std::string_view path, const Headers& headers = {}, std::string_view body = {}) {
    return served_.send(method, path, headers, body);
  }
  void create(const std::string& path, const std::string& body, const std::string& key = {}) {
    const Answer answer = send("POST", path, {{"x-ms-documentdb-partitionkey", key}}, body);
    ASSERT_EQ(answer.status, 201) << path << " " << body << " " << answer.body;
  }

  // Everything that could have changed.
  std::string state() {
    std::string all;
    const auto list = [&](const std::string& path) {
      all += send("GET", path, {{"x-ms-documentdb-partitionkey", path.ends_with("docs") ? "" : R"(["a"])"}}).body + "\n";
    };
    list("/dbs");
    list("/offers");
    for (const std::string database : {"/dbs/db", "/dbs/other"}) {
      list(database + "/colls");
      list(database + "/users");
      list(database + "/clientencryptionkeys");
      list(database + "/users/u/permissions");
      for (const char* feed : {"docs", "sprocs", "triggers", "udfs"}) {
        list(database + "/colls/c/" + feed);
        list(database + "/colls/d/" + feed);
      }
    }
    list("/dbs/db/colls/c/docs/i/attachments");
    return all;
  }

  // A path to what the row is about.
  std::string path_to(const Row& row, Addressing addressing) {
    const bool all_rids = addressing == Addressing::kResourceIds;
    const bool database_rid = all_rids || addressing == Addressing::kDatabaseById;
    const bool container_rid = all_rids || addressing == Addressing::kContainerById;
    const std::string database = database_rid ? "/dbs/AAAAAQ==" : "/dbs/db";
    const std::string container = database + (container_rid ? "/colls/AAAAAYAAAAE=" : "/colls/c");
    const auto one = [&](const std::string& feed, const std::string& name, const std::string& rid) {
      return row.is_feed ? feed : feed + "/" + (all_rids ? rid : name);
    };
    switch (row.kind) {
      case ResourceKind::kAccount: return "/";
      case ResourceKind::kAddresses:
        return "/addresses?$resolveFor=" + percent_encode((container + "/docs").substr(1)) + "&$partitionKeyRangeIds=0";
      case ResourceKind::kDatabase: return row.is_feed ? "/dbs" : database;
      case ResourceKind::kContainer: return row.is_feed ? database + "/colls" : container;
      case ResourceKind::kItem: return one(container + "/docs", "i", kItemRid);
      case ResourceKind::kAttachment:
        return one(container + "/docs/" + (all_rids ? kItemRid : "i") + "/attachments", "x", "AAAAAYAAAAEBAAAAAAAAAAAAAAE=");
      case ResourceKind::kStoredProcedure:
        return one(container + "/sprocs", "s", rid_of_script(ContainerChild::kStoredProcedure));
      case ResourceKind::kTrigger: return one(container + "/triggers", "s", rid_of_script(ContainerChild::kTrigger));
      case ResourceKind::kUserDefinedFunction:
        return one(container + "/udfs", "s", rid_of_script(ContainerChild::kUserDefinedFunction));
      case ResourceKind::kConflict: return one(container + "/conflicts", "x", "AAAAAYAAAAEBAAAAAAAAQA==");
      case ResourceKind::kPartitionKeyRange: return one(container + "/pkranges", "0", "0");
      case ResourceKind::kPartitionKeyDelete: return container + "/operations/partitionkeydelete";
      case ResourceKind::kUser: return one(database + "/users", "u", kUserRid);
      case ResourceKind::kPermission:
        return one(database + "/users/" + (all_rids ? kUserRid : "u") + "/permissions", "p", "AAAAAQAAAAEFAAAAAAAAAA==");
      case ResourceKind::kClientEncryptionKey: return one(database + "/clientencryptionkeys", "k", "AAAAAQAAAAACAAAAAgAAAA==");
      case ResourceKind::kOffer: return row.is_feed ? "/offers" : "/offers/" + offer_rid();
      case ResourceKind::kMedia: return "/media/AAAAAYAAAAEBAAAAAAAAAAAAAAEB";
      default: ADD_FAILURE() << "no path"; return "/";
    }
  }

 private:
  std::string rid_of_script(ContainerChild type) {
    const auto container = *stored_.catalog->container("db", "c");
    const ScriptType script = type == ContainerChild::kTrigger               ? ScriptType::kTrigger
                              : type == ContainerChild::kUserDefinedFunction ? ScriptType::kUserFunction
                                                                             : ScriptType::kStoredProcedure;
    const uint64_t number = (*stored_.catalog->scripts().find(*container, script, {.id = "s", .number = std::nullopt}))->number;
    return rid_text(ContainerChildRid{{container->database->number, container->number}, type, number});
  }
  std::string offer_rid() {
    const auto container = *stored_.catalog->container("db", "c");
    return rid_text(OfferRid{stored_.catalog->offers().of(container->database->number, container->number)->number});
  }

  void make_container(const std::string& database, const std::string& name) {
    const std::string path = fmt::format("/dbs/{}/colls", database);
    create(path, fmt::format(R"({{"id":"{}","partitionKey":{{"paths":["/pk"],"kind":"Hash","version":2}}}})", name));
    const std::string container = path + "/" + name;
    for (const std::string item : {"i", "j"}) {
      create(container + "/docs", fmt::format(R"({{"id":"{}","pk":"a"}})", item), R"(["a"])");
      create(container + "/docs/" + item + "/attachments", R"({"id":"x"})", R"(["a"])");
      create(container + "/docs/" + item + "/attachments", R"({"id":"y"})", R"(["a"])");
    }
    create(container + "/docs", R"({"id":"i","pk":"b"})", R"(["b"])");
    for (const std::string script : {"s", "t"}) {
      create(container + "/sprocs", fmt::format(R"({{"id":"{}","body":"function () {{}}"}})", script));
      create(container + "/udfs", fmt::format(R"({{"id":"{}","body":"function () {{}}"}})", script));
      create(container + "/triggers",
             fmt::format(R"({{"id":"{}","body":"function () {{}}","triggerType":"Pre","triggerOperation":"All"}})", script));
    }
  }

  const std::string kItemRid = "AAAAAYAAAAEBAAAAAAAAAA==";
  const std::string kUserRid = "AAAAAQAAAAE=";

  TestAccount stored_{Durability::kRelaxed, RateLimits{.is_enforced = false}};
  InProcessService served_{{*stored_.catalog, stored_.etags, stored_.random, stored_.clock}, SCRIPT_HOST};
};

}  // namespace partita::cosmos::matrix
