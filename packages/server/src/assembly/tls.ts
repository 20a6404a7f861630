import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createSecureContext, type SecureContextOptions, Server as TlsServer } from 'node:tls';
import { liesWithin } from '@ambit/core/internal';
import { type Environment, readOrdinaryFile } from '@ambit/runtime';
import type { TlsFiles } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';

/** A certificate with its key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * Reads a certificate and its key, and tries them. `undefined` for plain HTTP. Rejects with a `ConfigError` when a file
 * cannot be read, when others can read the key, or when the two do not belong together.
 */
export async function readTls(
  files: TlsFiles | null,
  environment: Environment,
): Promise<Certificate | undefined> {
  if (files === null) return undefined;
  const cert = await readOrdinaryFile(files.cert).catch((error: Error) =>
    refused('cert', `${files.cert} cannot be read: ${error.message}`, error),
  );
  const certificate = {
    cert: cert.toString(),
    key: await readKey(files.key, environment['CREDENTIALS_DIRECTORY']),
  };
  try {
    createSecureContext(certificate);
  } catch (error) {
    refused('cert', `${files.cert} and ${files.key} cannot be used: ${(error as Error).message}`, error);
  }
  return certificate;
}

/** Connections that are open keep the one that they began with. */
export function renewTls(server: Server, certificate: SecureContextOptions): void {
  if ((server as unknown) instanceof TlsServer)
    (server as unknown as TlsServer).setSecureContext(certificate);
}

/**
 * A link is followed: where certificates are renewed by themselves, their names are links. In the folder that systemd
 * makes for a service's credentials the right of its user shows as a group's, and nobody else can come near.
 */
async function readKey(file: string, credentials: string | undefined): Promise<string> {
  const others = credentials !== undefined && liesWithin(file, credentials) ? 0o037 : 0o077;
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { mode } = await handle.stat();
      if ((mode & others) === 0) return await handle.readFile('utf8');
    } finally {
      await handle.close();
    }
  } catch (error) {
    refused('key', `${file} cannot be read: ${(error as Error).message}`, error);
  }
  return refused('key', `others can read or write ${file}: run "chmod 600 ${file}"`);
}

function refused(which: keyof TlsFiles, problem: string, cause?: unknown): never {
  throw new ConfigError([`listen.tls.${which}: ${problem}`], { cause });
}
