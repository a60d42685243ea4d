// Starts @vercel/cosmosdb-server over plain HTTP with kept connections (its own command closes them after each answer).
// usage: node cosmosdb_server.js FOLDER_WITH_NODE_MODULES PORT
const { createRequire } = require("module");

const [folder, port] = process.argv.slice(2);
const { createHttpServer } = createRequire(`${folder}/`)("@vercel/cosmosdb-server");
createHttpServer({ keepAlive: true }).listen(Number(port), "127.0.0.1");
