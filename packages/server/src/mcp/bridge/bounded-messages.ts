import { Transform } from 'node:stream';
import type { RequestId } from '@modelcontextprotocol/server';

/** The start and the end of a message that is too long: clients write the id first or last. */
const edgeBytes = 4096;
const newline = 0x0a;

/**
 * Passes on lines of at most `bytesMax` bytes. A longer one is dropped while it arrives, and `onLong` gets its size and the id
 * of its request, as far as its start or its end shows one. What follows, also the end, waits until `onLong` has resolved.
 */
export function boundedMessages(
  bytesMax: number,
  onLong: (bytes: number, id: RequestId | undefined) => Promise<void>,
): Transform {
  let line: Buffer[] = [];
  let bytes = 0;
  let start = Buffer.alloc(0);
  let end = Buffer.alloc(0);
  const add = (part: Buffer): void => {
    bytes += part.length;
    if (bytes <= bytesMax) {
      line.push(part);
      return;
    }
    if (start.length === 0) start = Buffer.concat([...line, part]).subarray(0, edgeBytes);
    line = [];
    end = Buffer.concat([end, part.subarray(-edgeBytes)]).subarray(-edgeBytes);
  };
  const endLine = async (passOn: (line: Buffer) => void): Promise<void> => {
    const [whole, long] = [Buffer.concat(line), { bytes, start, end }];
    [line, bytes, start, end] = [[], 0, Buffer.alloc(0), Buffer.alloc(0)];
    if (long.bytes <= bytesMax) passOn(whole);
    else await onLong(long.bytes, idIn(long.start.toString('latin1'), long.end.toString('latin1')));
  };
  const read = async (chunk: Buffer, passOn: (line: Buffer) => void): Promise<void> => {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(newline, from);
      const next = at === -1 ? chunk.length : at + 1;
      add(chunk.subarray(from, next));
      from = next;
      if (at !== -1) await endLine(passOn);
    }
  };
  return new Transform({
    // Each line is read as a whole.
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      read(chunk, (each) => this.push(each)).then(() => done(), done);
    },
    // The last message may lack its newline.
    flush(done) {
      if (bytes === 0) done();
      else endLine((each) => this.push(each)).then(() => done(), done);
    },
  });
}

const id = String.raw`"id"\s*:\s*(-?\d{1,15}|"[^"\\]{0,200}")`;
const version = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const method = String.raw`"method"\s*:\s*"[^"\\]{0,200}"`;
/** Members of the message itself: before any object in it, or after the last. */
const first = new RegExp(String.raw`^\s*\{\s*(?:(?:${version}|${method})\s*,\s*){0,2}${id}\s*,`);
const last = new RegExp(String.raw`,\s*${id}\s*(?:,\s*(?:${version}|${method})\s*){0,2}\}\s*$`);

function idIn(start: string, end: string): RequestId | undefined {
  const text = first.exec(start)?.[1] ?? last.exec(end)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as RequestId);
}
