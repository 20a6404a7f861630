import { contracts, groups } from '@ambit/api';
import { operation } from './operation.ts';
import { type Json, schemas } from './schemas.ts';

/** An OpenAPI document, with the fields that this module reads. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  info: Json & { title: string; version: string; description: string };
  tags: readonly { name: string; description: string }[];
  /** By path and lower-case method. */
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  servers: readonly Json[];
  components: { securitySchemes: Json; schemas: Readonly<Record<string, Json>> };
}

/** The HTTP API as OpenAPI 3.1, as a daemon of this `version` serves it. */
export function openApiDocument(version: string): OpenApiDocument {
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
    servers: [{ url: '/', description: 'The server of this document.' }],
    tags: Object.entries(groups).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key. The first one is in the data directory. The operator creates others.',
        },
      },
      schemas: known.named() as Record<string, Json>,
    },
  };
}

const about = [
  'Runs the skills of AI agents in a sandbox with the capabilities that the operator grants, and records every call.',
  'Requests and responses are JSON in UTF-8. An unknown field is refused by name. An error is `application/problem+json` (RFC 9457) with a stable `code`, and leaves one record in the audit log.',
  'Later versions may add fields to responses; ignore fields that you do not know.',
].join('\n\n');
