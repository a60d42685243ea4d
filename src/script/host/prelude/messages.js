// Request and response objects: named properties with accessors, some of them writable, their size bounded.

const kLogProperty = "scriptLog";
const kLogCharactersMax = 4096;
const kMessageCharactersMax = 4 * 1024 * 1024;

function sizeOf(value) {
  if (value === undefined || value === null) return 0;
  const text = typeof value === "object" ? toJson(value) : String(value);
  return text === undefined ? 0 : text.length;
}

// `properties`: name to {value, isWritable}, which stay where the values are. Names are found in any case.
function makeMessage(properties) {
  const message = {};
  const slots = Object.create(null);
  for (const name of Object.keys(properties)) slots[name.toLowerCase()] = properties[name];

  const slotToWrite = (name) => {
    const slot = slots[String(name).toLowerCase()];
    if (slot === undefined) raise(ErrorCodes.BadRequest, "Cannot set new values: " + name);
    if (!slot.isWritable) raise(ErrorCodes.Forbidden, "Not a writable property: " + name);
    return slot;
  };
  const store = (name, slot, value) => {
    const limit = String(name).toLowerCase() === kLogProperty.toLowerCase() ? kLogCharactersMax : kMessageCharactersMax;
    if (sizeOf(value) > limit) {
      raise(ErrorCodes.RequestEntityTooLarge,
        format('Resulting message would be too large because of "%s". Return from script with current message and use ' +
          'continuation token to call the script again or modify your script.', name));
    }
    slot.value = value;
  };
  const read = (name) => {
    const slot = slots[String(name).toLowerCase()];
    return slot === undefined ? undefined : slot.value;
  };
  const write = (name, value) => {
    if (name !== undefined) store(name, slotToWrite(name), value);
  };
  const append = (name, value) => {
    if (name === undefined) return;
    const slot = slotToWrite(name);
    const isEmpty = slot.value === undefined || slot.value === null;
    store(name, slot, isEmpty ? value : slot.value + value);
  };

  let hasWritable = false;
  for (const name of Object.keys(properties)) {
    const title = name[0].toUpperCase() + name.slice(1);
    message["get" + title] = () => read(name);
    if (!properties[name].isWritable) continue;
    hasWritable = true;
    message["set" + title] = (value) => write(name, value);
    message["append" + title] = (value) => append(name, value);
  }
  message.getValue = read;
  if (hasWritable) {
    message.setValue = write;
    message.appendValue = append;
  }
  return message;
}
