// The program of a host process: one call of one module, then it ends. Plain JavaScript, because to strip types at the
// start of each would cost more than all the rest of it.
/** @import { HostRequest, HostVerdict } from '../host-protocol.ts' */
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { boundEngine } from './bound-engine.mjs';
import { pluginLog } from './plugin-log.mjs';
import { runPlugin } from './run-plugin.mjs';

const stdin = 0;
const stdout = 1;
const lengthBytes = 4;

// Extism asks of what it loads whether it is a Response, and at that Node loads its client for HTTP, for as long as all
// the rest takes. There is no network here to have a response from.
globalThis.Response = /** @type {typeof Response} */ (class Response {});

const extismPath = process.argv[2];
if (extismPath === undefined) throw new Error('usage: main.mjs PATH_OF_EXTISM');
const { createPlugin } = await import(pathToFileURL(extismPath).href);

const { request, module, input } = readRequest();
boundEngine(request.memoryBytes);
write(Buffer.from('ambit-wasm 1\n'));
const log = pluginLog(request.outputBytes);
const { output, ...verdict } = await runPlugin(createPlugin, module, input, request, log);
writeFrame(verdict, output);

/** @returns {{ request: HostRequest, module: Uint8Array<ArrayBuffer>, input: Uint8Array }} */
function readRequest() {
  const frame = readFileSync(stdin);
  const headerEnd = lengthBytes + frame.readUInt32BE(0);
  const request = JSON.parse(frame.toString('utf8', lengthBytes, headerEnd));
  const moduleEnd = headerEnd + request.moduleBytes;
  // The input in a buffer of its own, so that Extism takes it as it is.
  return {
    request,
    module: frame.subarray(headerEnd, moduleEnd),
    input: Uint8Array.from(frame.subarray(moduleEnd)),
  };
}

/**
 * @param {HostVerdict} verdict
 * @param {Uint8Array} output
 */
function writeFrame(verdict, output) {
  const header = Buffer.from(JSON.stringify(verdict));
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(header.length);
  for (const part of [length, header, output]) write(part);
}

/** @param {Uint8Array} bytes */
function write(bytes) {
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(stdout, bytes, offset);
}
