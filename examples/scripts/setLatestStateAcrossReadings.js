// Keeps one document per device with the newest reading of every metric: id "latest", partition key /deviceId.
// Readings that are older than what is known change nothing, so they may come in any order.
function setLatestStateAcrossReadings(reading) {
  const collection = getContext().getCollection();
  const response = getContext().getResponse();
  const link = collection.getAltLink() + "/docs/latest";

  const isAccepted = collection.readDocument(link, (error, state) => {
    if (error && error.number !== ErrorCodes.NotFound) throw error;
    const next = state || { id: "latest", deviceId: reading.deviceId, metrics: {} };
    const known = next.metrics[reading.metricType];
    if (!known || known.time < reading.time) next.metrics[reading.metricType] = { value: reading.value, time: reading.time };
    next.readings = (next.readings || 0) + 1;
    const options = state ? { etag: state._etag } : {};
    if (!collection.upsertDocument(collection.getSelfLink(), next, options, done)) throw new Error("There was no time to write.");
  });
  if (!isAccepted) throw new Error("There was no time to read.");

  function done(error, written) {
    if (error) throw error;
    response.setBody(written.metrics);
  }
}
