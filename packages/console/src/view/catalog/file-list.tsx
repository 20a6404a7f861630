import type { SkillDetail } from '@ambit/client';
import { useState } from 'preact/hooks';
import { bytesText } from '../../format/units.ts';
import { visibleText } from '../../format/visible.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Shown } from '../../part/shown.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { client } from '../../session/session.ts';

type SkillFile = SkillDetail['files'][number];

/** The files of a skill, each of which can be read as text: of the version `digest` and no other. */
export function FileList({
  id,
  digest,
  files,
}: {
  id: string;
  digest: string;
  files: readonly Pick<SkillFile, 'path' | 'bytes'>[];
}) {
  const [path, setPath] = useState<string>();
  return (
    <>
      <ul class="files">
        {files.map((file) => (
          <li>
            <button type="button" class="link" onClick={() => setPath(file.path)}>
              <Visible text={file.path} />
            </button>{' '}
            <span class="quiet">{bytesText(file.bytes)}</span>
          </li>
        ))}
      </ul>
      {path !== undefined && <FileText key={path} {...{ id, digest, path }} />}
    </>
  );
}

function FileText({ id, digest, path }: { id: string; digest: string; path: string }) {
  const content = useLoaded(`file ${digest} ${path}`, async (signal) => {
    const [skill, bytes] = await Promise.all([
      client.skill(id, { signal }),
      client.file(id, path, { signal }),
    ]);
    if (skill.digest !== digest)
      throw new Error('The catalog has a newer version of this skill. Reload this page.');
    return bytes;
  });
  return (
    <section aria-live="polite">
      <h3>
        <Visible text={path} />
      </h3>
      <Shown loaded={content}>
        {(bytes) => {
          const text = textOf(bytes);
          return text === undefined ? (
            <p>This file is not UTF-8 text.</p>
          ) : (
            <Block text={text} label={visibleText(path)} />
          );
        }}
      </Shown>
    </section>
  );
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
