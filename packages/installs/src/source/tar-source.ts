import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { createGunzip } from 'node:zlib';
import { createTarDecoder, type ParsedTarEntry } from 'modern-tar';
import { InstallError } from '../install-error.ts';
import type { Source, SourceEntry } from './source.ts';
import { sourceBounds } from './source-bounds.ts';

const kinds: Readonly<Record<string, SourceEntry['kind']>> = {
  file: 'file',
  directory: 'folder',
  symlink: 'symlink',
  link: 'hard-link',
};

/** A tar archive. */
export function tarSource(
  file: string,
  compression: 'none' | 'gzip',
  bytesMax: number = sourceBounds.bytes,
): Source {
  return {
    async *entries() {
      const raw = createReadStream(file);
      const bytes = compression === 'none' ? raw : raw.pipe(createGunzip());
      raw.on('error', (error) => bytes.destroy(error));
      const { readable, writable } = createTarDecoder({ strict: true });
      const stop = new AbortController();
      // Reading the entries reports what fails here.
      const piped = (Readable.toWeb(bytes) as ReadableStream<Uint8Array>)
        .pipeThrough(boundedStream(file, bytesMax))
        .pipeTo(writable, { signal: stop.signal })
        .catch(() => undefined);
      try {
        const reader = readable.getReader();
        for (;;) {
          const { done, value } = await orDamaged(file, () => reader.read());
          if (done) return;
          yield* entryOf(value, file);
        }
      } finally {
        stop.abort();
        raw.destroy();
        await piped;
      }
    },
  };
}

async function* entryOf({ header, body }: ParsedTarEntry, file: string): AsyncGenerator<SourceEntry> {
  const { name: path, type = 'file', size: bytes, linkname: target, mode = 0 } = header;
  const kind = kinds[type] ?? 'special';
  let isRead = false;
  const entry: SourceEntry = {
    path,
    kind,
    bytes,
    isExecutable: (mode & 0o100) !== 0,
    read: () =>
      orDamaged(file, async () => {
        isRead = true;
        const content = new Uint8Array(await new Response(body as never).arrayBuffer());
        if (content.length !== bytes) throw new Error('unexpected end of the archive');
        return content;
      }),
  };
  yield target === undefined ? entry : { ...entry, target };
  // The next entry begins where this one ends.
  if (!isRead) await orDamaged(file, () => body.cancel());
}

/** Ends with an error after more bytes than an archive may have: a small file can be packed from terabytes. */
function boundedStream(file: string, bytesMax: number): TransformStream<Uint8Array, Uint8Array> {
  let total = 0;
  return new TransformStream({
    transform(piece, controller) {
      total += piece.length;
      if (total <= bytesMax) controller.enqueue(piece);
      else
        controller.error(
          new InstallError(
            'SOURCE_TOO_LARGE',
            `${file} unpacks to more than ${bytesMax} bytes; pack only the skills`,
          ),
        );
    },
  });
}

async function orDamaged<Result>(file: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (cause) {
    if (cause instanceof InstallError) throw cause;
    const { message, code, syscall } = cause as NodeJS.ErrnoException;
    if (syscall !== undefined)
      throw new InstallError('SOURCE_MISSING', `cannot read ${file}: ${message}`, { cause });
    throw new InstallError('SOURCE_DAMAGED', `${file} is damaged: ${code ?? message.slice(0, 300)}`, {
      cause,
    });
  }
}
