#pragma once

#include "tools/transfer/source/document_reader.h"

#include <cstdint>
#include <string>
#include <vector>

namespace partita::tools::transfer {

struct InputFile {
  std::string path = {};
  SourceFormat format = SourceFormat::kAutomatic;
  char delimiter = ',';
  uint64_t bytes = 0;  // 0 where nobody knows
};

// The files that are meant by these paths, a directory being all files in it whose names say that they have documents, in the
// order of their names. `format` decides where it is not kAutomatic. kInvalidInput when a path is missing or a directory is
// empty.
Result<std::vector<InputFile>> list_inputs(const std::vector<std::string>& paths, SourceFormat format);

// By how a name ends, whatever compression it says behind that; kAutomatic for any other name.
SourceFormat source_format_of(std::string_view path);

}  // namespace partita::tools::transfer
