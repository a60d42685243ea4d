#pragma once

#include "base/result.h"
#include "gateway/items/attachments.h"
#include "gateway/scripts/script_texts.h"
#include "query/query.h"
#include "script/script_engine.h"

namespace partita {

// What a script does with the attachments of a document of its logical partition, inside its transaction. The script is not
// trusted: whatever it sends is checked here.

// Whether an operation is one of these. Fields: name, then
//   createAttachment, upsertAttachment, replaceAttachment, deleteAttachment, readAttachment:
//     attachment, etag, "name" or "number", which document, which attachment
//   attachments: continuation, page size, "name" or "number", which document, query specification (empty: all)
bool is_attachment_operation(const script::Message& operation);

// `document` is the one that the operation names.
Result<script::OperationReply> operate_on_attachments(const ItemWorkshop& workshop, const ScriptTexts& texts,
                                                      Transaction& transaction, const Item& document,
                                                      const script::Message& operation, size_t page_size,
                                                      const query::Environment& environment);

}  // namespace partita
