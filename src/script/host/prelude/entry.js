// What scripts see, and how the host starts them.

// Requests, response and contexts are made once, with the snapshot, and filled for each script: that is much cheaper than to make
// them then. Nothing is shared: every script has copies of its own.
const operationType = { value: undefined, isWritable: false };
const requestSlots = { body: { value: "", isWritable: false }, operationType };
const changeableSlots = { body: { value: "", isWritable: true }, operationType };
const responseSlots = { body: { value: "", isWritable: true }, operationType, [kLogProperty]: { value: "", isWritable: true } };
const plainRequest = makeMessage(requestSlots);
const changeableRequest = makeMessage(changeableSlots);
const response = makeMessage(responseSlots);

const __ = Object.create(collection);
__.request = plainRequest;
__.response = response;
const console = { log() {} };
const abort = (error) => { host.abort(error); };
const getCollection = () => collection;
const contextOfPreTrigger = { getCollection, abort, getRequest: () => changeableRequest };
const contextOfOthers = { getCollection, abort, getRequest: () => plainRequest, getResponse: () => response };
let slots = requestSlots;
let givenArguments = "[]";

function hasResponse() {
  return slots !== changeableSlots;
}

function log(...values) {
  requireArguments("log", values, 1);
  if (values.length > 1 && typeof values[0] !== "string") {
    raise(ErrorCodes.BadRequest, "First argument to console.log should be a string containing zero or more substitution strings.");
  }
  if (!hasResponse()) return;
  response.appendValue(kLogProperty, values.length > 1 ? format(...values) : String(values[0]));
}

const valueOf = (json) => (json === undefined ? "" : parseJson(json));
const textOf = (value) => (value === undefined ? undefined : toJson(value));

// What the server wants, see host/execution.cc. Only scripts have a context; functions in queries do not.
function start(kind, given, operation, requestBody, responseBody, selfLink, altLink, isLogging) {
  const isPre = kind === "pre";
  links.self = selfLink;
  links.alt = altLink;
  givenArguments = given;
  operationType.value = operation;
  slots = isPre ? changeableSlots : requestSlots;
  slots.body.value = valueOf(requestBody);
  if (isPre) {
    __.request = changeableRequest;
    delete __.response;
  } else {
    responseSlots.body.value = valueOf(responseBody);
  }
  if (isLogging) console.log = log;
  globalThis.getContext = isPre ? () => contextOfPreTrigger : () => contextOfOthers;
  globalThis.__ = __;
}

function run(main) {
  main(...parseJson(givenArguments));
}

// [response body, log, request body]
function finish() {
  const requestBody = textOf(slots.body.value);
  return hasResponse() ? [textOf(responseSlots.body.value), responseSlots[kLogProperty].value, requestBody] : [undefined, "", requestBody];
}

// A user defined function gets values only: no context, no documents. Undefined arguments are where `missing` says.
function evaluate(f, given, missing) {
  const values = parseJson(given);
  for (const index of parseJson(missing)) values[index] = undefined;
  const result = f(...values);
  return result === undefined ? undefined : toJson(result);
}

globalThis.Error = NumberedError;
const visible = { ErrorCodes, console };
for (const name of Object.keys(visible)) {
  Object.defineProperty(globalThis, name, { value: visible[name], writable: true, configurable: true, enumerable: false });
}

return { start, run, step, finish, evaluate };
