// The next number of a counter of this partition key value: 1, 2, 3, ... without gaps, however many ask at the same time.
async function nextOrderNumber(counter, partitionKey) {
  const collection = getContext().getCollection();
  const call = (operation, ...given) => new Promise((resolve, reject) => {
    const isAccepted = collection[operation](...given, (error, result) => (error ? reject(error) : resolve(result)));
    if (!isAccepted) reject(new Error("There was no time for " + operation));
  });

  let document;
  try {
    document = await call("readDocument", collection.getAltLink() + "/docs/" + counter);
  } catch (error) {
    if (error.number !== ErrorCodes.NotFound) throw error;
    document = { id: counter, pk: partitionKey, last: 0 };
  }
  document.last += 1;
  await call("upsertDocument", collection.getSelfLink(), document);
  getContext().getResponse().setBody(document.last);
}
