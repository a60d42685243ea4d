#pragma once

#include "storage/sorted_rows.h"

#include <rocksdb/options.h>
#include <rocksdb/sst_file_writer.h>

#include <memory>
#include <string>
#include <vector>

// Private to this room.
namespace partita {

struct SortedRows::State {
  Family family;
  rocksdb::Options options;
  std::string path;  // of the files, without what distinguishes them
  std::unique_ptr<rocksdb::SstFileWriter> writer;
  std::vector<std::string> files;
};

}  // namespace partita
