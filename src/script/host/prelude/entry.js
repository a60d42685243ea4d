// What scripts see, and how the host starts them.

const __ = Object.create(collection);
const context = {
  getCollection() { return collection; },
  abort(error) { host.abort(error); },
};
const console = {};

function log(...values) {
  requireArguments("log", values, 1);
  if (values.length > 1 && typeof values[0] !== "string") {
    raise(ErrorCodes.BadRequest, "First argument to console.log should be a string containing zero or more substitution strings.");
  }
  if (context.getResponse === undefined) return;
  context.getResponse().appendValue(kLogProperty, values.length > 1 ? format(...values) : String(values[0]));
}

// `call`: what the server wants, see host/execution.cc.
function start(call) {
  links.self = call.selfLink;
  links.alt = call.altLink;
  const isPre = call.kind === "pre";
  const request = makeMessage({
    body: { value: call.requestBody === undefined ? "" : parseJson(call.requestBody), isWritable: isPre },
    operationType: { value: call.operation, isWritable: false },
  });
  context.getRequest = () => request;
  __.request = request;
  let response;
  if (!isPre) {
    response = makeMessage({
      body: { value: call.responseBody === undefined ? "" : parseJson(call.responseBody), isWritable: true },
      operationType: { value: call.operation, isWritable: false },
      [kLogProperty]: { value: "", isWritable: true },
    });
    context.getResponse = () => response;
    __.response = response;
  }
  console.log = call.isLogging ? log : () => {};
  const text = (value) => (value === undefined ? undefined : toJson(value));
  return {
    run: (main) => main(...parseJson(call.arguments)),
    step,
    // [response body, log, request body]
    finish: () => [response && text(response.getBody()), response ? response.getValue(kLogProperty) : "", text(request.getBody())],
  };
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

return {
  start,
  evaluate,
  // Only scripts have a context; functions in queries do not.
  open() {
    globalThis.getContext = () => context;
    globalThis.__ = __;
  },
};
