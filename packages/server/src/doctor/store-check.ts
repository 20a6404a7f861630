import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import type { Environment } from '@ambit/runtime';
import type { DoctorCheck } from '../cli/ports/doctor-report.ts';
import { postgresSettings, type StoreConfig } from '../setup/configured-store.ts';
import { dataFiles } from '../setup/data-dir.ts';
import { inspectPostgres } from '../store/postgres/inspect-postgres.ts';
import type { PostgresSettings } from '../store/postgres/postgres-settings.ts';

const name = 'store';
const mebibyte = 2 ** 20;
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
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (error) {
    return {
      ...{ name, status: 'limited', found: (error as Error).message, meaning: refusals },
      fix: `Give this user read and write access to ${file}`,
    };
  }
  const { bavail, bsize } = statfsSync(file);
  const found = `SQLite, ${file}, ${inMebibytes(statSync(file).size)}, ${inMebibytes(bavail * bsize)} free`;
  return {
    name,
    status: 'ok',
    found,
    meaning: 'stored responses, workspaces and the state of skills are in it',
  };
}

async function databaseCheck(settings: PostgresSettings): Promise<DoctorCheck> {
  try {
    const { version, schemaVersion, milliseconds } = await inspectPostgres(settings);
    const schema = schemaVersion === undefined ? 'no schema yet' : `schema ${schemaVersion}`;
    return {
      ...{ name, status: 'ok' },
      found: `PostgreSQL ${version}, ${settings.target.shown}, ${schema}, ${milliseconds.toFixed(1)} ms`,
      meaning:
        schemaVersion === undefined
          ? 'the first start creates its schema'
          : 'stored responses, workspaces and the state of skills are in it',
    };
  } catch (error) {
    const { message } = error as Error;
    return {
      ...{ name, status: 'limited', found: message, meaning: refusals },
      fix: 'Do what the message says, and run ambit doctor again',
    };
  }
}

function inMebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}
