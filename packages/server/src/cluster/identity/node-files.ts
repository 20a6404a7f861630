import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { thrownText } from '@ambit/core/outcome';
import { describeIssues } from '@ambit/core/skill';
import { writeDurably } from '@ambit/runtime';
import { z } from 'zod';
import { Refusal } from '../../errors/refusal.ts';
import type { KeyAndCertificate } from './authority.ts';

/** The number of nodes that a cluster can ever have: an execution id has 12 bits for its node. */
export const nodesMax = 4095;

const NodeRecord = z.strictObject({
  /** The UUID of the cluster. */
  cluster: z.uuid(),
  id: z.int().min(1).max(nodesMax),
  name: z.string().min(1),
  /** The start of the daemon that the database last accepted, and the one that asks to be next; `null` before the first. */
  instance: z.uuid().nullable(),
  nextInstance: z.uuid().nullable(),
});

/** A data directory's record of its node. */
type NodeRecord = z.output<typeof NodeRecord>;

/** The identity of a node, as its data directory has it. */
export interface NodeIdentity extends NodeRecord, KeyAndCertificate {
  /** The certificate of the authority, PEM. */
  authority: string;
}

/** The files of a node, in the folder `cluster` of a data directory. Writing rejects with `NODE_UNUSABLE`. */
export interface NodeFiles {
  /** `undefined` in a data directory that belongs to no cluster. Throws `NODE_UNUSABLE`. */
  read(): NodeIdentity | undefined;
  /** The key of a node; also of one whose creation was cut off. Throws `NODE_UNUSABLE`. */
  readKey(): string | undefined;
  writeKey(key: string): Promise<void>;
  /** Writes a new identity, its record last. */
  write(identity: NodeIdentity): Promise<void>;
  /** Replaces the record. */
  update(record: NodeRecord): Promise<void>;
  /** The authority, where this node can certify others. Throws `NODE_UNUSABLE`. */
  readAuthority(): KeyAndCertificate | undefined;
  writeAuthority(authority: KeyAndCertificate): Promise<void>;
}

/** The files of the node in a data directory, which need not exist. */
export function nodeFiles(dataDir: string): NodeFiles {
  const folder = join(dataDir, 'cluster');
  const file = (name: string): string => join(folder, name);
  const read = (name: string): string | undefined => readPrivately(file(name));
  const required = (name: string): string => {
    const text = read(name);
    if (text !== undefined) return text;
    throw unusable(file(name), 'it is missing');
  };
  const write = async (name: string, text: string): Promise<void> => {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await writeDurably(file(name), text);
    } catch (error) {
      throw unusable(file(name), `${thrownText(error)}; give Ambit's user write access to its folder`);
    }
  };
  const writeRecord = ({ cluster, id, name, instance, nextInstance }: NodeRecord): Promise<void> =>
    write('node.json', `${JSON.stringify({ cluster, id, name, instance, nextInstance }, null, 2)}\n`);
  return {
    read() {
      const text = read('node.json');
      if (text === undefined) return undefined;
      return {
        ...recordIn(file('node.json'), text),
        key: required('node.key'),
        certificate: required('node.crt'),
        authority: required('authority.crt'),
      };
    },
    readKey: () => read('node.key'),
    writeKey: (key) => write('node.key', key),
    async write(identity) {
      await write('authority.crt', identity.authority);
      await write('node.key', identity.key);
      await write('node.crt', identity.certificate);
      await writeRecord(identity);
    },
    update: writeRecord,
    readAuthority() {
      const key = read('authority.key');
      if (key === undefined) return undefined;
      const certificate = required('authority.crt');
      if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
        throw unusable(
          file('authority.key'),
          'it belongs to another authority than authority.crt; remove it',
        );
      return { key, certificate };
    },
    async writeAuthority({ key, certificate }) {
      await write('authority.crt', certificate);
      await write('authority.key', key);
    },
  };
}

function recordIn(file: string, text: string): NodeRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unusable(file, thrownText(error));
  }
  const parsed = NodeRecord.safeParse(value);
  if (parsed.success) return parsed.data;
  throw unusable(file, describeIssues(parsed.error, NodeRecord, value).join('; '));
}

function readPrivately(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  if ((found.mode & 0o077) !== 0)
    throw unusable(
      file,
      `other users can access it; run "chmod 600 ${file}", and retire the node if they may have read it`,
    );
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw unusable(file, thrownText(error));
  }
}

function unusable(file: string, why: string): Refusal {
  return new Refusal('NODE_UNUSABLE', `cannot use ${file}: ${why}`);
}
