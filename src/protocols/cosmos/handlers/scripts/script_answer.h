#pragma once

#include "cluster/script_resource.h"
#include "document/stored/stored_writer.h"
#include "protocols/cosmos/codec/resource_path.h"
#include "protocols/cosmos/exchange.h"

#include <string_view>

namespace partita::cosmos {

// REQUIRES: a stored procedure, a trigger or a user defined function.
ScriptType script_type(ResourceKind kind);
// What the array of a feed of such scripts is called.
std::string_view script_feed_name(ScriptType type);

// The script that the path names.
ResourceName script_name(const ResourcePath& path, const Container& container);

// From the body of a create or replace.
Result<ScriptDefinition> parse_script(const Value& body, ScriptType type);
void write_script(StoredWriter& out, const ScriptResource& script);

// A header has so many bytes at most: some clients take 16 KB for all headers of an answer.
inline constexpr size_t kScriptLogHeaderBytesMax = 12 << 10;
// What scripts have logged, as much of it as the header can hold; nothing when that is nothing.
void add_script_log(Exchange& exchange, std::string_view log);

// Answers with the script, or with the error.
void answer_script(Exchange& exchange, const Container& container, const Result<ScriptPtr>& script, int status);

}  // namespace partita::cosmos
