#pragma once

#include "base/result.h"
#include "document/order.h"
#include "document/stored/stored_writer.h"
#include "document/system_properties.h"
#include "document/value.h"

#include <cstddef>
#include <string_view>

namespace partita {

// DocumentForm: what the documents of a container are made of. A plain value; a container has one for ever.
//
// With system properties, a document is a JSON object that has its id, version and time in it, as the service's clients expect
// (document/system_properties.h). Without, a document is exactly what was stored, any value: its name and time
// are beside it in its record, and its version is its LSN. So a wire with other rules can keep its documents, entities, messages
// or values.
struct DocumentForm {
  static constexpr size_t kUsualBytesMax = 2 * 1024 * 1024;
  // What a form may allow: a record is read and written as a whole.
  static constexpr size_t kBytesMax = 16 * 1024 * 1024;

  bool has_system_properties = true;
  ValueOrder order = ValueOrder::kJson;
  size_t bytes_max = kUsualBytesMax;

  bool operator==(const DocumentForm&) const = default;
  // The form of the service's documents, which every container has unless it says otherwise.
  bool is_service() const { return *this == DocumentForm(); }

  // What the server gives every document of this form: clients cannot set these.
  bool is_system_property(std::string_view name) const;
  // Properties of the root that have no terms whatever the policy says: they follow from the document number or change with every
  // write.
  bool is_never_indexed(std::string_view name) const;

  // As a container's record has it: {"systemProperties":false,"order":"extended","bytesMax":1000000}. Undefined is the service's
  // form; kCorruption when it is none.
  static Result<DocumentForm> parse(const Value& form);
  void write_to(StoredWriter& out) const;
};

}  // namespace partita
