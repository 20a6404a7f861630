import type { InstallReview } from '@ambit/client';
import { wasmText } from '@ambit/core/inspect';
import { useState } from 'preact/hooks';
import { useLocation, useRoute } from 'preact-iso';
import { hiddenText } from '../../format/hidden-text.ts';
import { bytesText, plural, shortDigest } from '../../format/units.ts';
import { Declares } from '../../part/declares.tsx';
import { Diff } from '../../part/diff.tsx';
import { LimitTable } from '../../part/limit-table.tsx';
import { useLoaded } from '../../part/loaded.ts';
import { Mark } from '../../part/outcome.tsx';
import { Page } from '../../part/page.tsx';
import { Shown } from '../../part/shown.tsx';
import { Visible } from '../../part/visible.tsx';
import { paths } from '../../paths.ts';
import { client } from '../../session/session.ts';
import { UnlessReadOnly } from '../../session/unless-read-only.tsx';
import { FileList } from '../catalog/file-list.tsx';
import { Decision } from './decision.tsx';

/** Everything that a person needs to decide about an installed skill, and the decision. */
export function ReviewView() {
  const id = useRoute().params['id'] ?? '';
  const { route } = useLocation();
  const review = useLoaded(`review ${id}`, (signal) => client.installs.review(id, { signal }));
  const [done, setDone] = useState<string>();
  return (
    <Page title={`Review ${id}`}>
      <div role="status">
        {done !== undefined && (
          <p>
            <Mark tone="good" word={done} />. <a href={paths.approvals}>Back to the approvals</a>
          </p>
        )}
      </div>
      <Shown loaded={review}>
        {(value) => (
          <>
            {done === undefined && (
              <p class="lead">
                {value.approved === null
                  ? neverApproved(value)
                  : value.approved === value.digest
                    ? 'This version is approved.'
                    : 'An update of an approved skill. The approved version stays in force until you decide.'}
              </p>
            )}
            <Origin review={value} />
            <Requests review={value} />
            <Gets review={value} />
            <Python review={value} />
            <Findings review={value} />
            <Files review={value} />
            {done === undefined && (
              <UnlessReadOnly title="Decide" cannot="decide about skills">
                <Decision
                  review={value}
                  onDecided={(sentence) => {
                    setDone(sentence);
                    // It is announced at the top.
                    scrollTo(0, 0);
                    review.reload();
                  }}
                  onLater={() => route(paths.approvals)}
                />
              </UnlessReadOnly>
            )}
          </>
        )}
      </Shown>
    </Page>
  );
}

function Origin({
  review: {
    skill,
    digest,
    approved,
    provenance,
    namespaceSources,
    reading: { version, description },
  },
}: {
  review: InstallReview;
}) {
  return (
    <section>
      <h2>Origin</h2>
      <dl class="summary">
        <dt>Source</dt>
        <dd>
          <Visible text={skill.source} />
          {skill.folder !== '' && (
            <>
              , folder <Visible text={skill.folder} />
            </>
          )}
        </dd>
        <dt>This version</dt>
        <dd>
          {version !== null && <>{<Visible text={version} />}, </>}
          <code title={digest}>{shortDigest(digest)}</code>
        </dd>
        <dt>Approved</dt>
        <dd>{approved === null ? 'none' : <code title={approved}>{shortDigest(approved)}</code>}</dd>
        <dt>Publisher</dt>
        <dd>
          {provenance.publisher === null ? 'unsigned' : <Visible text={provenance.publisher} />}
          {provenance.identity !== null && (
            <>
              {', '}
              <code>
                <Visible text={provenance.identity} />
              </code>
            </>
          )}
        </dd>
      </dl>
      {description !== null && (
        <blockquote>
          <p class="quiet">Its author writes:</p>
          <Visible text={description} />
        </blockquote>
      )}
      {[provenance.change, provenance.problem].map(
        (sentence) =>
          sentence !== null && (
            <p class="warning">
              <Visible text={sentence} />
            </p>
          ),
      )}
      {namespaceSources.length > 0 && (
        <p class="warning">
          Skills from other sources share this namespace: <Visible text={namespaceSources.join(', ')} />
        </p>
      )}
    </section>
  );
}

