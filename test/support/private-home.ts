import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The variable with the home of a test run's programs. */
export const homeVariable = 'AMBIT_TEST_HOME';

/** An empty folder that only this user can access: the home, and the current folder, of programs that have none of their own. */
export const privateHome = process.env[homeVariable] ?? ownHome();

/**
 * The folders of configuration and data of the user of all tests, as variables. Without them, a program would use the home
 * folder in the password database.
 */
export function userFolders(): Record<'XDG_DATA_HOME' | 'XDG_CONFIG_HOME', string> {
  return {
    XDG_DATA_HOME: process.env['XDG_DATA_HOME'] ?? join(privateHome, '.local/share'),
    XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'] ?? join(privateHome, '.config'),
  };
}

/** For programs that are not tests, such as a soak. */
function ownHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-home-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
