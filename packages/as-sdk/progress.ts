import { copyToHost } from './host';
import { JsonWriter } from './json-writer';

@external('extism:host/user', 'progress') declare function hostProgress(progress: u64): u64;

/**
 * Reports progress to observers of the call. `total` is the final value of `done`; below 0 if
 * unknown. Both are below 10^15. When reports come too often, the host forwards only the latest.
 */
export function reportProgress(done: i64, total: i64 = -1, message: string = ''): void {
  const writer = new JsonWriter(4096);
  writer.openObject();
  writer.key('done');
  writer.integer(done);
  if (total >= 0) {
    writer.key('total');
    writer.integer(total);
  }
  writer.key('message');
  writer.string(message);
  writer.closeObject();
  if (!writer.overflowed) hostProgress(copyToHost(writer.written()));
}
