import { copyToHost } from './host';
import { JsonWriter } from './json-writer';

@external('extism:host/user', 'progress') declare function hostProgress(told: u64): u64;

/**
 * Says how far the call is, for whoever watches it. `total` is what `done` will be at the end; below 0: nobody knows. Both are
 * below 10^15; of what comes too often the host tells the latest.
 */
export function tellProgress(done: i64, total: i64 = -1, message: string = ''): void {
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
