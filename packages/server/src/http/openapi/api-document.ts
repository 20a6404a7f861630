import { pino } from 'pino';
import type { AppDeps } from '../app-deps.ts';
import { buildApp } from '../build-app.ts';
import { type OpenApiDocument, openApiDocument } from './document.ts';

/**
 * The HTTP API as OpenAPI 3.1, without a running daemon: what every daemon of this `version` serves
 * at `/openapi.json`.
 */
export function apiDocument(version: string): OpenApiDocument {
  return openApiDocument(buildApp(undescribed).contracts, version);
}

/**
 * The dependencies that are used while an app is built. Only requests use the others, and none is
 * made.
 */
const undescribed = {
  execute: {},
  logger: pino({ enabled: false }),
  shutdown: new AbortController().signal,
  bodyLimitBytes: 1,
} as unknown as AppDeps;
