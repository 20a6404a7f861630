import type { SkillDetail } from '@ambit/client';
import { useState } from 'preact/hooks';
import { useRoute } from 'preact-iso';
import { bytesText } from '../../format/units.ts';
import { useLoaded } from '../../part/loaded.ts';
import { Page } from '../../part/page.tsx';
import { Shown } from '../../part/shown.tsx';
import { Block, Visible } from '../../part/visible.tsx';
import { paths, runsPath } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { itemsOf } from '../run/capability-rows.ts';
import { risksOf } from './risks.ts';
import { TrySkill } from './try-skill.tsx';

/** One skill: what it asks for in words, its files as text, and a form to try it. */
export function SkillView() {
  const id = useRoute().params['id'] ?? '';
  const skill = useLoaded(`skill ${id}`, (signal) => client.skill(id, { signal }));
  return (
    <Page title={id}>
      <p>
        <a href={paths.catalog}>Catalog</a> · <a href={runsPath({ skill: id })}>its runs</a> ·{' '}
        <a href={`${paths.settings}?skill=${encodeURIComponent(id)}`}>what it may do</a>
      </p>
      <Shown loaded={skill}>
        {(value) => (
          <>
            <About skill={value} />
            {value.run !== null && <Requested skill={value} />}
            {value.run !== null && <TrySkill skill={value} />}
            <Instructions id={id} />
            <Files skill={value} />
          </>
        )}
      </Shown>
    </Page>
  );
}

function About({ skill }: { skill: SkillDetail }) {
  const { description, version, tier, digest, license, compatibility, warnings, executable, run } = skill;
  return (
    <section>
      <blockquote>
        <p class="quiet">Its author writes:</p>
        <Visible text={description} />
      </blockquote>
      <dl class="summary">
        <dt>Tier</dt>
        <dd>
          {tier}
          {executable
            ? run?.runtime === 'wasm'
              ? ', runs as WebAssembly'
              : ', runs as a program'
            : ', instructions only'}
        </dd>
        <dt>Version</dt>
        <dd>
          {version === null ? 'none' : <Visible text={version} />}, <code>{digest}</code>
        </dd>
        <dt>License</dt>
        <dd>{license === null ? 'not stated' : <Visible text={license} />}</dd>
        {compatibility !== null && (
          <>
            <dt>Needs</dt>
            <dd>
              <Visible text={compatibility} />
            </dd>
          </>
        )}
      </dl>
      {warnings.map((warning) => (
        <p class="warning">
          <Visible text={warning} />
        </p>
      ))}
    </section>
  );
}

function Requested({ skill: { run } }: { skill: SkillDetail }) {
  if (run === null) return null;
  const [risks, items] = [risksOf(run.capabilities), itemsOf(run.capabilities)];
  return (
    <section>
      <h2>What it asks for</h2>
      {risks.length === 0 ? (
        <p>Nothing: it only computes.</p>
      ) : (
        <ul>
          {risks.map((risk) => (
            <li>
              <Visible text={risk} />
            </li>
          ))}
        </ul>
      )}
      {items.length > 0 && (
        <details>
          <summary>Each item</summary>
          <ul>
            {items.map(([capability, item]) => (
              <li>
                {capability}: <Visible text={item} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Instructions({ id }: { id: string }) {
  const body = useLoaded(`body ${id}`, (signal) => client.body(id, { signal }));
  return (
    <section>
      <h2>Instructions</h2>
      <Shown loaded={body}>
        {(text) => (text === '' ? <p>None.</p> : <Block text={text} label="Instructions" />)}
      </Shown>
    </section>
  );
}

function Files({ skill: { id, files } }: { skill: SkillDetail }) {
  const [path, setPath] = useState<string>();
  return (
    <section>
      <h2>Files</h2>
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
      {path !== undefined && <FileText key={path} id={id} path={path} />}
    </section>
  );
}

function FileText({ id, path }: { id: string; path: string }) {
  const content = useLoaded(`file ${id} ${path}`, (signal) => client.file(id, path, { signal }));
  return (
    <section aria-live="polite">
      <h3>
        <Visible text={path} />
      </h3>
      <Shown loaded={content}>
        {(bytes) => {
          const text = textOf(bytes);
          return text === undefined ? <p>It is not text in UTF-8.</p> : <Block text={text} label={path} />;
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
