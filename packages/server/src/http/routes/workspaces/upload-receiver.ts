import { tmpdir } from 'node:os';
import { PassThrough, type Readable } from 'node:stream';
import { SkillError } from '@ambit/core';
import { type FileContent, partBytes } from '@ambit/core/workspace';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { heldMemory } from '../../../jobs/held-memory.ts';
import { spool } from '../../../store/spool.ts';
import { callSignal, whenClosed } from '../../connections/when-closed.ts';
import type { AppDeps } from '../../route/app-deps.ts';
import { type AccessFor, rightsOf } from '../../route/request-state.ts';

const gibibyte = 1024 ** 3;
/** The disk space of bodies that arrive, for all keys and for each. A slow client holds it for long. */
const uploadBounds = { totalMax: 4 * gibibyte, eachMax: gibibyte };

/**
 * Receives a body for the workspace `id`, and passes it on as a whole once the workspace can have it. `beside` are the bytes
 * that it may have besides the contents.
 */
type ReceiveUpload = <T>(
  request: FastifyRequest,
  reply: FastifyReply,
  upload: { id: string; bytes: Readable; beside: number },
  act: (content: Uint8Array | FileContent, signal: AbortSignal) => Promise<T>,
) => Promise<T>;

/** Uploads to workspaces, whose disk space is bounded together. */
export function uploadReceiver(
  { shutdown, places, jobs }: Pick<AppDeps, 'shutdown' | 'places' | 'jobs'>,
  accessFor: AccessFor,
): ReceiveUpload {
  const uploads = heldMemory(uploadBounds, 'space for uploads');
  return async (request, reply, { id, bytes, beside }, act) => {
    const { quotaBytes } = await accessFor(request).workspaces.get(id);
    const tooLarge = () =>
      new SkillError(
        'WORKSPACE_FULL',
        `the body is larger than ${quotaBytes} bytes, the quota of the workspace. Create a workspace with a larger quota`,
      );
    const signal = callSignal(reply, shutdown);
    const bytesMax = quotaBytes + beside;
    const announced = Number(request.headers['content-length'] ?? bytesMax);
    whenClosed(reply, uploads.hold(rightsOf(request).actor, Math.min(announced, bytesMax)));
    const { content, close } = await spool(arriving(bytes, signal), {
      folder: places.dataDir ?? tmpdir(),
      bytesMax,
      tooLarge,
    });
    let release: (() => void) | undefined;
    try {
      release = jobs.hold(rightsOf(request).actor, Math.min(content.length, partBytes));
      return await act(content, signal);
    } finally {
      release?.();
      await close();
    }
  };
}

/** A body until `signal` aborts. That leaves the request itself open, so that it still gets an answer. */
function arriving(body: Readable, signal: AbortSignal): Readable {
  const received = new PassThrough();
  const end = (): void => void received.destroy(signal.reason);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  body.once('error', (error) => received.destroy(error));
  return body.pipe(received);
}
