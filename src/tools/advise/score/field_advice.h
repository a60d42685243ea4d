#pragma once

#include "tools/advise/score/advice.h"

#include <map>
#include <span>
#include <string>

namespace partita::tools::advise {

// Which members of documents are hot together, which are cold or large, and what keeping the cold ones elsewhere would save.
FieldAdvice advise_on_fields(const std::map<std::string, double>& byte_shares, std::span<const WeighedQuery> queries,
                             double document_bytes);

}  // namespace partita::tools::advise
