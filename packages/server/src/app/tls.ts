import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Server } from 'node:http';
import { createSecureContext, type SecureContextOptions, Server as TlsServer } from 'node:tls';
import { liesWithin } from '@ambit/core/policy';
import { type Environment, readOrdinaryFile } from '@ambit/runtime';
import type { TlsFiles } from '../config/config.ts';
import { ConfigError } from '../config/config-error.ts';

/** A certificate with its key, both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * Reads and tests a certificate and its key. Returns `undefined` for plain HTTP. Rejects with a `ConfigError` if a file
 * cannot be read, other users can read the key, or the two do not match.
 */
export async function readTls(
  files: TlsFiles | null,
  environment: Environment,
): Promise<Certificate | undefined> {
  if (files === null) return undefined;
  const cert = await readOrdinaryFile(files.cert).catch((error: Error) =>
    refused('cert', `cannot read ${files.cert}: ${error.message}`, error),
  );
  const certificate = {
    cert: cert.toString(),
    key: await readKey(files.key, environment['CREDENTIALS_DIRECTORY']),
  };
  try {
    createSecureContext(certificate);
  } catch (error) {
    refused('cert', `cannot use ${files.cert} with ${files.key}: ${(error as Error).message}`, error);
  }
  return certificate;
}

/** Uses the certificate for new connections. Open connections continue with theirs. */
export function renewTls(server: Server, certificate: SecureContextOptions): void {
  if ((server as unknown) instanceof TlsServer)
    (server as unknown as TlsServer).setSecureContext(certificate);
}

/**
 * Follows links: tools that renew certificates often use them. In the folder with a service's credentials, systemd shows
 * the user's right as a group right, and no other user has access.
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
    refused('key', `cannot read ${file}: ${(error as Error).message}`, error);
  }
  return refused('key', `other users can read or write ${file}; run: chmod 600 ${file}`);
}

function refused(which: keyof TlsFiles, problem: string, cause?: unknown): never {
  throw new ConfigError([`listen.tls.${which}: ${problem}`], { cause });
}
