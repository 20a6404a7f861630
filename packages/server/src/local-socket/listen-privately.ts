import { once } from 'node:events';
import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { connect, type Server } from 'node:net';
import type { Environment } from '@ambit/runtime';
import {
  createSocketFolder,
  removeSocketFolder,
  socketFolder,
  socketIn,
  unavailable,
} from './socket-folder.ts';

/** The place of a daemon's private socket. */
export interface SocketPlace {
  path: string;
  /** Removes its folder. For after its server has closed, which removes the socket. */
  remove(): void;
}

/**
 * Prepares the place for the private socket of a data directory, whose lock the caller holds: a socket that a killed daemon
 * left is removed. Rejects with `ADDRESS_UNAVAILABLE`.
 */
export async function openSocketPlace(dataDir: string, environment: Environment): Promise<SocketPlace> {
  const folder = socketFolder(dataDir, environment);
  createSocketFolder(folder);
  const path = socketIn(folder);
  await removeStale(path);
  return { path, remove: () => removeSocketFolder(folder) };
}

/** Accepts connections at a place, of this user only. Rejects with `ADDRESS_UNAVAILABLE`. */
export async function listenPrivately(server: Server, { path }: SocketPlace, backlog: number): Promise<void> {
  try {
    server.listen({ path, backlog });
    await once(server, 'listening');
    // Until then, its folder keeps other users out.
    chmodSync(path, 0o600);
  } catch (cause) {
    throw unavailable(
      `cannot listen at ${path} (${(cause as Error).message})`,
      'Make its folder writable',
      cause,
    );
  }
}

async function removeStale(path: string): Promise<void> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw unavailable(`${path} is not a socket`, 'Remove it');
  if (await isListening(path))
    throw unavailable(
      `another process listens at ${path}, although this one holds the lock of the data directory, which was perhaps moved or replaced while a daemon used it`,
      'Wait some seconds until that daemon has ended',
    );
  unlinkSync(path);
}

async function isListening(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    throw unavailable(`cannot connect to ${path} (${(error as Error).message})`, 'Remove it', error);
  } finally {
    socket.destroy();
  }
}
