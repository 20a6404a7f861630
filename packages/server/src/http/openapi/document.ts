import type { RouteContract } from '../route/define-route.ts';
import { groups } from '../route/groups.ts';
import { operation } from './operation.ts';
import { type Json, schemas } from './schemas.ts';

/** An OpenAPI document, as far as what is made here reads it again. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: Json & { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  /** By path and method in lower case. */
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  servers: readonly Json[];
  components: { securitySchemes: Json; schemas: Readonly<Record<string, Json>> };
}

/** What the routes with these contracts are, as OpenAPI 3.1. `version` is the daemon's. */
export function openApiDocument(contracts: readonly RouteContract[], version: string): OpenApiDocument {
  const known = schemas();
  const paths: Record<string, Record<string, Json>> = {};
  for (const contract of contracts) {
    const path = contract.url.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}');
    const method = contract.method.toLowerCase();
    paths[path] = { ...paths[path], [method]: operation(contract, known) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Ambit',
      version,
      description: about,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document is.' }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key: the first is in the data directory, `ambit key create` makes others.',
        },
      },
      schemas: known.named() as Record<string, Json>,
    },
  };
}

const about = [
  'Runs the skills of AI agents within bounds, and keeps a record of every call.',
  'Bodies and answers are JSON in UTF-8. A field that a route does not know is refused by name. A refusal is `application/problem+json` (RFC 9457) with a stable `code`, and leaves one record in the log.',
  'Later versions may add fields to answers; pass over those that you do not know.',
].join('\n\n');
