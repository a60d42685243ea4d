#include "base/encodings.h"
#include "tools/plan/plan_split.h"

namespace partita::tools {
namespace {

void write_count(StoredWriter& out, std::string_view name, uint64_t count) {
  out.key(name);
  out.integer(static_cast<int64_t>(count));
}

void write_number(StoredWriter& out, std::string_view name, double number) {
  out.key(name);
  out.number(number);
}

void write_texts(StoredWriter& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  out.end_array();
}

void write_partitions(StoredWriter& out, std::string_view name, const std::vector<PlannedPartition>& partitions,
                      int64_t throughput) {
  out.key(name);
  out.begin_array();
  for (const PlannedPartition& partition : partitions) {
    out.begin_object();
    out.key("from");
    out.string(hex_upper(partition.range.min));
    write_count(out, "keyValues", partition.key_values);
    write_count(out, "documents", partition.documents);
    write_count(out, "bytes", partition.bytes);
    write_count(out, "largestKeyValueBytes", partition.bytes_of_largest);
    write_number(out, "requestUnitsPerSecond", partition.units_per_second);
    write_number(out, "budget", partition_budget(partitions, throughput));
    out.end_object();
  }
  out.end_array();
}

void write_key_values(StoredWriter& out, std::string_view name, const std::vector<PlannedKeyValue>& values) {
  out.key(name);
  out.begin_array();
  for (const PlannedKeyValue& value : values) {
    out.begin_object();
    out.key("key");
    out.string(value.key_json);
    write_count(out, "documents", value.documents);
    write_count(out, "bytes", value.bytes);
    write_number(out, "requestUnitsPerSecond", value.units_per_second);
    out.end_object();
  }
  out.end_array();
}

void write_key(StoredWriter& out, const KeyPlan& plan, int64_t before, int64_t throughput) {
  out.begin_object();
  write_texts(out, "paths", plan.paths);
  write_count(out, "keyValues", plan.key_values);
  write_count(out, "documents", plan.documents);
  write_count(out, "documentsWithoutValue", plan.documents_without);
  write_count(out, "bytes", plan.bytes);
  write_key_values(out, "largest", plan.largest);
  write_key_values(out, "busiest", plan.busiest);
  write_partitions(out, "partitions", plan.partitions, before);
  write_texts(out, "steps", plan.steps);
  write_partitions(out, "planned", plan.planned, throughput);
  out.end_object();
}

}  // namespace

void write_plan(StoredWriter& out, const Plan& plan) {
  out.begin_object();
  write_count(out, "presentThroughput", static_cast<uint64_t>(plan.present_throughput));
  write_count(out, "throughput", static_cast<uint64_t>(plan.throughput));
  out.key("present");
  write_key(out, plan.present, plan.present_throughput, plan.throughput);
  out.key("candidates");
  out.begin_array();
  for (const KeyPlan& candidate : plan.candidates) write_key(out, candidate, plan.throughput, plan.throughput);
  out.end_array();
  out.end_object();
}

}  // namespace partita::tools
