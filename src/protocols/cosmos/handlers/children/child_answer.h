#pragma once

#include "cluster/database_child.h"
#include "document/stored/stored_writer.h"
#include "protocols/cosmos/exchange.h"
#include "protocols/cosmos/service.h"

#include <string_view>

// Users, permissions and client encryption keys: what a database has besides containers.
namespace partita::cosmos {

// What the array of a feed of such children is called.
std::string_view child_feed_name(ChildType type);

// Where the children are that the path is about. kOwnerNotFound when the database or the user is missing.
Result<ChildPlace> child_place(const Service& service, const Exchange& exchange);
// The child that the path names.
ResourceName child_name(const Exchange& exchange);

// From the body of a create or replace. kInvalidInput also when it cannot be answered as the request asks, so that nothing is
// written that the client is not told of.
Result<ChildDefinition> parse_child(const Service& service, const Exchange& exchange, const Value& body, ChildType type);
// A permission is written with a fresh token, which lasts as long as the request asks for.
Status write_child(StoredWriter& out, const Service& service, const Exchange& exchange, const DatabaseChild& child);

// The resource id of the database or the user that has these children.
std::string owner_rid(const ChildPlace& place);

// Answers with the child, or with the error.
void answer_child(const Service& service, Exchange& exchange, const Result<ChildPtr>& child, int status);

}  // namespace partita::cosmos
