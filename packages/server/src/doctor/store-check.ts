import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Environment } from '@ambit/runtime';
import { dataFiles } from '../setup/data-dir.ts';
import { postgresSettings, type StoreConfig } from '../store/postgres/configured-postgres.ts';
import { inspectPostgres } from '../store/postgres/inspect-postgres.ts';
import type { PostgresSettings } from '../store/postgres/postgres-settings.ts';
import { inspectStoreFile } from '../store/sqlite/inspect-store-file.ts';
import type { DoctorCheck } from './doctor-report.ts';

const name = 'store';
const mebibyte = 2 ** 20;
const contents = 'stored responses, workspaces and the state of skills are in it';
const refusals =
  'calls with an Idempotency-Key, calls of workspaces and skills with state are refused; others run';

/** Whether the store can be used: the file of SQLite, or the database of PostgreSQL. */
export async function storeCheck(config: StoreConfig, environment: Environment): Promise<DoctorCheck> {
  const settings = postgresSettings(config, environment);
  return settings === null ? fileCheck(dataFiles(config).store) : databaseCheck(settings);
}

function fileCheck(file: string): DoctorCheck {
  if (!existsSync(file))
    return { name, status: 'ok', found: `SQLite, ${file}`, meaning: 'the first start creates it' };
  try {
    // SQLite creates files beside it.
    for (const path of [file, dirname(file)]) accessSync(path, constants.R_OK | constants.W_OK);
  } catch (error) {
    return {
      name,
      status: 'limited',
      found: (error as Error).message,
      meaning: refusals,
      fix: `Give this user read and write access to ${file} and its folder`,
    };
  }
  const { bavail, bsize } = statfsSync(file);
  try {
    const schema = schemaText(inspectStoreFile(file));
    return {
      name,
      status: 'ok',
      meaning: contents,
      found: `SQLite, ${file}, ${schema}, ${inMebibytes(statSync(file).size)}, ${inMebibytes(bavail * bsize)} free`,
    };
  } catch (error) {
    return unusable(error);
  }
}

async function databaseCheck(settings: PostgresSettings): Promise<DoctorCheck> {
  try {
    const { version, schemaVersion, milliseconds } = await inspectPostgres(settings);
    return {
      name,
      status: 'ok',
      found: `PostgreSQL ${version}, ${settings.target.shown}, ${schemaText(schemaVersion)}, ${milliseconds.toFixed(1)} ms`,
      meaning: schemaVersion === undefined ? 'the first start creates its schema' : contents,
    };
  } catch (error) {
    return unusable(error);
  }
}

function schemaText(version: number | undefined): string {
  return version === undefined ? 'no schema yet' : `schema ${version}`;
}

function unusable(error: unknown): DoctorCheck {
  return {
    name,
    status: 'limited',
    found: (error as Error).message,
    meaning: refusals,
    fix: 'Do what the message says, and run ambit doctor again',
  };
}

function inMebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}
