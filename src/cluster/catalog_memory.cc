#include "cluster/catalog_memory.h"

namespace partita {

Status CatalogLoan::grow_to(size_t bytes, FairMemory::Claim claim) {
  if (loan_.grow_to(bytes, claim)) return {};
  return fail(ErrorCode::kForbidden,
              "Containers, partitions, scripts and permissions of this database take as much of the server's memory as they may. "
              "Delete some of them, or give the server more memory (--memory-mb).");
}

Result<CatalogLoanPtr> CatalogMemory::take(uint32_t database, size_t bytes, FairMemory::Claim claim) const {
  CatalogLoan loan(memory_, database);
  TRY(loan.grow_to(bytes, claim));
  return std::make_shared<const CatalogLoan>(std::move(loan));
}

}  // namespace partita
