// The program of a host process: runs one call after another, each in a fresh instance, until stdin
// ends. Plain JavaScript, because stripping types at each start would take longer than everything
// else.
/** @import { CallFrame, DoneFrame } from '../pool/host-protocol.ts' */
/** @import { CallEnd } from './entries.mjs' */
import { boundEngine } from './bound-engine.mjs';
import { callLog } from './call-log.mjs';
import { CallUses } from './call-uses.mjs';
import { openEntries } from './entries.mjs';
import { readFrame, writeFrame } from './frames.mjs';
import { endIfUnanswered, hostFunctions, skillFiles } from './host-functions.mjs';
import { progressEmitter } from './progress-emitter.mjs';
import { sentBytes } from './sent-bytes.mjs';

// Extism checks whether what it loads is a Response. Accessing the real class makes Node load its
// HTTP client, which takes as long as the rest of the start. There is no network here.
Reflect.set(globalThis, 'Response', class Response {});

const [extismPath, quickjsFolder, pythonFolder, memoryBytes] = process.argv.slice(2);
if (
  extismPath === undefined ||
  quickjsFolder === undefined ||
  pythonFolder === undefined ||
  memoryBytes === undefined
) {
  throw new Error('usage: main.mjs EXTISM QUICKJS PYTHON MEMORY_BYTES');
}
boundEngine(Number(memoryBytes));
const entries = await openEntries({ extismPath, quickjsFolder, pythonFolder });
/** Memory of instances since the last garbage collection. */
let heldBytes = 0;
const heldBytesMax = 128 * 1024 * 1024;

writeFrame({ type: 'ready' });
for (let frame = readFrame(); frame !== undefined; frame = readFrame()) {
  const { done, output, changes = [] } = await answer(frame.header, frame.body);
  endIfUnanswered();
  heldBytes += done.memoryPeakBytes + frame.body.length + output.length;
  // The engine does not know how much memory an instance uses. Runs before the answer, because the
  // work belongs to this call.
  if (heldBytes > heldBytesMax) {
    heldBytes = 0;
    globalThis.gc?.();
  }
  for (const { content, size, ...change } of changes) {
    writeFrame({ type: 'file', ...change, size, isHere: content !== null }, content ?? new Uint8Array());
  }
  writeFrame(done, output);
}

/**
 * @param {CallFrame} call
 * @param {Buffer} body
 * @returns {Promise<{ done: DoneFrame, output: Uint8Array, changes?: CallEnd['changes'] }>}
 */
async function answer({ key, drop, entry, loadOnly, inputBytes, files, bounds, world }, body) {
  const startedAt = performance.now();
  for (const each of drop) entries.drop(each);
  const filesAt =
    body.length - (files ?? []).reduce((total, entry) => total + ('bytes' in entry ? entry.bytes : 0), 0);
  const inputAt = filesAt - inputBytes;
  const problem = entry === undefined ? undefined : await entries.load(key, entry, body.subarray(0, inputAt));
  if (problem !== undefined || loadOnly) {
    return {
      done: {
        type: 'done',
        verdict: problem === undefined ? { status: 'returned' } : { status: 'refused', problem },
        fuelConsumed: null,
        memoryPeakBytes: 0,
      },
      output: new Uint8Array(),
    };
  }
  // A separate buffer, which Extism uses directly.
  const input = new Uint8Array(body.subarray(inputAt, filesAt));
  const log = callLog(bounds.outputBytes);
  const stdout = world.args === undefined ? undefined : sentBytes('stdout', bounds.outputBytes);
  const progress = progressEmitter(log);
  const uses = new CallUses(startedAt);
  const invoke = hostFunctions(world, progress.emit, uses);
  const flush = () => {
    stdout?.flush();
    log.flush();
  };
  const { verdict, output, fuelConsumed, memoryPeakBytes, changes } = await entries.call(
    key,
    input,
    {
      ...bounds,
      fileBytes: world.fileBytes,
      name: world.skillId,
      args: world.args ?? [],
      env: world.env,
      stdout,
      given: given(files, body, filesAt),
      skillFiles,
      uses,
    },
    log,
    (name, args) => {
      // The call may wait for long, and be stopped meanwhile.
      flush();
      return invoke(name, args);
    },
  );
  progress.flush();
  flush();
  const done = { type: /** @type {const} */ ('done'), verdict, fuelConsumed, memoryPeakBytes };
  return { done: { ...done, uses: uses.report() }, output, changes };
}

/**
 * The caller's entries of the workspace, their contents copied because the next frame overwrites the buffer.
 *
 * @param {CallFrame['files']} files
 * @param {Buffer} body
 * @param {number} from
 */
function given(files, body, from) {
  let at = from;
  return files?.map((entry) => {
    if (!('bytes' in entry)) return entry;
    const { path, bytes } = entry;
    const content = Uint8Array.from(body.subarray(at, at + bytes));
    at += bytes;
    return { path, content };
  });
}
