// What the service's engine had and standard JavaScript has not: errors with a number, and the codes those numbers are.

const parseJson = JSON.parse;
const toJson = JSON.stringify;
const NativeError = Error;

const ErrorCodes = Object.freeze({
  BadRequest: 400,
  Forbidden: 403,
  NotFound: 404,
  Conflict: 409,
  PreconditionFailed: 412,
  RequestEntityTooLarge: 413,
  RetryWith: 449,
  InternalServerError: 500,
});

// new Error(number, message), besides the usual new Error(message).
function NumberedError(first, second) {
  const hasNumber = typeof first === "number" && arguments.length > 1;
  const given = hasNumber ? [second] : arguments;
  const error = Reflect.construct(NativeError, given, new.target || NumberedError);
  if (hasNumber) error.number = first;
  return error;
}
NumberedError.prototype = NativeError.prototype;
Object.defineProperty(NumberedError, "name", { value: "Error" });
NumberedError.captureStackTrace = NativeError.captureStackTrace;
NumberedError.stackTraceLimit = 10;
Object.defineProperty(NativeError.prototype, "constructor", { value: NumberedError, writable: true, configurable: true });

function raise(number, message) {
  throw new NumberedError(number, message);
}

// %s takes the next value, %% is a percent sign.
function format(text, ...values) {
  let next = 0;
  return String(text).replace(/%(%|s)/g, (match, kind) => {
    if (kind === "%") return "%";
    return next < values.length ? String(values[next++]) : match;
  });
}

function requireArguments(name, given, least) {
  if (given.length < least) {
    raise(ErrorCodes.BadRequest,
      format('The function "%s" requires at least %s argument(s) but was called with %s argument(s).', name, least, given.length));
  }
}
