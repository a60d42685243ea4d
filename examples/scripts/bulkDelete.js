// Deletes what the query finds, as much as there is time for: {deleted, hasMore}. The client calls again while there is more.
function bulkDelete(query) {
  const collection = getContext().getCollection();
  const outcome = { deleted: 0, hasMore: true };
  findSome();

  function findSome() {
    const isAccepted = collection.queryDocuments(collection.getSelfLink(), query, { pageSize: 100 }, (error, found) => {
      if (error) throw error;
      if (found.length > 0) return deleteAll(found);
      outcome.hasMore = false;
      return finish();
    });
    if (!isAccepted) finish();
  }

  function deleteAll(found) {
    if (found.length === 0) return findSome();
    const isAccepted = collection.deleteDocument(found[0]._self, (error) => {
      if (error) throw error;
      ++outcome.deleted;
      deleteAll(found.slice(1));
    });
    if (!isAccepted) finish();
    return undefined;
  }

  function finish() {
    getContext().getResponse().setBody(outcome);
  }
}
