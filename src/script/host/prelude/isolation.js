// What outlives a script in the engine is out of its reach: a script can neither see what an earlier one left there, nor fill it.

// The engine's registry of symbols is never emptied. Every script has one of its own instead.
const symbolsByKey = new Map();
const keysBySymbol = new Map();
const symbolRegistry = {
  for(key) {
    const text = `${key}`;
    let symbol = symbolsByKey.get(text);
    if (symbol === undefined) {
      symbol = Symbol(text);
      symbolsByKey.set(text, symbol);
      keysBySymbol.set(symbol, text);
    }
    return symbol;
  },
  keyFor(symbol) {
    if (typeof symbol !== "symbol") throw new TypeError(`${String(symbol)} is not a symbol`);
    return keysBySymbol.get(symbol);
  },
};
for (const name of Object.keys(symbolRegistry)) {
  Object.defineProperty(Symbol, name, { value: symbolRegistry[name], writable: true, enumerable: false, configurable: true });
}

// They tell when memory is collected, which depends on what others have left; and what waits to be told is kept for ever.
delete globalThis.WeakRef;
delete globalThis.FinalizationRegistry;

