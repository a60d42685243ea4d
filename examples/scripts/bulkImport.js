// Creates documents, as many as there is time for, and answers with their number. The client sends what is left again.
function bulkImport(documents) {
  const collection = getContext().getCollection();
  let created = 0;
  next();

  function next() {
    const isAccepted = created < documents.length && collection.createDocument(collection.getSelfLink(), documents[created], done);
    // Nothing more to do, or no time left: what was created is kept.
    if (!isAccepted) getContext().getResponse().setBody(created);
  }

  function done(error) {
    if (error) throw error;
    ++created;
    next();
  }
}