function Requests({ review }: { review: InstallReview }) {
  const { reading, wider, narrower, approved } = review;
  return (
    <section>
      <h2>Requested capabilities</h2>
      {reading.problem !== null && (
        <p class="warning">
          It cannot be loaded: <Visible text={reading.problem} />
        </p>
      )}
      {reading.hiddenFrom.length > 0 && <p>Visibility: {hiddenText(reading.hiddenFrom)}.</p>}
      {reading.warnings.map((warning) => (
        <p class="warning">
          <Visible text={warning} />
        </p>
      ))}
      <Sentences label="This version" sentences={reading.requests} none="None." />
      <Declares review={review} />
      {approved !== null &&
        (wider.length + narrower.length === 0 ? (
          <p>It requests the same as the approved version.</p>
        ) : (
          <>
            <Sentences label="Added since the approved version" sentences={wider} none="None." />
            <Sentences label="Removed since the approved version" sentences={narrower} none="None." />
          </>
        ))}
    </section>
  );
}

/** The grants of its calls once it is approved, under the configuration in force. */
function Gets({ review: { gets, limits } }: { review: InstallReview }) {
  if (gets.length === 0) return null;
  return (
    <section>
      <h2>What it gets once it is approved</h2>
      <ul>
        {gets.map((line) => (
          <li>
            <Visible text={line} />
          </li>
        ))}
      </ul>
      <h3>Limits of its calls</h3>
      <LimitTable
        rows={limits.map(({ scripts, ...range }) => ({ name: namesText(scripts), limits: range }))}
      />
    </section>
  );
}

/** The first of many scripts. */
function namesText(scripts: readonly string[]): string {
  const more = scripts.length - namesMax;
  return more > 0 ? `${scripts.slice(0, namesMax).join(', ')} and ${more} more` : scripts.join(', ');
}

const namesMax = 3;

function Sentences({
  label,
  sentences,
  none,
}: {
  label: string;
  sentences: readonly string[];
  none: string;
}) {
  return (
    <>
      <h3>{label}</h3>
      {sentences.length === 0 ? (
        <p>{none}</p>
      ) : (
        <ul>
          {sentences.map((sentence) => (
            <li>
              <Visible text={sentence} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Its scripts that run in WebAssembly until they are approved. */
function pythonScripts({ reading }: InstallReview) {
  return reading.scripts.flatMap(({ path, wasm }) => (wasm === null ? [] : [{ path, wasm }]));
}

function neverApproved(review: InstallReview): string {
  const without = 'This skill was never approved. Its programs do not run.';
  return pythonScripts(review).length > 0 ? `${without} Its Python runs in WebAssembly.` : without;
}

function Python({ review }: { review: InstallReview }) {
  const scripts = pythonScripts(review);
  if (review.approved !== null || scripts.length === 0) return null;
  return (
    <section>
      <h2>Python before the approval</h2>
      <p>As far as the text of each script shows:</p>
      <ul>
        {scripts.map(({ path, wasm }) => (
          <li>
            <Visible text={`${path}: ${wasmText(wasm)}`} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Findings({ review: { reading } }: { review: InstallReview }) {
  return (
    <section>
      <h2>Findings in its files</h2>
      {reading.findings.length === 0 ? (
        <p>None. That does not prove that the skill is safe.</p>
      ) : (
        <ul class="findings">
          {reading.findings.map(({ severity, sentence, file, line, excerpt, count }) => (
            <li>
              <Mark tone={severity === 'note' ? 'quiet' : 'bad'} word={severity} />{' '}
              <Visible text={sentence} />
              {file !== null && (
                <span class="quiet">
                  {' '}
                  <Visible text={line === null ? file : `${file}:${line}`} />
                  {count > 1 && `, ${count} places`}
                </span>
              )}
              {excerpt !== null && (
                <pre>
                  <Visible text={excerpt} />
                </pre>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function Files({
  review: { skill, digest, files, reading, approved, packages, packageChanges },
}: {
  review: InstallReview;
}) {
  return (
    <section>
      <h2>{approved === null ? 'Files' : 'Changed files'}</h2>
      <p>
        {plural(reading.files.length, 'file')}, {bytesText(reading.bytes)}.
      </p>
      {files.length === 0 && approved !== null && <p>No file differs from the approved version.</p>}
      {files.map(({ path, change, diff }) => (
        <details open={approved !== null && diff !== null && diff.length < 5000}>
          <summary>
            <Visible text={path} /> ({change})
          </summary>
          {diff === null ? (
            <p>No comparison: the file is too long or not text, or there are too many changes.</p>
          ) : (
            <Diff text={diff} label={`Changes of ${path}`} />
          )}
        </details>
      ))}
      {approved === null && <FileList id={skill.id} digest={digest} files={reading.files.slice(0, 200)} />}
      {packages.length > 0 && (
        <>
          <h3>Packages</h3>
          <p>
            <Visible text={packages.join(', ')} />
          </p>
          {packageChanges.length > 0 && <Diff text={packageChanges.join('\n')} label="Changes of packages" />}
        </>
      )}
    </section>
  );
}
