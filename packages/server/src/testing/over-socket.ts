import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fetch } from '@ambit/client';
import { socketFetch } from '../local-socket/socket-fetch.ts';

export { userName } from '../setup/user-name.ts';

/** The path of the private socket of a running daemon; `undefined` if it announced none. */
export async function socketOf({ dataDir }: { dataDir: string }): Promise<string | undefined> {
  const announced = JSON.parse(await readFile(join(dataDir, 'daemon.json'), 'utf8')) as { socket?: string };
  return announced.socket;
}

/** Sends requests to the private socket of a running daemon, as commands do. */
export async function overSocket(daemon: { dataDir: string }): Promise<Fetch> {
  const path = await socketOf(daemon);
  if (path === undefined) throw new Error('the daemon has no private socket');
  return socketFetch(path);
}
