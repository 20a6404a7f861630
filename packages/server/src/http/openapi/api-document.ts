import { pino } from 'pino';
import type { AppDeps } from '../app-deps.ts';
import { buildApp } from '../build-app.ts';
import { type OpenApiDocument, openApiDocument } from './document.ts';

/** The HTTP API as OpenAPI 3.1, of no daemon that runs: what every daemon of this `version` says at `/openapi.json`. */
export function apiDocument(version: string): OpenApiDocument {
  return openApiDocument(buildApp(undescribed).contracts, version);
}

/** What an app looks at while it is built. What is missing is only reached for by requests, and none comes. */
const undescribed = {
  execute: {},
  logger: pino({ enabled: false }),
  shutdown: new AbortController().signal,
  bodyLimitBytes: 1,
} as unknown as AppDeps;
