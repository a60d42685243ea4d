#include "base/check.h"
#include "protocols/cosmos/codec/batch/batch_rows.h"
#include "protocols/cosmos/codec/batch/record_stream.h"

// The input is one row, which is put into a stream that is whole, and the stream itself.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace partita;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  cosmos::BatchBody body;
  if (cosmos::parse_batch_rows(bytes, body)) CHECK(!body.steps.empty());
  std::string stream;
  cosmos::begin_record_stream(stream);
  cosmos::append_record(stream, bytes);
  CHECK(cosmos::parse_record_stream(stream)->size() == 1);
  cosmos::BatchBody framed;
  if (cosmos::parse_batch_rows(stream, framed)) CHECK(framed.steps.size() == 1);
  return 0;
}
