// Replaces the program of a host process, as if a module had taken it over. The input of a call
// selects its behavior. It sends valid frames of the protocol, and invalid ones.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, readSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';

const id = randomUUID();
let calls = 0;

function read(bytes) {
  const buffer = Buffer.alloc(bytes);
  for (let at = 0; at < bytes; ) {
    const count = readSync(0, buffer, at, bytes - at, null);
    if (count === 0) process.exit(0);
    at += count;
  }
  return buffer;
}

function readFrame() {
  const header = JSON.parse(read(read(4).readUInt32BE(0)).toString());
  return { header, body: read(header.bytes) };
}

function write(bytes) {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}

function frame(header, body = Buffer.alloc(0)) {
  return withLength(JSON.stringify({ bytes: body.length, ...header }), body);
}

function withLength(text, ...rest) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text), ...rest]);
}

const done = { type: 'done', verdict: { status: 'returned' }, fuelConsumed: 1, memoryPeakBytes: 1 };

function uses(count) {
  const read = Array.from({ length: count }, (_, n) => [`/${n}`, 1]);
  const more = { env: 0, read: 0, written: 0 };
  return { functions: [], env: [], read, written: [], more, workspace: 0, hasEnvironment: false };
}

function left(path) {
  return frame({ type: 'file', path, change: 'created', size: 4, isHere: true }, Buffer.from('left'));
}

function answer(value, header = done) {
  return frame(header, Buffer.from(JSON.stringify(value)));
}

function ask(name, ...args) {
  write(frame({ type: 'ask', name, args }));
  const { header, body } = readFrame();
  return header.body === undefined ? header : { ...header, text: body.toString() };
}

function got(run) {
  try {
    return run();
  } catch (error) {
    return error.code ?? error.message;
  }
}

function connected(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve('connected'));
    socket.on('error', ({ code }) => resolve(code));
  });
}

/** The bytes that it writes instead of an answer. */
const parts = {
  honest: () => answer({ id, calls }),
  'bytes that are not a frame': () => Buffer.alloc(4096, 0xa5),
  'a header of four gigabytes': () => Buffer.alloc(5, 0xff),
  'a header that is not JSON': () => withLength('{"type"'),
  'a header that is null': () => withLength('null'),
  'a header that is a list': () => withLength('[]'),
  'an extremely nested header': () => withLength(`${'['.repeat(900_000)}${']'.repeat(900_000)}`),
  'a header with too many values': () =>
    withLength(JSON.stringify({ type: 'ask', name: 'state_get', args: new Array(60_000).fill({}) })),
  'a body of a terabyte': () => frame({ ...done, bytes: 2 ** 40 }),
  'a body of negative length': () => frame({ ...done, bytes: -1 }),
  'a body length that is not a number': () => frame({ ...done, bytes: '9' }),
  'a body longer than the output limit': ({ outputBytes }) =>
    frame(done, Buffer.alloc(outputBytes + 70_000, 0x20)),
  'an unknown type': () => frame({ type: 'grant' }),
  'a type that is not a string': () => frame({ type: { toString: 1 } }),
  'an end without a verdict': () => answer(1, { type: 'done' }),
  'an unknown verdict': () => answer(1, { ...done, verdict: { status: 'granted' } }),
  'a verdict from the prototype': () => answer(1, { ...done, verdict: { status: 'constructor' } }),
  'fuel that is a string': () => answer(1, { ...done, fuelConsumed: 'much' }),
  'negative memory': () => answer(1, { ...done, memoryPeakBytes: -1 }),
  'more uses than a host lists': () => answer(1, { ...done, uses: uses(101) }),
  'a use that is not a number': () => answer(1, { ...done, uses: { ...uses(0), read: [['/a', 'often']] } }),
  'a use of a megabyte': () => answer(1, { ...done, uses: { ...uses(0), read: [['x'.repeat(2 ** 20), 1]] } }),
  'a trap of a megabyte': () =>
    answer(1, { ...done, verdict: { status: 'failed', trap: 'x'.repeat(2 ** 20) } }),
  'a refusal without a message': () => answer(1, { ...done, verdict: { status: 'refused' } }),
  'an answer before its pending one': () =>
    Buffer.concat([frame({ type: 'ask', name: 'state_get', args: ['key'] }), answer(1)]),
  'endless requests': () => {
    for (;;) write(frame({ type: 'ask', name: 'read_file', args: ['large'] }));
  },
  'an end, and a second one for the call after': () =>
    Buffer.concat([answer({ id, calls }), answer('forged')]),
  'an endless log': () => {
    const line = frame({ type: 'log' }, Buffer.alloc(65_536, 0x78));
    for (;;) write(line);
  },
  "a command's stdout in a call that answers with JSON": () =>
    Buffer.concat([frame({ type: 'stdout' }, Buffer.from('unchecked')), answer(1)]),
  'a file of a workspace': () => Buffer.concat([left('a'), answer(1)]),
  'a file outside its workspace': () => Buffer.concat([left('../a'), answer(1)]),
  'the same file twice': () => Buffer.concat([left('a'), left('a'), answer(1)]),
  'an output of the maximum size': ({ outputBytes }) => frame(done, Buffer.alloc(outputBytes, 0x31)),
  'an output that is one byte too large': ({ outputBytes }) =>
    frame(done, Buffer.alloc(outputBytes + 1, 0x31)),
  'endless output on stderr': () => {
    for (;;) writeSync(2, Buffer.alloc(65_536, 0x78));
  },
  'half of a frame, and then nothing': () => Buffer.concat([answer('x'.repeat(100)).subarray(0, 60), stay()]),
  'an end of its process': () => process.exit(0),
  'an end of its process after an answer': () => {
    write(answer({ id, calls }));
    process.exit(0);
  },
};

function stay() {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

write(frame({ type: 'ready' }));
for (;;) {
  const { header, body } = readFrame();
  const { part, ...given } = JSON.parse(body.subarray(body.length - header.inputBytes).toString());
  calls++;
  if (part === 'looks around') {
    write(
      answer({
        env: process.env,
        root: readdirSync('/').sort(),
        received: { env: header.world.env, context: header.world.context },
        secret: got(() => readFileSync(given.secret, 'utf8')),
        beside: got(() => readFileSync(given.beside, 'utf8')),
        written: got(() => writeFileSync(given.readable, 'written')) ?? 'written',
        own: got(() => writeFileSync('/ambit/host/main.mjs', 'written')) ?? 'written',
        connected: await connected(given.port),
        readable: got(() => readFileSync(given.readable, 'utf8')),
      }),
    );
  } else if (part === 'asks') {
    write(answer(given.questions.map(([name, ...args]) => ask(name, ...args))));
  } else {
    write(parts[part](header.bounds));
  }
}
