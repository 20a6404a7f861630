import { describeIssues, parseLargeYaml, YamlTooLarge } from '@ambit/core/skill';
import type { z } from 'zod';
import { documentOf, type Layer, layerOf } from '../layers.ts';
import type { Settings, SettingsSchema } from './settings.ts';

/** The settings that a file contains, without the defaults of the others. */
export type ConfigFile = {
  [Name in keyof Settings]?: Name extends SectionName ? Partial<Settings[Name]> : Settings[Name];
};

type Schemas = SettingsSchema['shape'];
type SectionName = {
  [Name in keyof Schemas]: Schemas[Name] extends z.ZodPrefault ? Name : never;
}[keyof Schemas];

/** Returns the keys of a layer that the file sets. */
export function contentOf(layer: Layer): ConfigFile {
  return documentOf(new Map([...layer].filter(([, { origin }]) => origin !== 'default')));
}

/** The layer without a file. */
export function defaultLayer(schema: SettingsSchema): Layer {
  return layerOf(schema, schema.parse({}), {}, 'default');
}

/** Parses the content of the file at `path`. `issues` lists every mistake. */
export function parseConfigFile(
  bytes: Uint8Array,
  path: string,
  schema: SettingsSchema,
): { layer: Layer; issues: string[] } {
  const refused = (issues: string[]) => ({
    layer: defaultLayer(schema),
    issues: issues.map((issue) => `${path}: ${issue}`),
  });

  const text = Buffer.from(bytes).toString();
  let value: unknown;
  try {
    value = parseLargeYaml(text) ?? {};
  } catch (error) {
    const why = (error as Error).message.split('\n', 1)[0];
    return refused([error instanceof YamlTooLarge ? `the file ${why}` : `not valid YAML: ${why}`]);
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) return refused(describeIssues(parsed.error, schema, value));
  return { layer: layerOf(schema, parsed.data, value, `file:${path}`), issues: [] };
}
