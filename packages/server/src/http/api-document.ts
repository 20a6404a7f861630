import { pino } from 'pino';
import { buildApp } from './build-app.ts';
import { type OpenApiDocument, openApiDocument } from './openapi/document.ts';
import type { AppDeps } from './route/app-deps.ts';

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
