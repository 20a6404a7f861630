// Threat model: T436

import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDaemonLog } from './daemon-log.ts';

function dataDir(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function written(folder: string, text: string): string[] {
  const log = openDaemonLog(folder);
  writeSync(log.descriptor, text);
  const lines = log.lastLines();
  log.close();
  return lines;
}

test('the log is appended to, for its owner only, and quotes the last lines of one start', () => {
  const folder = dataDir();
  expect(written(folder, 'first\n')).toEqual(['first']);
  expect(written(folder, '1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n')).toEqual('2 3 4 5 6 7 8 9 10 11'.split(' '));
  expect(readFileSync(join(folder, 'daemon.log'), 'utf8')).toMatch(/^first\n1\n/);
  expect(statSync(join(folder, 'daemon.log')).mode & 0o777).toBe(0o600);
});

test('a large log replaces the one before it', () => {
  const folder = dataDir();
  written(folder, 'old\n');
  truncateSync(join(folder, 'daemon.log'), 5 * 1024 * 1024);
  expect(written(folder, 'new\n')).toEqual(['new']);
  expect(statSync(join(folder, 'daemon.log')).size).toBe(4);
  expect(statSync(join(folder, 'daemon.log.1')).size).toBe(5 * 1024 * 1024);
});

test('a link in place of the log is not followed', () => {
  const folder = dataDir();
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'daemon.log'));
  expect(() => openDaemonLog(folder)).toThrow('ELOOP');
});
